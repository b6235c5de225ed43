"""CoNLL-U by example: text and spacing, multi-word tokens, empty nodes, comments, confidences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caesura import formats
from caesura.document import NO, ROOT, UNKNOWN, YES, Document, EmptyNode
from caesura.errors import InputError
from tests.formats import streams

EXAMPLE = """\
# newdoc id = cats
# newpar
# sent_id = 1
# text = I can't!
1\tI\tI\tPRON\tPRP\tCase=Nom\t2\tnsubj\t2:nsubj\t_
2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No|Gloss=x
2\tca\tcan\tAUX\tMD\t_\t0\troot\t0:root\t_
3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t2:advmod\t_
3.1\tgo\tgo\tVERB\t_\t_\t_\t_\t2:xcomp\tCopyOf=2
4\t!\t!\tPUNCT\t.\t_\t2\tpunct\t2:punct\t_

# sent_id = 2
1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\tSpacesAfter=\\n

# newpar id = p2
# sent_id = 3
0.1\t_\t_\tPRON\t_\t_\t_\t_\t1:nsubj\t_
1\t_\t_\tX\t_\t_\t_\t_\t_\tSpacesBefore=\\s\\t

# newdoc
1\tBye\t_\t_\t_\t_\t_\t_\t_\t_

# the end

