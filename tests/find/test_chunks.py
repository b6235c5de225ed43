"""Chunks of bounded length: they add up to the text, keep the limit, and end at the best gap."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.document import Document
from caesura.errors import UsageError
from caesura.find.chunks import Chunk, Chunker, Limit
from caesura.formats import read
from tests.pipeline.tiny import EXAMPLES
from tests.strategies import documents

limits = st.builds(Limit, st.integers(1, 40), words=st.booleans())


def chunks(pieces: list[Document], limit: Limit) -> list[Chunk]:
    chunker = Chunker(limit)
    found = [chunk for piece in pieces for chunk in chunker.add(piece)]
    return [*found, *chunker.finish()]


@given(documents(), limits)
def test_chunks_add_up_to_the_tokens_within_the_limit(doc: Document, limit: Limit) -> None:
    found = chunks([doc], limit)
    starts, ends = doc.token_start.tolist(), doc.token_end.tolist()
    counts = []
    for start, end, text in found:
        assert doc.text[start:end] == text
        first, last = starts.index(start), ends.index(end)
        counts.append((first, last + 1))
        size = last + 1 - first if limit.words else end - start
        assert size <= limit.size or first == last
    assert counts[0][0] == 0
    assert counts[-1][1] == doc.n_tokens
    assert all(one[1] == other[0] for one, other in pairwise(counts))


@given(st.lists(documents(max_tokens=6), min_size=1, max_size=4), limits, st.integers(0, 10))
def test_pieces_make_the_chunks_of_the_whole(
    docs: list[Document], limit: Limit, overlap: int
) -> None:
    limit = Limit(limit.size, min(overlap, limit.size - 1), limit.words)
    whole = Document.join(docs)
    assert chunks(docs, limit) == chunks([whole], limit)


@given(documents(), st.integers(2, 12), st.integers(1, 11))
def test_overlapping_chunks_repeat_no_more_than_allowed(
    doc: Document, size: int, overlap: int
) -> None:
    limit = Limit(size, min(overlap, size - 1), words=True)
    starts, ends = doc.token_start.tolist(), doc.token_end.tolist()
    spans = [(starts.index(one.start), ends.index(one.end) + 1) for one in chunks([doc], limit)]
    assert spans[0][0] == 0
    assert spans[-1][1] == doc.n_tokens
    for (_, end), (start, further) in pairwise(spans):
        assert end - limit.overlap <= start <= end < further
        assert further - start <= size


def test_a_chunk_ends_at_a_sentence_else_a_clause_else_a_phrase() -> None:
    doc = next(iter(read(EXAMPLES / "harbour.conllu"))).cut(8, 34)
    assert [chunk.text for chunk in chunks([doc], Limit(70))] == [
        "Gulls argue over the night's catch, and somebody drops a crate.",
        "Mr. Okafor sells coffee from a van by the old pier.",
    ]
    assert [chunk.text for chunk in chunks([doc], Limit(40))] == [
        "Gulls argue over the night's catch,",
        "and somebody drops a crate.",
        "Mr. Okafor sells coffee from a van",
        "by the old pier.",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((10, 2), "not both"),
        ((None, None, 3), "needs a limit"),
        ((10, None, 10), "smaller"),
        ((0, None), "at least 1"),
    ],
)
def test_limits_are_checked(arguments: tuple[int | None, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Limit.of(*arguments)  # type: ignore[arg-type]
