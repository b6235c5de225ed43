"""Changes to one word, token or sentence that leave the document valid, or are refused by name.

Words, tokens and sentences call these when something of theirs is set. A tree stays a tree: a head
lies in the sentence, nothing hangs on itself by a detour, and a sentence has one root. What a new
boundary makes wrong becomes unknown, which is a value everywhere; a parser with `keep` for the rest
predicts it again. The confidence of what was set by hand becomes unknown too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from operator import index as as_index
from sys import getrefcount
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from caesura.document.schema import MAYBE, NO, ROOT, UNKNOWN, YES
from caesura.document.trees import above
from caesura.errors import UsageError, kind_of

if TYPE_CHECKING:
    from caesura.document.document import Document


#: What would end a column or a line of a file, and what else cannot be seen.
CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_BLANK: Final = re.compile(r"\s")
#: Columns whose values may have blanks in them, and for which `_` is a value.
_FREE: Final = frozenset({"form", "lemma"})


def _own(doc: Document, name: str) -> Any:
    """A column that is changed here and nowhere else.

    Documents that are made of others share columns with them. Like numpy's `resize`, this counts
    references to find other holders of an array; an unnecessary copy does no harm.
    """
    values = getattr(doc, name)
    # Without other holders there are three: the document, the line above and the call below.
    if values.base is not None or not values.flags.writeable or getrefcount(values) > 3:
        values = values.copy()
        setattr(doc, name, values)
    return values


def _put(doc: Document, name: str, word: int, value: str) -> None:
    _own(doc, name)[word] = doc.strings.add(value)


def _unsure(doc: Document, what: str, row: int) -> None:
    """Forget how sure a stage was of what was changed, as `keep` calls it."""
    for column in doc.schema.columns:
        if column.confidence == what and getattr(doc, column.name) is not None:
            _own(doc, column.name)[row] = np.nan


def write(doc: Document, name: str, word: int, value: str | int) -> None:
    """Write what is known to fit into a column of words, without a look at the tree."""
    if isinstance(value, str):
        _put(doc, name, word, value)
    else:
        _own(doc, name)[word] = value
    _unsure(doc, doc.schema.by_name[name].keep or "", word)


# --------------------------------------------------------------------- strings


def _checked(name: str, value: object) -> str:
    """A string that can be the value of a column."""
    if not isinstance(value, str):
        raise UsageError(
            f"{name} is a string, not {kind_of(value)}", remedy="'' says that it is unknown."
        )
    if CONTROL.search(value):
        raise UsageError(
            f"{name} {value!r} has a character in it that would end a column or a line",
            remedy="Take tabs, line ends and control characters out.",
        )
    if name not in _FREE and _BLANK.search(value):
        raise UsageError(f"{name} {value!r} has a blank in it", remedy="Take it out.")
    if name not in _FREE and value == "_":
        raise UsageError(f"{name} '_' is no value", remedy="'' says that it is unknown.")
    return value


def set_string(doc: Document, word: int, name: str, value: object) -> None:
    """Set a lemma or a tag."""
    write(doc, name, word, _checked(name, value))


def set_form(doc: Document, word: int, value: object) -> None:
    """Set the form of a word of a multi-word token; all others are what the text says."""
    if not doc.words[word].token.is_multiword:
        raise UsageError(
            f"the form {doc.words[word].form!r} is what the text says there",
            remedy="Only words of a multi-word token have forms of their own.",
        )
    if not _checked("form", value):
        raise UsageError("a form cannot be empty")
    _put(doc, "form", word, str(value))


def set_items(doc: Document, word: int, name: str, value: Mapping[str, str] | str) -> None:
    """Set features or MISC, given by name or as CoNLL-U writes them."""
    if isinstance(value, Mapping):
        for key, own in value.items():
            _item(name, key, own)
        # The order of CoNLL-U for features; MISC has none.
        keys = sorted(value, key=str.lower) if name == "feats" else list(value)
        value = "|".join(f"{key}={value[key]}" for key in keys)
    elif isinstance(value, str) and name == "feats":
        for item in value.split("|") if value else ():
            key, _, own = item.partition("=")
            _item(name, key, own)
    set_string(doc, word, name, value)


def _item(name: str, key: object, value: object) -> None:
    whole = isinstance(key, str) and isinstance(value, str) and bool(key)
    if not whole or re.search(r"[=|]", str(key)) or "|" in str(value):
        raise UsageError(
            f"{name} cannot have {key!r} with the value {value!r}",
            remedy="Names and values are strings without '|', and names have no '='.",
        )
    if name == "feats" and not value:
        raise UsageError(f"the feature {key!r} has no value", remedy="Leave out what is unknown.")


def set_deprel(doc: Document, word: int, value: object) -> None:
    """Set a relation; only a root has `root`."""
    relation = _checked("deprel", value)
    if relation == "root" and doc.head[word] >= 0:
        raise UsageError(
            f"{doc.words[word].form!r} has a head, so its relation is not 'root'",
            remedy="Make it the root: sentence.root = word.",
        )
    write(doc, "deprel", word, relation)


# ----------------------------------------------------------------------- heads


def set_head(doc: Document, word: int, value: object) -> None:
    """Hang a word on another of its sentence, or make it the root or its head unknown."""
    try:
        head = UNKNOWN - 1 if isinstance(value, bool) else as_index(value)  # type: ignore[arg-type]
    except TypeError:
        raise UsageError(
            f"the number of a head is a whole number, not {kind_of(value)}",
            remedy="Use the index of a word, ROOT or UNKNOWN.",
        ) from None
    if not UNKNOWN <= head < doc.n_words:
        raise UsageError(
            f"the head {value!r} is no word of the document, which has {doc.n_words}",
            remedy="Use the index of a word, ROOT or UNKNOWN.",
        )
    sentence = doc.words[word].sentence
    form = doc.words[word].form
    if head == ROOT:
        other = sentence.root
        if other is not None and other.index != word:
            raise UsageError(
                f"{form!r} cannot be a second root: the sentence has {other.form!r}",
                remedy="Set sentence.root, which moves it.",
            )
    elif head >= 0:
        above_it = doc.words[head].form
        if not sentence.first_word <= head < sentence.last_word:
            raise UsageError(
                f"{form!r} cannot hang on {above_it!r}, which is in another sentence",
                remedy="Join the sentences first: token.is_sent_start = False.",
            )
        if head == word:
            raise UsageError(f"{form!r} cannot hang on itself", remedy="Choose another head.")
        if word in above(doc.head, head):
            raise UsageError(
                f"{form!r} cannot hang on {above_it!r}, which hangs on it",
                remedy=f"Give {above_it!r} another head first.",
            )
    _attach(doc, word, head)


def _attach(doc: Document, word: int, head: int) -> None:
    """Set a head, and what follows for the relation: `root` goes with roots alone."""
    was_root = doc.head[word] == ROOT or doc.strings[doc.deprel[word]] == "root"
    write(doc, "head", word, head)
    if head == ROOT:
        _put(doc, "deprel", word, "root")
    elif head == UNKNOWN or was_root:
        _put(doc, "deprel", word, "")


def set_root(doc: Document, word: int, first: int, last: int) -> None:
    """Make a word the root of its sentence, the words first..last-1; other roots hang on it."""
    roots = first + np.flatnonzero(doc.head[first:last] == ROOT)
    if doc.head[word] != ROOT:
        _attach(doc, word, ROOT)
    for other in roots.tolist():
        if other != word:
            _attach(doc, other, word)


# ------------------------------------------------------------------ boundaries


def set_word_start(doc: Document, word: int, value: object) -> None:
    """Set whether a sentence starts with a word: none does inside a multi-word token."""
    token = int(doc.word_token[word])
    if word and doc.word_token[word - 1] == token:
        if value is not False:
            raise UsageError(
                f"no sentence can start with {doc.words[word].form!r}, inside the multi-word "
                f"token {doc.tokens[token].text!r}",
                remedy="Set the boundary before the token or behind it.",
            )
        return
    set_start(doc, token, value)


def set_start(doc: Document, token: int, value: object) -> None:
    """Set whether a sentence starts with a token: True, False, or None if that is unknown."""
    if value is not None and not isinstance(value, bool | np.bool_):
        raise UsageError(f"whether a sentence starts is True, False or None, not {kind_of(value)}")
    new = MAYBE if value is None else (YES if value else NO)
    if not token:
        if new != YES:
            raise UsageError("the first token of a document starts a sentence")
        _own(doc, "sent_start")[0] = YES
        return
    old = int(doc.sent_start[token])
    if (old == YES) != (new == YES):
        _move(doc, token, part=new == YES)
    _own(doc, "sent_start")[token] = new
    _unsure(doc, "sentences", token)


def _move(doc: Document, token: int, *, part: bool) -> None:
    """Part a sentence before a token, or join it with the one before; set the start afterwards."""
    left, right = doc.tokens[token - 1].sentence, doc.tokens[token].sentence
    if len(doc.node_label):
        raise UsageError(
            "the document has phrases, which a new boundary would make wrong",
            remedy="Drop them first: caesura.transform.drop(doc, ['phrases']).",
        )
    first, middle = left.first_word, doc.tokens[token].words.first_word
    last = right.last_word
    root = left.root
    doc.comments = _comments(doc, left.first_token, token, right.last_token, part)
    for word in range(first, last):
        head = int(doc.head[word])
        crosses = part and head >= 0 and (head < middle) != (word < middle)
        second = not part and head == ROOT and root is not None and word >= middle
        if crosses or second:
            _attach(doc, word, UNKNOWN)
    # They speak of words by their numbers in the sentence.
    _own(doc, "deps")[first:last] = 0
    doc.empty_nodes = [node for node in doc.empty_nodes if not first <= node.word < last]


def _comments(
    doc: Document, first: int, token: int, last: int, part: bool
) -> dict[int, tuple[str, ...]]:
    """The comments of a document in which the sentences first..last-1 are parted or joined."""
    comments = dict(doc.comments)
    own = comments.get(first)
    comments.pop(token, None)
    end = token if part else last
    if own is None:
        return comments
    comments[first] = tuple(_renewed(doc, comment, first, end) for comment in own)
    if part:
        name = value_of(own, "sent_id")
        text = f"# text = {_text(doc, token, last)}"
        comments[token] = ((f"# sent_id = {_new_id(doc, name)}",) if name else ()) + (text,)
    return comments


def _renewed(doc: Document, comment: str, first: int, last: int) -> str:
    return f"# text = {_text(doc, first, last)}" if _key(comment) == "text" else comment


def _text(doc: Document, first: int, last: int) -> str:
    return " ".join(doc.text[int(doc.token_start[first]) : int(doc.token_end[last - 1])].split())


def _new_id(doc: Document, name: str) -> str:
    """A name for the second part of a sentence, which no other has."""
    taken = {value_of(comments, "sent_id") for comments in doc.comments.values()}
    number = 2
    while f"{name}-part{number}" in taken:
        number += 1
    return f"{name}-part{number}"


def _key(comment: str) -> str:
    return comment.lstrip("# ").partition("=")[0].strip()


def value_of(comments: Iterable[str], key: str) -> str | None:
    """The value of a comment of the form `# key = value`."""
    for comment in comments:
        if "=" in comment and _key(comment) == key:
            return comment.partition("=")[2].strip()
    return None