"""


def read(text: str, **options) -> list[Document]:
    return streams.read("conllu", text, **options)


def write(docs, **options) -> str:
    return streams.write("conllu", docs, **options).decode()


def word(form: str, misc: str = "_", number: int = 1) -> str:
    return f"{number}\t{form}\t_\t_\t_\t_\t_\t_\t_\t{misc}\n"


def test_example():
    cats, bye = read(EXAMPLE)
    assert cats.text == "I can't! Yes\n \t_"
    assert [token.text for token in cats.tokens] == ["I", "can't", "!", "Yes", "_"]
    assert cats.column("form") == ["I", "ca", "n't", "!", "Yes", "_"]
    assert cats.head.tolist() == [1, ROOT, 1, 1, ROOT, UNKNOWN]
    assert cats.sent_start.tolist() == [YES, NO, NO, YES, YES]
    assert cats.paragraph_start.tolist() == [0, 15]
    assert cats.id == "cats"
    assert bye.id is None
    assert cats.empty_nodes == [
        EmptyNode(2, 1, "go", "go", "VERB", deps="2:xcomp", misc="CopyOf=2"),
        EmptyNode(-6, 1, upos="PRON", deps="1:nsubj"),
    ]
    assert cats.strings[cats.token_misc[1]] == "SpaceAfter=No|Gloss=x"
    assert cats.comments[3] == ("# sent_id = 2",)
    assert bye.trailer == ("# the end",)
    # FORM `_` is the character, and so is its LEMMA; elsewhere `_` is nothing.
    assert cats.words[5].lemma == "_"
    assert bye.words[0].lemma == ""


def test_written_as_it_was():
    assert write(read(EXAMPLE)) == EXAMPLE
    assert write(read(EXAMPLE, pieces=1)) == EXAMPLE


def test_comments_behind_a_document_are_written_as_they_are_read_again():
    first, second = read(word("a") + "\n# behind\n\n")[0], read(word("b") + "\n")[0]
    text = write([first, second])
    assert "\n\n# behind\n# newdoc\n" in text
    assert write(read(text)) == text


def test_a_paragraph_is_a_blank_line_in_the_text():
    (doc,) = read(
        word("a") + "\n# newpar\n" + word("b") + "\n# newpar_block = x\n" + word("c") + "\n"
    )
    assert doc.text == "a\n\nb c"
    assert doc.paragraph_start.tolist() == [3]


def test_a_paragraph_may_start_within_a_sentence():
    (doc,) = read(word("a") + word("b", "NewPar=Yes", 2) + "\n")
    assert doc.text == "a\n\nb"
    assert doc.paragraph_start.tolist() == [3]
    assert write([doc]) == word("a") + word("b", "NewPar=Yes", 2) + "\n"


def test_without_spaces_on_request():
    source = word("猫") + word("だ", number=2) + "\n"
    (doc,) = read(source, space=False)
    assert doc.text == "猫だ"
    assert write([doc]) == word("猫", "SpaceAfter=No") + word("だ", number=2) + "\n"


def test_spaces_in_a_token():
    (doc,) = read(word("10 000", r"SpacesInToken=10\s\s000") + "\n")
    assert doc.text == "10  000"
    assert doc.tokens[0].text == "10  000"
    assert doc.words[0].form == "10 000"


def test_token_range_is_honoured_and_written_on_request():
    source = word("a", "TokenRange=2:3") + word("b", "TokenRange=6:7", 2) + "\n"
    (plain,) = read(source)
    assert plain.text == "a b"
    (doc,) = read(source, token_range=True)
    assert (doc.tokens[0].start, doc.tokens[1].start) == (2, 6)
    assert doc.text == "  a   b"
    written = write([doc], token_range=True)
    assert "TokenRange=2:3\n" in written
    assert [d.text for d in read(written, token_range=True)] == [doc.text]


def test_misc_follows_a_changed_text():
    (doc,) = read(word("a", "SpaceAfter=No|Gloss=x") + word("b", number=2) + "\n")
    changed = Document.from_spans("a\tb ", [0, 2], [1, 3])
    changed.set_column("misc", doc.column("misc"))
    changed.sent_start[:] = [YES, NO]
    changed.comments = {0: ()}
    assert write([changed]) == (
        word("a", r"Gloss=x|SpacesAfter=\t") + word("b", r"SpacesAfter=\s", 2) + "\n"
    )


def test_customary_comments():
    doc = Document.from_spans("Hi all.\n\nBye", [0, 3, 6, 9], [2, 6, 7, 12], id="letter")
    doc.sent_start = np.array([YES, NO, NO, YES], dtype=np.int8)
    doc.paragraph_start = np.array([0, 9])
    lines = [line for line in write([doc]).split("\n") if line.startswith("#")]
    assert lines == [
        "# newdoc id = letter",
        "# newpar",
        "# sent_id = letter-1",
        "# text = Hi all.",
        "# newpar",
        "# sent_id = letter-2",
        "# text = Bye",
    ]
    (again,) = read(write([doc]))
    assert (again.text, again.paragraph_start.tolist()) == (doc.text, [0, 9])


def test_documents_stay_apart_though_their_comments_do_not_say_so():
    docs = read("# sent_id = 1\n" + word("a") + "\n") + read("# sent_id = 1\n" + word("b") + "\n")
    assert [doc.text for doc in read(write(docs))] == ["a", "b"]
    docs[0].id = "first"
    assert write(docs).startswith("# newdoc id = first\n# sent_id = 1\n")


def test_a_renamed_document():
    (doc,) = read("# newdoc id = old\n# note\n" + word("a") + "\n")
    doc.id = "new"
    assert write([doc]).startswith("# newdoc id = new\n# note\n")


def test_confidences_travel_in_misc():
    doc = Document.from_spans("a b", [0, 2], [1, 3])
    doc.sent_start[:] = [YES, NO]
    doc.comments = {0: ()}
    doc.sent_conf = np.array([0.5, np.nan], dtype=np.float32)
    doc.tag_conf = np.array([0.25, 0.9], dtype=np.float32)
    assert write([doc]) == (
        word("a", "SentConf=0.5|TagConf=0.25") + word("b", "TagConf=0.9", 2) + "\n"
    )
    assert read(write([doc])) == [doc]
    assert "Conf" not in write([doc], confidences=False)


def test_a_value_with_a_tab_cannot_be_written():
    doc = Document.from_spans("a", [0], [1])
    doc.set_column("upos", ["N\tN"])
    with pytest.raises(InputError, match="holds a tab or a line end"):
        write([doc])


def test_a_head_in_another_sentence_cannot_be_written():
    doc = Document.from_spans("a b", [0, 2], [1, 3])
    doc.sent_start[:] = YES
    doc.head[:] = [1, ROOT]
    with pytest.raises(InputError, match="is in another sentence"):
        write([doc])


def test_empty_files():
    assert read("") == []
    assert read("\n\n\n") == []
    assert write([]) == ""
    (doc,) = read("# only a comment\n\n")
    assert doc.trailer == ("# only a comment",)


def test_a_very_long_sentence_crosses_blocks():
    n = 20_000
    source = "".join(word("long", number=i + 1) for i in range(n)) + "\n"
    (doc,) = read(source)
    assert (doc.n_words, doc.n_sentences) == (n, 1)
    assert write([doc]) == source


def test_pieces_of_one_long_document():
    source = "".join(f"# sent_id = {i}\n{word('w' * 50)}\n" for i in range(20_000))
    sizes = [piece.n_tokens for piece in read(source, pieces=1000)]
    assert sum(sizes) == 20_000
    assert max(sizes) <= 1000


def test_conllx_keeps_projected_heads():
    source = "1\tel\tel\td\tda\tgen=m\t2\t_\t2\t_\n2\tfin\tfin\tn\tnc\t_\t0\tROOT\t0\tROOT\n\n"
    (doc,) = streams.read("conllx", source)
    assert doc.column("upos") == ["d", "n"]
    assert doc.column("xpos") == ["da", "nc"]
    assert doc.words[1].misc == {"PHead": "0", "PDeprel": "ROOT"}
    assert streams.write("conllx", [doc]).decode() == source


def test_what_no_file_may_hold_is_replaced(tmp_path: Path) -> None:
    text = "a\0b \ud800"
    doc = Document.from_spans(text, np.array([0, 4]), np.array([3, 5]))
    doc.sent_start[:] = [1, 0]
    path = tmp_path / "odd.conllu"
    formats.write(doc, path)
    (again,) = formats.read(path)
    assert again.column("form") == ["a\ufffdb", "\ufffd"]
