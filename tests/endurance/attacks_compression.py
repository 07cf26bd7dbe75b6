"""Compression: uncached responses that must be compressed, odd Accept-Encoding values, and decompression bombs."""

import gzip
import http.client
import io
import random
import resource
import struct
import subprocess
import tempfile
import threading
import time
import zipfile
import zlib
from collections import Counter
from pathlib import Path

from attacking import Outcome, Target
from attacks_slow import LONG

CLIENTS = 32
# The maximum memory of a command, in MiB.
COMMAND_MEMORY_MIB_MAX = 300
BOMB_MIB = 1024

# Accept-Encoding values, and whether the response may be compressed with gzip.
WISHES = [
    "gzip" + ", gzip" * 2_000,
    "," * 15_000,
    ";" * 15_000,
    "gzip;" + "q=1;" * 3_000,
    "gzip;q=1e400",
    "gzip;q=-1",
    "gzip;q=NaN",
    "gzip;q=inf, br;q=inf",
    "br;q=0." + "0" * 10_000 + "1",
    "gzip;q=" + "9" * 10_000,
    "*;q=0",
    "*",
    "identity;q=0",
    "identity;q=0, *;q=0",
    "\tgzip\t;\tq=1\t",
    "gzip\x80\xff",
    "compress, deflate, zstd, dcb, dcz",
]


def ask(target: Target, method: str, path: str, body: bytes = b"", **fields: str) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=60, source_address=("127.0.0.2", 0))
    try:
        connection.request(method, path, body or None, {name.replace("_", "-"): value for name, value in fields.items()})
        reply = connection.getresponse()
        return reply, reply.read()
    finally:
        connection.close()


