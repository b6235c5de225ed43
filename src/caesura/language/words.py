"""Common words of languages, by which a text is told apart from texts in others.

Function words, and forms of the verbs for be, have and go, in lower case and as they are spelled;
for a language that is written without spaces, pieces that are frequent inside its text. Scripts
that serve one language tell it without words.
"""

from __future__ import annotations

from typing import Final

__all__ = ["NAMES", "SCRIPTS", "WORDS"]

#: Names of languages, for messages.
NAMES: Final[dict[str, str]] = {
    "af": "Afrikaans", "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan",
    "cs": "Czech", "cy": "Welsh", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish",
    "fr": "French", "ga": "Irish", "gl": "Galician", "gu": "Gujarati", "he": "Hebrew",
    "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian",
    "is": "Icelandic", "it": "Italian", "ja": "Japanese", "ka": "Georgian", "km": "Khmer",
    "kn": "Kannada", "ko": "Korean", "la": "Latin", "lt": "Lithuanian", "lv": "Latvian",
    "ml": "Malayalam", "my": "Burmese", "nl": "Dutch", "nn": "Norwegian (Nynorsk)",
    "no": "Norwegian", "pa": "Punjabi", "pcm": "Nigerian Pidgin", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "si": "Sinhala", "sk": "Slovak",
    "sl": "Slovenian", "sq": "Albanian", "sr": "Serbian", "sv": "Swedish", "sw": "Swahili",
    "ta": "Tamil", "te": "Telugu", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu",
    "vi": "Vietnamese", "zh": "Chinese",
    "am": "Amharic", "be": "Belarusian", "bm": "Bambara", "br": "Breton", "bxr": "Buryat",
    "cop": "Coptic", "fo": "Faroese", "gd": "Scottish Gaelic", "grc": "Ancient Greek",
    "gv": "Manx", "ha": "Hausa", "hsb": "Upper Sorbian", "ht": "Haitian Creole",
    "hyw": "Western Armenian", "jv": "Javanese", "kk": "Kazakh", "kmr": "Kurmanji",
    "ky": "Kyrgyz", "mr": "Marathi", "mt": "Maltese", "myv": "Erzya",
    "nb": "Norwegian (Bokmål)", "nds": "Low Saxon", "sa": "Sanskrit", "sme": "North Sami",
    "ug": "Uyghur", "uz": "Uzbek", "wo": "Wolof", "yo": "Yoruba", "yue": "Cantonese",
    "ast": "Asturian", "az": "Azerbaijani", "ckb": "Sorani", "fil": "Filipino", "fy": "Frisian",
    "ig": "Igbo", "lb": "Luxembourgish", "lo": "Lao", "mk": "Macedonian", "mn": "Mongolian",
    "ms": "Malay", "ne": "Nepali", "oc": "Occitan", "ps": "Pashto", "su": "Sundanese",
    "tg": "Tajik", "ti": "Tigrinya", "tk": "Turkmen", "tl": "Tagalog", "tt": "Tatar",
    "yi": "Yiddish", "und": "an unknown language",
}  # fmt: skip

#: Scripts: first and last code point of their letters, and the languages that are told by words.
#: The first one is what a text in the script is taken for if words do not decide.
SCRIPTS: Final[dict[str, tuple[tuple[tuple[int, int], ...], tuple[str, ...]]]] = {
    "Greek": (((0x370, 0x3FF), (0x1F00, 0x1FFF)), ("el",)),
    "Cyrillic": (((0x400, 0x52F),), ("ru", "uk", "bg", "sr")),
    "Armenian": (((0x531, 0x58F),), ("hy",)),
    "Hebrew": (((0x590, 0x5FF),), ("he",)),
    "Arabic": (((0x600, 0x6FF), (0x750, 0x77F), (0xFB50, 0xFDFF), (0xFE70, 0xFEFF)),
               ("ar", "fa", "ur")),
    "Devanagari": (((0x900, 0x97F),), ("hi",)),
    "Bengali": (((0x980, 0x9FF),), ("bn",)),
    "Gurmukhi": (((0xA00, 0xA7F),), ("pa",)),
    "Gujarati": (((0xA80, 0xAFF),), ("gu",)),
    "Tamil": (((0xB80, 0xBFF),), ("ta",)),
    "Telugu": (((0xC00, 0xC7F),), ("te",)),
    "Kannada": (((0xC80, 0xCFF),), ("kn",)),
    "Malayalam": (((0xD00, 0xD7F),), ("ml",)),
    "Sinhala": (((0xD80, 0xDFF),), ("si",)),
    "Thai": (((0xE00, 0xE7F),), ("th",)),
    "Burmese": (((0x1000, 0x109F),), ("my",)),
    "Georgian": (((0x10A0, 0x10FF),), ("ka",)),
    "Khmer": (((0x1780, 0x17FF),), ("km",)),
    "Hangul": (((0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7AF)), ("ko",)),
    "Kana": (((0x3040, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F)), ("ja",)),
    "Han": (((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF)), ("zh",)),
}  # fmt: skip

