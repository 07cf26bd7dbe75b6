"""HTTP/2 frames (RFC 9113) and header blocks (RFC 7541), encoded here because no library sends the frames of attackers."""

import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS = 0x1, 0x1, 0x4
HEADER_TABLE_SIZE, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE = 1, 3, 4
CANCEL = 8
ENHANCE_YOUR_CALM = 11
FRAME_HEAD_BYTES = 9
FRAME_BYTES_MAX = 16_384


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def settings(**values: int) -> bytes:
    numbers = {"header_table_size": HEADER_TABLE_SIZE, "initial_window_size": INITIAL_WINDOW_SIZE}
    return frame(SETTINGS, 0, 0, b"".join(struct.pack(">HI", numbers[name], value) for name, value in values.items()))


def reset(stream: int, code: int = CANCEL) -> bytes:
    return frame(RST_STREAM, 0, stream, struct.pack(">I", code))


def window(stream: int, bytes_more: int) -> bytes:
    return frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", bytes_more))


def integer(value: int, prefix_bits: int, first: int) -> bytes:
    """Encodes an integer with a prefix of this number of bits in its first byte."""
    most = (1 << prefix_bits) - 1
    if value < most:
        return bytes([first | value])
    out = [first | most]
    value -= most
    while value >= 128:
        out.append(value % 128 | 128)
        value //= 128
    return bytes([*out, value])


def string(text: bytes) -> bytes:
    return integer(len(text), 7, 0) + text


def field(name: str, value: str) -> bytes:
    """Encodes a field without indexing."""
    return b"\0" + string(name.encode()) + string(value.encode())


def remembered(name: str, value: str) -> bytes:
    """Encodes a field that is added to the dynamic table, where its index is 62."""
    return b"\x40" + string(name.encode()) + string(value.encode())


def asks(path: str, method: str = "GET", *more: bytes) -> bytes:
    """Returns the header block of a request."""
    verb = b"\x82" if method == "GET" else b"\x02" + string(method.encode())
    return verb + b"\x86" + b"\x04" + string(path.encode()) + b"\x01" + string(b"localhost") + b"".join(more)


def request(stream: int, path: str, *more: bytes) -> bytes:
    return frame(HEADERS, END_HEADERS | END_STREAM, stream, asks(path, "GET", *more))


def frames_in(heard: bytes) -> list[tuple[int, int, int, bytes]]:
    """Returns the type, flags, stream and payload of every complete frame."""
    found = []
    place = 0
    while place + FRAME_HEAD_BYTES <= len(heard):
        length = int.from_bytes(heard[place : place + 3])
        kind, flags, stream = struct.unpack(">BBI", heard[place + 3 : place + FRAME_HEAD_BYTES])
        place += FRAME_HEAD_BYTES
        if place + length > len(heard):
            break
        found.append((kind, flags, stream & 0x7FFFFFFF, heard[place : place + length]))
        place += length
    return found


def end_in(heard: bytes) -> str:
    """Returns how the server closed the connection: the code of its GOAWAY frame, or `closed`."""
    ends = [int.from_bytes(payload[4:8]) for kind, _, _, payload in frames_in(heard) if kind == GOAWAY]
    return f"GOAWAY {ends[-1]}" if ends else "closed"
