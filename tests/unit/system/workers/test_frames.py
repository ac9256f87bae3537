"""Messages arrive as they were sent, however the pipe cuts them."""

from __future__ import annotations

import pytest

from quire.system.workers.frames import MAX_DATA, BrokenFrame, Frame, FrameReader, encoded

SENT = [Frame(b"E", {"kind": "progress", "payload": {"text": "Übung"}}), Frame(b"A", {}, bytes(range(256)) * 40)]


@pytest.mark.parametrize("size", [1, 7, 13, 14, 1000, 1 << 20])
def test_messages_arrive_whole_in_pieces_of_any_size(size):
    raw = b"".join(piece for frame in SENT for piece in encoded(*frame))
    reader, arrived = FrameReader(), []
    for start in range(0, len(raw), size):
        reader.feed(raw[start : start + size])
        while (frame := reader.next()) is not None:
            arrived.append(frame)
    assert arrived == SENT


def test_a_vast_message_is_refused_before_it_arrives():
    reader = FrameReader()
    reader.feed(b"A" + (2).to_bytes(4, "big") + (MAX_DATA + 1).to_bytes(8, "big"))
    with pytest.raises(BrokenFrame, match="bytes"):
        reader.next()


@pytest.mark.parametrize("header", [{"confidence": float("nan")}, {"confidence": float("inf")}])
def test_what_is_not_json_is_not_sent(header):
    with pytest.raises(ValueError, match="JSON"):
        encoded(b"A", header)