_LISTS: Final[dict[str, str]] = {
    "en": """
        the be to of and a in that have i it for not on with he as you do at this but his by
        from they we say her she or an will my one all would there their what so up out if
        about who get which go me when make can like time no just him know take people into
        year your good some could them see other than then now look only come its over think
        also back after use two how our work well way even new want because any these give day
        most us is are was were been has had did does said am i'm it's don't that's you're
        i've can't didn't here where why very more much many such should may must might shall
        too yes yeah okay ok oh uh um right really got going let's gonna please thank thanks
        hi hello off down still same each both between under through while during before again
        against those own whose whom upon every another never""",
    "de": """
        der die und das den von zu mit sich des auf für ist im dem nicht ein eine als auch es
        an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen
        so zum war haben nur oder aber vor zur bis mehr durch man sein wurde sei prozent hatte
        kann gegen vom können schon wenn habe seine ihre dann unter wir soll ich eines jahr
        ihr ihm ihn uns mir mich dir du kein keine nichts hier doch diese dieser dieses wieder
        jetzt immer alle ja nein was wo wer warum weil während ohne zwischen sehr viel muss
        gibt machen gut""",
    "nl": """
        de het een en van in is dat op te zijn voor met die niet aan er om ook als maar bij
        uit door naar dan nog wel werd wordt heeft hebben had hij zij ze haar hun wij we ik je
        jij mijn deze dit over tot tegen of kan kunnen moet moeten zou zouden was waren geen
        meer veel al onder na tussen tijdens omdat toen waar wat wie hoe zo zich worden ons
        jaar twee alleen""",
    "af": """
        die en van in is het dat nie te om wat vir met op hy sy was as aan hulle ek jy ons
        word deur na by uit kan sal ook maar een baie toe moet hierdie daar sê dit wees gaan
        sou kon""",
    "sv": """
        och i att en som på är av för med den till det inte om ett han men var jag sig från vi
        så kan när år under också efter eller nu sin där vid mot ska skulle kommer ut får
        finns vara hade alla har de du hon man ni mig dig oss sina mycket bara än måste blev
        blir hur vad detta denna dessa utan mellan över genom något någon ingen mer andra här
        ja nej""",
    "da": """
        og i at er det en til på af som med de den har der ikke for et han var jeg fra men vi
        om sig efter kan blev vil eller også ved hun skal nu sin da ud over år være så havde
        mere man ind hvor noget op få meget kun mod under mig dig os jer hvad hvis når alle
        kunne skulle ville disse denne dette mellem siden blive bliver været andre ja nej""",
    "no": """
        og i det er som på en til av for at med de ikke har den jeg var et han men fra vi om
        seg etter kan ble vil eller også ved hun skal nå sin da ut over år være så hadde mer
        man inn hvor noe opp få mye bare mot under meg deg oss dere hva hvis når alle kunne
        skulle ville disse denne dette mellom siden bli blir vært andre ja nei hvordan noen""",
    "nn": """
        og i det er som på ein til av for at med dei ikkje har den eg var eit han men frå vi
        om seg etter kan vart vil eller også ved ho skal no sin då ut over år vere så hadde
        meir man inn kor noko opp få mykje berre mot under meg deg oss dykk kva viss når alle
        kunne skulle ville desse denne dette mellom sidan bli blir vore andre ja nei korleis
        nokon me dokker va ikke sånn""",
    "is": """
        og í að á er sem það við hann um með ekki en til af var þá þetta eru fyrir hún eða
        þegar þeir ég frá því vera sér hafa hefur þar nú upp út allt mér þú""",
    "fr": """
        le la les de des du et à un une en est que qui dans pour pas sur au ce il elle ne se
        plus par avec tout faire son sa ses mais nous vous ils elles comme ou si leur y dire
        on être avoir sont était été cette ces aux même où ont a fait aussi je tu me te moi
        toi mon ma mes ton bien très quand donc alors c'est j'ai qu'il d'un d'une n'est s'est
        l'on qu'on puis sans sous entre après avant encore peut deux euh ben voilà ouais quoi
        ça oui non parce chez là faut""",
    "es": """
        el la los las de que y a en un una se del por con no su para al lo como más pero sus
        le ya o este sí porque esta entre cuando muy sin sobre también me hasta hay donde
        quien desde todo nos durante todos uno les ni contra otros ese eso ante ellos e esto
        mí antes algunos qué unos yo otro otras otra él tanto esa estos mucho quienes nada
        muchos cual poco ella estar es son fue era ha han había ser está están tiene hace dos
        año años""",
    "pt": """
        o a os as de que e do da em um uma para com não por mais dos das como mas foi ao ele
        se tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso
        ela entre era depois sem mesmo aos ter seus quem nas me esse eles estão você tinha
        foram essa num nem suas meu às minha têm numa pelos elas havia seja qual será nós
        tenho lhe deles essas esses pelas este fosse dele são no na é ano anos""",
    "gl": """
        o a os as de que e do da en un unha para con non por máis dos das como pero foi ao el
        se ten á seu súa ou ser cando moito hai nos xa está eu tamén só polo pola ata iso ela
        entre era despois sen mesmo aos ter isto na no é son""",
    "ca": """
        el la els les de que i a en un una es del per amb no al se com més però ha són aquest
        aquesta seva seu pel als dels on també o va ser van si ja quan entre sobre fins tot
        tots molt sense perquè li ho hi és està han havia fer any anys des dos altres això
        aquests mateix l'any""",
    "it": """
        il la le lo gli i di che e è un una in per non con del della dei delle nel nella si da
        al alla dal dalla sono come ma anche più ha se questo questa ci o sua suo su cui
        quando essere stato hanno loro dopo fra tra molto era ai alle perché io lui lei noi
        voi mi ti ne tutto tutti ogni senza dove chi cosa fare così altri anni due sulla sul
        dell'""",
    "ro": """
        și în de a la că nu cu pe o un să este din se care mai pentru sau dar ca au fost lui
        ei el ea al ale sunt era prin acest această după fi ce îi îl te mă noi voi lor când
        unde cum doar foarte am ai are avea fără între până toate tot""",
    "la": """
        et in est non ad ut cum sed qui quae quod si ex ab de per nec atque esse sunt aut
        etiam enim eius hoc ille ipse autem quam se neque""",
    "pl": """
        w i na z do się nie że jest to o jak po za od a co przez tym dla czy ale już tak był
        może tylko ich jego go było który która które są być oraz także pod przy ma jej mu ja
        ty my wy mnie ci nas gdy kiedy bardzo tego tej ten ta jeszcze więc nad bez między
        został""",
    "cs": """
        a v se na je že z s o do i to k za ve pro by ale si po jako jsou od při byl podle nebo
        tak jen jeho který která které být nejsou však až aby bylo bude pod mezi tím toho také
        u ze ke už když kde co proti před není má mít této tento těchto jejich nad bez tedy li
        těch""",
    "sk": """
        a v sa na je že z s o do i to k za vo pre by ale si po ako sú od pri bol podľa alebo
        tak len jeho ktorý ktorá ktoré byť však až aby bolo bude pod medzi tým toho aj u zo ku
        už keď kde čo proti pred nie má mať tento""",
    "sl": """
        je in v da na se za so ki pa ne z s o po kot tudi ali bi pri ni iz do od še bil že bo
        sem si to ga ta ko kar smo sta tako lahko le več jih njegov kaj kako kdo kje jaz ti mi
        vi ja te potem zdaj samo tam tukaj nekaj zato ker ampak eee no saj bilo bila imam""",
    "hr": """
        i u je na da se za su od s sa o ne što kao koji koja koje iz ali po do a ili će bi bio
        bila bilo samo još već kako nije ga mu joj ih mi vi oni to taj ta te sve tako jer nego
        prema između nakon prije godine hrvatske""",
    "hu": """
        a az és hogy nem is egy ez azt volt meg csak de ha mint már még el van fel lesz be ki
        kell aki ami vagy lehet után szerint között minden úgy így mert sem ezt nagyon ezek
        azok majd akkor most neki én te ő mi ti ők két több alatt által""",
    "fi": """
        ja on ei se että hän oli mutta niin kun kuin myös ovat ole joka tai jos vain nyt jo
        sen mitä minä sinä me te he ne ollut olla tämä sitä siitä hänen joita jotka kanssa
        mukaan vielä sekä sitten voi eli koska tässä mikä kaikki""",
    "et": """
        ja on ei see et ta oli aga ka kui siis oma mis kes ma sa me nad seda selle või nii
        veel mitte välja üle olnud kuid ning pärast juba ainult kõik tema""",
    "lv": """
        un ir uz ar no ka par tas to kas bet vai arī kā lai pie tā nav bija viņš viņa es tu
        mēs jūs pēc gan līdz tikai ja jau vēl būt""",
    "lt": """
        ir yra į su kad iš ne tai kaip bet ar jis ji buvo per už apie prie nuo dėl tik jo jos
        mes jūs aš tu būti savo dar jau kurie kuris po""",
    "tr": """
        ve bir bu da de için ile o çok gibi daha ne var olarak en ama kadar olan sonra ki
        değil ben her mi mı ya hiç iki şey kendi bana onun diye oldu bunu göre yok sen biz siz
        onlar neden nasıl zaman ise veya ancak etti dedi beni seni şimdi böyle""",
    "eu": """
        eta da ez bat du ere dira izan zuen zen baina dute dela beste egin hori bere den duen
        edo egiten dago hau gaur zuten ditu bi hainbat baino oso arte gabe nahi behar ari beti
        orain zer nola hala duten zituen ziren bezala batzuk guztiak""",
    "ga": """
        an agus na ar i a is go ag le do sé tá bhí ní atá ach sin seo mar nach as leis aige sí
        siad mé tú ó gur faoi raibh""",
    "cy": """
        y yr a i o yn ar mae oedd ei eu am wedi gan bod fod i'r o'r ond hefyd fel nid roedd hi
        ef fe mi chi ni nhw hyn""",
    "sq": """
        dhe në të e i për me një nuk është nga që ka se do si ishte kjo ky por më u edhe janë
        këtë tij saj kanë""",
    "id": """
        yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke karena
        tersebut bisa ada mereka lebih telah kami atau sudah oleh kita anda dia adalah seperti
        hanya satu apa""",
    "sw": """
        na ya wa kwa ni katika la kuwa za cha hii huu kama yake wake hiyo ambao ambayo lakini
        pia si watu baada kutoka alikuwa""",
    "vi": """
        và của là có cho không được trong một người các với đã này những để khi đến về như ra
        từ cũng nhiều vào tôi nó""",
    "pcm": """
        dey wey na dem e sey don de wetin di una wen im fit abeg sef naim nah dis dat dose wan
        con abi oga wit deir dere go for no come make we am get people how as o sha shey sabi
        pikin comot neva dia mek pesin tori""",
    "ru": """
        и в не на я что он с как это по но они к у из за то все она так его же бы от о мы для
        вы если или был когда было только ещё уже может до их есть была ей мне меня чтобы при
        были нет того очень быть году также этот который""",
    "uk": """
        і в не на що я з він як це за до але та у й від по про так його для ми вони вона ви же
        якщо або був коли було тільки ще вже може їх є була мені щоб при були немає того дуже
        бути також цей який""",
    "bg": """
        и на да се в за от не с е са като че по това но към при до той ще съм беше му го я те
        ние вие тя или след който която което които само има още бъде така може през без много
        един една между си вече ли""",
    "sr": """
        и у је да се на за су од са не што као који која које из али по до а или ће би био
        била само још већ како није га му им ми ви они то тај та те све тако јер него према""",
    "ar": """
        في من على أن إلى التي عن مع الذي هذا هذه كان ما لا قال بين كما بعد هو لم وقد أو كل ذلك
        قد هي كانت حيث إن عام ولا منذ ثم غير عند و""",
    "fa": """
        و در به از که این را با است برای آن یک خود تا کرد بر هم نیز گفت می شود شد ما اما یا او
        هر باید بود دارد های""",
    "ur": """
        کے میں کی ہے اور سے کا کو اس نے ہیں کہ یہ پر بھی نہیں تو ہو وہ ایک کر تھا گیا جو تھے""",
}
#: The common words of each language that is told by words.
WORDS: Final[dict[str, frozenset[str]]] = {
    language: frozenset(words.split()) for language, words in _LISTS.items()
}
