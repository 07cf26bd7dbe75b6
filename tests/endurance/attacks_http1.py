"""Requests of HTTP/1.1 that are too long, too many, or ambiguous."""

import random
import socket
import time
from collections import Counter

from attacking import Outcome, Target, connect, get, read_to_end, status_of

# The maximum number of sent and unprocessed bytes in the server and in the buffers of both ends of a connection.
UNREAD_BYTES_MAX = 16 << 20
PATH = "/ghost/api/admin/session/"
POST = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\n".encode()
CHUNKED = POST + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"


def repeat(target: Target, seconds: float, once) -> Outcome:
    """Repeats `once`, each time from another peer, and counts the results."""
    outcome: Outcome = Counter()
    deadline = time.monotonic() + seconds
    number = 0
    while time.monotonic() < deadline:
        with connect(target, number) as connection:
            outcome[once(connection)] += 1
        number += 1
    return outcome


def only(outcome: Outcome, *statuses: str) -> Outcome:
    if odd := set(outcome) - set(statuses):
        raise AssertionError(f"{', '.join(sorted(odd))} is the response instead of {' or '.join(statuses)}: {dict(outcome)}")
    return outcome


def pour(connection: socket.socket, begin: bytes, more: bytes, bytes_max: int) -> str:
    """Sends endless data until the server responds or closes; returns the status."""
    sent = 0
    try:
        connection.sendall(begin)
        while sent < bytes_max:
            connection.sendall(more)
            sent += len(more)
    except TimeoutError:
        raise AssertionError(f"after {sent:,} bytes the server neither reads nor closes") from None
    except OSError:
        pass
    heard, closed = read_to_end(connection, 10)
    if not closed:
        raise AssertionError(f"{bytes_max:,} bytes of an endless request are accepted, and the connection stays open")
    return status_of(heard)


def endless_chunks(target: Target, seconds: float) -> Outcome:
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    return only(repeat(target, seconds, lambda to: pour(to, CHUNKED, chunk, 256 << 20)), "413", "closed")


def chunks_of_a_byte(target: Target, seconds: float) -> Outcome:
    return only(repeat(target, seconds, lambda to: pour(to, CHUNKED, b"1\r\n \r\n" * 10_000, 256 << 20)), "413", "closed")


def endless_extension(target: Target, seconds: float) -> Outcome:
    return only(repeat(target, seconds, lambda to: pour(to, CHUNKED + b"1;", b"x" * 65536, 256 << 20)), "400", "closed")


def endless_trailers(target: Target, seconds: float) -> Outcome:
    return only(repeat(target, seconds, lambda to: pour(to, CHUNKED + b"0\r\n", b"X-Trailer: x\r\n" * 4096, 256 << 20)), "400", "closed")


def endless_header(target: Target, seconds: float) -> Outcome:
    head = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: "
    return only(repeat(target, seconds, lambda to: pour(to, head, b"x" * 65536, 256 << 20)), "431", "closed")


def endless_fields(target: Target, seconds: float) -> Outcome:
    head = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
    return only(repeat(target, seconds, lambda to: pour(to, head, b"X-F: x\r\n" * 8192, 256 << 20)), "431", "closed")


def long_addresses(target: Target, seconds: float) -> Outcome:
    request = get("/ghost/api/content/posts/?filter=" + "x" * (1 << 20))
    return only(repeat(target, seconds, lambda to: pour(to, request, b"\r\n", 1)), "414", "431", "closed")


def pipelining(target: Target, seconds: float) -> Outcome:
    """Sends thousands of pipelined requests and reads their responses, which must arrive in order and completely."""
    outcome: Outcome = Counter()
    post = get(f"/ghost/api/content/posts/slug/post-7/?key={target.key}")
    requests = (get("/healthz") + post) * 500
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with connect(target, outcome["connections"]) as connection:
            connection.setblocking(True)
            connection.settimeout(0.0)
            sent, heard = 0, bytearray()
            while heard.count(b"HTTP/1.1 200") < 1000:
                try:
                    sent += connection.send(requests[sent:]) if sent < len(requests) else 0
                except BlockingIOError:
                    pass
                try:
                    piece = connection.recv(1 << 20)
                    if not piece:
                        raise AssertionError("a connection with pipelined requests is closed before all responses")
                    heard += piece
                except BlockingIOError:
                    time.sleep(0.001)
                if time.monotonic() > deadline + 30:
                    raise AssertionError("not all pipelined requests get a response")
            outcome["connections"] += 1
            outcome["responses"] += 1000
    return outcome