def ever_new(target: Target, seconds: float) -> Outcome:
    """Long uncached responses, compressed with Brotli and gzip in turns, by 32 clients of one peer."""
    outcome: Outcome = Counter()
    deadline = time.monotonic() + seconds

    def client(number: int) -> None:
        while time.monotonic() < deadline:
            path = LONG.format(key=target.key, number=f"compressed-{time.time_ns()}-{number}")
            reply, _ = ask(target, "GET", path, Accept_Encoding="br" if number % 2 else "gzip")
            outcome[str(reply.status)] += 1

    clients = [threading.Thread(target=client, args=[number]) for number in range(CLIENTS)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    if odd := set(outcome) - {"200", "503"}:
        raise AssertionError(f"uncached compressed responses have the statuses {', '.join(odd)}")
    return outcome


def odd_wishes(target: Target, seconds: float) -> Outcome:
    """The decompressed response is the same for any value of Accept-Encoding."""
    outcome: Outcome = Counter()
    path = f"/ghost/api/content/posts/?key={target.key}&limit=3"
    _, due = ask(target, "GET", path, Accept_Encoding="identity")
    chance = random.Random(1)
    deadline = time.monotonic() + seconds
    wishes = list(WISHES)
    while wishes or time.monotonic() < deadline:
        wish = wishes.pop() if wishes else "".join(chance.choices("gzipbr;q=0.1*, \t", k=chance.randint(0, 400))).strip()
        reply, body = ask(target, "GET", path, Accept_Encoding=wish)
        encoding = reply.getheader("Content-Encoding") or "nothing"
        outcome[f"compressed with {encoding}"] += 1
        if reply.status != 200:
            raise AssertionError(f"Accept-Encoding: {wish[:80]} gets {reply.status}")
        if encoding == "gzip" and gzip.decompress(body) != due or encoding == "nothing" and body != due:
            raise AssertionError(f"Accept-Encoding: {wish[:80]} gets another response")
    return outcome


def zeros(mebibytes: int) -> bytes:
    """Returns raw deflate data that expands to this number of MiB of zeros: the same mebibyte repeated."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    one = compressor.compress(bytes(1 << 20)) + compressor.flush(zlib.Z_FULL_FLUSH)
    return one * mebibytes + b"\3\0"


def archive(names: list[str], compressed: bytes, claimed: int, crc: int, shared: bool = False) -> bytes:
    """Returns a zip archive of files with the same content. If `shared`, the content is stored only once."""
    out, directory, offset = io.BytesIO(), io.BytesIO(), 0
    for number, name in enumerate(names):
        data = name.encode()
        fixed = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0x21, crc, len(compressed), claimed, len(data), 0)
        if number == 0 or not shared:
            offset = out.tell()
            out.write(b"PK\3\4" + fixed + data + compressed)
        directory.write(b"PK\1\2" + struct.pack("<H", 20) + fixed + struct.pack("<HHHII", 0, 0, 0, 0, offset) + data)
    end = struct.pack("<HHHHIIH", 0, 0, len(names), len(names), directory.tell(), out.tell(), 0)
    return out.getvalue() + directory.getvalue() + b"PK\5\6" + end


def bombs() -> dict[str, bytes]:
    compressed = zeros(BOMB_MIB)
    bomb_bytes = BOMB_MIB << 20
    nested = io.BytesIO()
    with zipfile.ZipFile(nested, "w") as outer:
        for number in range(20):
            outer.writestr(f"{number}.zip", compressed)
    return {
        "a gigabyte of zeros": archive(["package.json"], compressed, bomb_bytes, 0),
        "a gigabyte that claims to be ten bytes": archive(["package.json"], compressed, 10, 0),
        "a thousand names for one content": archive([f"{n}.hbs" for n in range(1000)], compressed, bomb_bytes, 0, shared=True),
        "archives in an archive": nested.getvalue(),
        "60,000 empty files": archive([f"{n}.hbs" for n in range(60_000)], b"\3\0", 0, 0),
        "paths outside of the folder": archive(["../../../../tmp/galley-was-here"], b"\3\0", 0, 0),
    }


def form(name: str, kind: str, content: bytes) -> tuple[bytes, str]:
    head = f'--limit\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: {kind}\r\n\r\n'
    return head.encode() + content + b"\r\n--limit--\r\n", "multipart/form-data; boundary=limit"


def image_bomb(wide: int, high: int) -> bytes:
    """Returns a PNG of one colour with more pixels than the server has memory for."""
    mebibytes = 64
    checksum = (mebibytes << 20) % 65_521 << 16 | 1
    rows = b"\x78\xda" + zeros(mebibytes) + struct.pack(">I", checksum)

    def piece(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + piece(b"IHDR", head) + piece(b"IDAT", rows) + piece(b"IEND", b"")


def uploads(target: Target, _seconds: float) -> Outcome:
    """Archives as themes, images and compressed bodies through the Admin API: all are refused."""
    outcome: Outcome = Counter()
    authority = f"Ghost {target.token}"
    sent = [("themes/upload/", name, "bomb.zip", "application/zip", content) for name, content in bombs().items()]
    for wide, high in [(60_000, 60_000), (65_535, 1_500), (2_000_000_000, 1), (9_000, 9_000)]:
        sent.append(("images/upload/", f"a photo of {wide} by {high}", "bomb.png", "image/png", image_bomb(wide, high)))
    for path, what, name, kind, content in sent:
        body, content_type = form(name, kind, content)
        reply, said = ask(target, "POST", f"/ghost/api/admin/{path}", body, Authorization=authority, Content_Type=content_type)
        outcome[str(reply.status)] += 1
        if reply.status // 100 != 4:
            raise AssertionError(f"{what} gets {reply.status}: {said[:200]!r}")
    compressed = gzip.compress(b'{"posts":[{"title":"' + b" " * (16 << 20) + b'"}]}')
    fields = {"Authorization": authority, "Content_Type": "application/json", "Content_Encoding": "gzip"}
    reply, said = ask(target, "POST", "/ghost/api/admin/posts/", compressed, **fields)
    outcome[str(reply.status)] += 1
    if reply.status // 100 != 4:
        raise AssertionError(f"a compressed body gets {reply.status}: {said[:200]!r}")
    return outcome


def imports(target: Target, _seconds: float) -> Outcome:
    """The same archives through `galley import`: each is refused, and takes little memory."""
    outcome: Outcome = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for what, content in bombs().items():
            path = Path(folder) / "bomb.zip"
            path.write_bytes(content)
            command = [target.program, "import", path, "--data", Path(folder) / "data", "--no-content"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            outcome["refused"] += 1
            if done.returncode == 0 or "panicked" in done.stderr or done.returncode < 0:
                raise AssertionError(f"{what} is imported, or ends the program with {done.returncode}: {done.stderr[:500]}")
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    if most > COMMAND_MEMORY_MIB_MAX:
        raise AssertionError(f"`galley import` of archives that are bombs takes {most} MiB")
    outcome["MiB at most"] = most
    return outcome


ATTACKS = {
    "uncached responses to be compressed": ever_new,
    "odd Accept-Encoding values": odd_wishes,
    "bombs as themes, images and bodies": uploads,
    "bombs in `galley import`": imports,
}
