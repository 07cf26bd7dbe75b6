"""A small machine: 10,000 posts, readers at full speed, writers, changing files and large images in 256 MiB, without a killed
process.

All limits have their defaults. The start, which reads all posts, must stay within the memory limit, too.
"""

import tempfile
import time
import zlib
from pathlib import Path

from memory_limit import MemoryLimit
from part import Broken, Form
from processes import memory_mib, memory_most_mib
from running import Running
from soak_load import Changer, FullSpeedReaders, Load, Reader, Worker, Writer, png

TOOLS = ["wrk"]
LIMIT_MIB = 256
POSTS = 10_000
# The duration of the load, in the short and the long form, in seconds.
SECONDS = (60, 600)
WRITERS = 2
# Images of 12 megapixels, like those of cameras, and the number of clients that concurrently request resized copies.
WIDTH, HEIGHT = 4000, 3000
IMAGE_CLIENTS = 4


def endure(form: Form) -> None:
    with tempfile.TemporaryDirectory(prefix="galley-endurance-") as folder, MemoryLimit(LIMIT_MIB) as limit:
        running = Running(Path(folder), POSTS, before=limit.run)
        (running.content / "images").mkdir()
        with running:
            pid = running.process.pid
            start, start_most = memory_mib(pid), memory_most_mib(pid)
            load = Load(running, seed=25)
            seconds = form.choose(*SECONDS)
            workers = [FullSpeedReaders(load, POSTS, seconds), Reader(load), Changer(load)]
            workers += [Writer(load, number) for number in range(WRITERS)]
            workers += [LargeImages(load, number) for number in range(IMAGE_CLIENTS)]
            for worker in workers:
                worker.start()
            load.stop.wait(seconds)
            load.stop.set()
            for worker in workers:
                worker.join()
            most = memory_most_mib(pid)
            if load.broken or limit.kills():
                raise Broken("\n".join([f"{limit.kills()} processes were killed", *load.broken, running.last_words()]))
            if most > LIMIT_MIB:
                raise Broken(f"the server takes {most:.0f} MiB")
    held = "enforced by the system" if limit.run else "only observed, since limiting is not permitted"
    print(f"memory of {LIMIT_MIB} MiB, {held}: {POSTS:,} posts, {start:.0f} MiB after the start ({start_most:.0f} in it), {most:.0f} at most")
    done = ", ".join(f"{load.done[what]:,} {what}" for what in ("reads at full speed", "large images resized", "large images responded with 503", "files written"))
    print(f"in {seconds} s: {done}, {load.done['posts added'] + load.done['posts edited']:,} posts saved")


class LargeImages(Worker):
    """Puts a large photo into the content folder, requests it in three sizes, and removes it."""

    INTERVAL_S = 0

    def __init__(self, load: Load, number: int):
        super().__init__(load, number)
        self.folder = load.running.content / "images"
        self.name = f"large-{number}"
        self.count = 0

    def work(self) -> None:
        self.count += 1
        photo = self.folder / f"{self.name}-{self.count}.png"
        write_image(photo, self.chance.randrange(256))
        for width in (600, 1000, 1600):
            status, _, _ = self.ask("GET", f"/content/images/size/w{width}/format/webp/{photo.name}")
            # 503 means that other requests use the memory for it.
            if status not in (200, 503):
                raise RuntimeError(f"{photo.name} of width {width} gets {status}")
            self.load.done["large images resized" if status == 200 else "large images responded with 503"] += 1
        photo.unlink()


def write_image(path: Path, shade: int) -> None:
    """Atomically writes a PNG of stripes, which differ by their shade."""
    squeeze = zlib.compressobj(1)
    rows = [squeeze.compress(b"\0" + bytes([shade, row % 256, row // 12]) * WIDTH) for row in range(HEIGHT)]
    beside = path.with_suffix(f".{time.time_ns()}.part")
    beside.write_bytes(png(WIDTH, HEIGHT, b"".join(rows) + squeeze.flush()))
    beside.rename(path)