def pipelining_unread(target: Target, seconds: float) -> Outcome:
    """Sends endless requests without reading their responses: the server must stop reading, too."""
    before = target.open_files()
    outcome: Outcome = Counter()
    requests = get(f"/ghost/api/content/posts/?key={target.key}&limit=15&include=tags,authors") * 1000
    connections = [connect(target, peer) for peer in range(64)]
    sent = Counter()
    for connection in connections:
        connection.setblocking(False)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for connection in connections:
            try:
                sent[connection] += connection.send(requests)
            except BlockingIOError:
                time.sleep(0.001)
            except OSError:
                outcome["closed"] += 1
    most = max(sent.values())
    if most > UNREAD_BYTES_MAX:
        raise AssertionError(f"{most:,} bytes of requests are accepted from a client that reads no responses")
    target.wait_until_left(before, target.write_s + 10)
    return Counter(connections=len(connections), KiB_taken_at_most=most // 1024)


SMUGGLED = b"GET /healthz?smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
CHUNK = b"0\r\n\r\n"


def shape(*fields: str, body: bytes = CHUNK + SMUGGLED, line: str = f"POST {PATH} HTTP/1.1", end: bytes = b"\r\n") -> bytes:
    lines = [line, "Host: localhost", *fields]
    return end.join(text.encode("latin-1") for text in lines) + end + end + body


# Requests that two programs may parse differently, each followed by a smuggled request. The server must refuse them, or respond
# once and close.
SHAPES = {
    "length and chunks": shape("Content-Length: 5", "Transfer-Encoding: chunked"),
    "chunks and length": shape("Transfer-Encoding: chunked", "Content-Length: 5"),
    "length over chunks": shape("Content-Length: 60", "Transfer-Encoding: chunked"),
    "two lengths": shape("Content-Length: 5", "Content-Length: 6"),
    "two lengths in one": shape("Content-Length: 5, 6"),
    "length with a sign": shape("Content-Length: +5"),
    "negative length": shape("Content-Length: -5"),
    "length in hex": shape("Content-Length: 0x5"),
    "length with words": shape("Content-Length: 5 bytes"),
    "length beyond 64 bits": shape("Content-Length: 18446744073709551621"),
    "empty length": shape("Content-Length: "),
    "chunked twice": shape("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
    "chunked, then identity": shape("Transfer-Encoding: chunked, identity"),
    "not quite chunked": shape("Transfer-Encoding: xchunked"),
    "chunked with a tab before": shape("Transfer-Encoding: \x0bchunked"),
    "chunked in quotes": shape('Transfer-Encoding: "chunked"'),
    "chunked in HTTP/1.0": shape("Transfer-Encoding: chunked", line=f"POST {PATH} HTTP/1.0"),
    "space before the colon": shape("Transfer-Encoding : chunked"),
    "space before the colon of a length": shape("Content-Length : 5"),
    "a field on two lines": shape("X-Folded: a", " Transfer-Encoding: chunked"),
    "a length on two lines": shape("Content-Length:", " 5"),
    "the first field begins with a space": shape(line=f"POST {PATH} HTTP/1.1\r\n Content-Length: 5"),
    "NUL in a field": shape("X-Nul: a\0b", "Content-Length: 5"),
    "a bare CR in a field": shape("X-Bare: a\rContent-Length: 0", "Content-Length: 5"),
    "a bare CR before chunked": shape("X-Bare: a\rTransfer-Encoding: chunked"),
    "a field without a colon": shape("Content-Length 5"),
    "a chunk with a sign": shape("Transfer-Encoding: chunked", body=b"+5\r\nabcde\r\n" + CHUNK + SMUGGLED),
    "a negative chunk": shape("Transfer-Encoding: chunked", body=b"-5\r\nabcde\r\n" + CHUNK + SMUGGLED),
    "a chunk with 0x": shape("Transfer-Encoding: chunked", body=b"0x5\r\nabcde\r\n" + CHUNK + SMUGGLED),
    "a chunk beyond 64 bits": shape("Transfer-Encoding: chunked", body=b"10000000000000005\r\nabcde\r\n" + CHUNK + SMUGGLED),
    "a chunk that continues": shape("Transfer-Encoding: chunked", body=b"5\r\nabcdefgh\r\n" + CHUNK + SMUGGLED),
    "a chunk that ends with LF": shape("Transfer-Encoding: chunked", body=b"5\nabcde\r\n" + CHUNK + SMUGGLED),
    "a chunk that ends with CR": shape("Transfer-Encoding: chunked", body=b"5\rXabcde\r\n" + CHUNK + SMUGGLED),
    "an extension with LF": shape("Transfer-Encoding: chunked", body=b"5;a\nabcde\r\n" + CHUNK + SMUGGLED),
    "two hosts": shape("Host: elsewhere", "Content-Length: 5"),
    "two methods": shape("Content-Length: 5", line=f"POST POST {PATH} HTTP/1.1"),
    "no version": shape("Content-Length: 5", line=f"POST {PATH}"),
    "HTTP/1.2": shape("Content-Length: 5", line=f"POST {PATH} HTTP/1.2"),
    "HTTP/2.0": shape("Content-Length: 5", line=f"POST {PATH} HTTP/2.0"),
    "a space in the address": shape("Content-Length: 5", line="GET /a b HTTP/1.1"),
    "a get with length and chunks": shape("Content-Length: 5", "Transfer-Encoding: chunked", line="GET /healthz HTTP/1.1"),
}

# Requests that are unusual but unambiguous, and the number of their responses.
PLAIN = {
    "one length": (shape("Content-Length: 5"), 2),
    "lines that end with LF": (shape("Content-Length: 5", end=b"\n"), 2),
    "the same length twice": (shape("Content-Length: 5", "Content-Length: 5"), 2),
    "chunks": (shape("Transfer-Encoding: chunked"), 2),
    "empty lines before": (b"\r\n\r\n" + shape("Content-Length: 5"), 2),
}


def smuggling(target: Target, seconds: float) -> Outcome:
    """Sends every shape once, and then all of them split at random until the time is over."""
    outcome: Outcome = Counter()
    wrong = []
    for name, request in SHAPES.items():
        statuses, closed = hear(target, [request])
        outcome[" ".join(statuses) or "closed"] += 1
        if len(statuses) > 1:
            wrong.append(f"{name}: {' '.join(statuses)}")
        elif not closed:
            wrong.append(f"{name}: {' '.join(statuses)}, and stays open")
    for name, (request, responses) in PLAIN.items():
        statuses, _ = hear(target, [request])
        if len(statuses) not in (responses, 1) or statuses[0] == "400" and len(statuses) > 1:
            wrong.append(f"{name}: {' '.join(statuses)}")
    chance = random.Random(0)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not wrong:
        name = chance.choice(list(SHAPES))
        statuses, _ = hear(target, cut(chance, SHAPES[name]))
        outcome["in pieces"] += 1
        if len(statuses) > 1:
            wrong.append(f"{name}, in pieces: {' '.join(statuses)}")
    if wrong:
        raise AssertionError("hidden requests get responses: " + "; ".join(wrong))
    return outcome


def cut(chance: random.Random, request: bytes) -> list[bytes]:
    cuts = [0, *sorted(chance.sample(range(1, len(request)), 3)), len(request)]
    return [request[begin:end] for begin, end in zip(cuts, cuts[1:])]


def hear(target: Target, pieces: list[bytes]) -> tuple[list[str], bool]:
    """Returns the statuses of all responses, and whether the connection is closed afterwards."""
    with connect(target) as connection:
        try:
            for piece in pieces:
                connection.sendall(piece)
                if len(pieces) > 1:
                    time.sleep(0.002)
        except OSError:
            pass
        heard, closed = read_to_end(connection, 0.5)
        lines = [line for line in heard.split(b"\r\n") if line.startswith(b"HTTP/1.") or b"}HTTP/1." in line]
        return [line.rpartition(b"HTTP/1.")[2][2:5].decode() for line in lines], closed


ATTACKS = {
    "endless bodies in chunks": endless_chunks,
    "endless bodies in chunks of a byte": chunks_of_a_byte,
    "a chunk's extension without end": endless_extension,
    "trailers without end": endless_trailers,
    "a header field without end": endless_header,
    "header fields without end": endless_fields,
    "addresses of 1 MB": long_addresses,
    "a thousand requests at once": pipelining,
    "requests without end, responses unread": pipelining_unread,
    "requests hidden behind others": smuggling,
}
