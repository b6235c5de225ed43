"""Inflating the arrays of model files: the same bytes as zlib, and damaged streams are refused."""

from __future__ import annotations

import io
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura._core import DamagedModel, Inflater

#: Bytes of every kind of block and match: random ones, many of a kind, and repeats near and far.
contents = st.lists(
    st.one_of(
        st.binary(max_size=300),
        st.tuples(st.binary(min_size=1, max_size=9), st.integers(1, 40_000)).map(
            lambda x: x[0] * x[1]
        ),
        st.tuples(st.integers(0, 2**32), st.integers(1, 90), st.integers(1, 200_000)).map(
            lambda x: np.random.default_rng(x[0]).normal(0, x[1], x[2]).astype(np.int8).tobytes()
        ),
    ),
    max_size=6,
)
strategies = st.sampled_from(
    [zlib.Z_DEFAULT_STRATEGY, zlib.Z_FIXED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE]
)


def deflated(blocks: list[bytes], level: int, strategy: int) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, -15, 9, strategy)
    parts = [packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH) for block in blocks]
    return b"".join([*parts, packer.flush()])


def inflated(stream: bytes, piece: int = 1 << 20, more: bytes = b"") -> bytes:
    inflater = Inflater(io.BytesIO(stream + more), len(stream))
    room = np.zeros(piece, np.uint8)
    found = b""
    while (read := inflater.readinto(room)) == piece:
        found += room.tobytes()
    assert inflater.readinto(room[read:]) == 0
    return found + room[:read].tobytes()


@given(contents, st.integers(0, 9), strategies, st.sampled_from([1000, 65_537, 1 << 20]))
@settings(max_examples=60, deadline=None)
def test_the_bytes_are_those_of_zlib(
    blocks: list[bytes], level: int, strategy: int, piece: int
) -> None:
    stream = deflated(blocks, level, strategy)
    assert inflated(stream, piece, more=b"the next entry") == b"".join(blocks)


@given(contents, st.integers(0, 9), strategies, st.data())
@settings(max_examples=100, deadline=None)
def test_damaged_streams_are_refused_or_give_what_zlib_gives(
    blocks: list[bytes], level: int, strategy: int, data: st.DataObject
) -> None:
    stream = bytearray(deflated(blocks, level, strategy))
    for _ in range(data.draw(st.integers(1, 3))):
        stream[data.draw(st.integers(0, len(stream) - 1))] = data.draw(st.integers(0, 255))
    try:
        want = zlib.decompressobj(-15).decompress(bytes(stream))
    except zlib.error:
        want = None
    try:
        found = inflated(bytes(stream))
    except DamagedModel:
        return
    assert want is None or found == want


def test_a_stream_that_is_cut_short_is_refused() -> None:
    stream = deflated([np.arange(5000, dtype=np.uint16).tobytes()], 9, zlib.Z_DEFAULT_STRATEGY)
    for size in {0, 1, 10, len(stream) // 2, len(stream) - 6}:
        with pytest.raises(DamagedModel, match="cannot be unpacked"):
            inflated(stream[:size])


@pytest.mark.parametrize(
    "stream",
    [
        b"\x07",  # a kind of block that there is not
        b"\x01\x05\x00\x00\x00hello",  # a length that does not match its complement
        b"\x03\x02\x00",  # a match before the first byte
        b"\x05" + b"\xff" * 80,  # code lengths that no code can have
    ],
)
def test_what_is_no_stream_is_refused(stream: bytes) -> None:
    with pytest.raises(DamagedModel, match="cannot be unpacked"):
        inflated(stream + bytes(100))
