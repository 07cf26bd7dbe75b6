"""The cost of resized images. Takes about a minute; pip installs Pillow temporarily, for comparison."""

import concurrent.futures
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from machine import GALLEY

TOOLS: list[str] = []
# 12 megapixels.
WIDTH, HEIGHT = 4000, 3000
IMAGES = 9
AT_ONCE = 4
MEMORY_MB = 256
ADDRESS = "127.0.0.1:23691"

# An image that resembles a photograph for an encoder: large shapes, edges, and noise everywhere.
MAKE = """
import sys
from PIL import Image
folder, count, width, height = sys.argv[1], *map(int, sys.argv[2:])
for number in range(count):
    shapes = Image.effect_mandelbrot((width, height), (-2 + number / 10, -1.5, 1, 1.5), 60)
    noise = Image.effect_noise((width, height), 40)
    slope = Image.linear_gradient("L").resize((width, height))
    photo = Image.merge("RGB", (Image.blend(shapes, noise, 0.3), Image.blend(slope, noise, 0.3), noise))
    photo.save(f"{folder}/{number}.jpg", quality=88)
photo.save(f"{folder}/progressive.jpg", quality=88, progressive=True)
"""

# The same with Pillow: all pixels decoded, Lanczos, quality 80.
BESIDE = """
import io, statistics, sys, time
from PIL import Image
folder, count, width = sys.argv[1], *map(int, sys.argv[2:])
def seconds(work):
    before = time.monotonic()
    work()
    return time.monotonic() - before
def decode(number):
    Image.open(f"{folder}/{number}.jpg").load()
def resize(number):
    photo = Image.open(f"{folder}/{number}.jpg")
    photo.load()
    smaller = photo.resize((width, photo.height * width // photo.width), Image.Resampling.LANCZOS)
    smaller.save(io.BytesIO(), "jpeg", quality=80)
for work in (decode, resize):
    print(statistics.median(seconds(lambda: work(number)) for number in range(count)))
"""


def measure() -> None:
    """Prints the time of one photo and the memory of several concurrent ones."""
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as name:
        folder = Path(name)
        python = python_with_pillow(folder)
        images = folder / "data/images"
        images.mkdir(parents=True)
        subprocess.run([python, "-c", MAKE, images, str(IMAGES), str(WIDTH), str(HEIGHT)], check=True)
        size = sum(file.stat().st_size for file in images.iterdir()) / (IMAGES + 1) / 1e6
        print(f"| a JPEG of {WIDTH} by {HEIGHT} points, {size:.1f} MB | Pillow | Galley | Galley to Pillow |")
        print("| --- | ---: | ---: | ---: |")
        decoded, *_ = beside(python, images, 600)
        print(f"| decoding alone, ms | {1000 * decoded:.0f} | | |")
        for width in (600, 2000):
            _, theirs = beside(python, images, width)
            ours = seconds_each(folder, f"w{width}")
            print(f"| to {width} points, ms | {1000 * theirs:.0f} | {1000 * ours:.0f} | {ours / theirs:.2f} |")
        print(f"| to 600 points as WebP, ms | | {1000 * seconds_each(folder, 'w600/format/webp'):.0f} | |")
        print()
        print("| memory at most, MiB | at rest | while working | more |")
        print("| --- | ---: | ---: | ---: |")
        for about, names, at_once in (
            ("one photo", ["0"], 1),
            ("one in several passes", ["progressive"], 1),
            (f"{AT_ONCE} at once, {MEMORY_MB} MiB allowed", [str(n) for n in range(IMAGES - 1)], AT_ONCE),
        ):
            rest, most = memory(folder, names, at_once)
            print(f"| {about} | {rest:.0f} | {most:.0f} | {most - rest:.0f} |")


def python_with_pillow(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", folder / "python"], check=True)
    python = folder / "python/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "pillow"], check=True)
    return python


def beside(python: Path, images: Path, width: int) -> list[float]:
    command = [python, "-c", BESIDE, images, str(IMAGES), str(width)]
    return [float(line) for line in subprocess.check_output(command, text=True).split()]


class Serving:
    """Starts a server of the images, without resized copies of earlier runs."""

    def __init__(self, folder: Path) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GALLEY_")}
        environment["GALLEY_IMAGES_MEMORY_MB"] = str(MEMORY_MB)
        subprocess.run(["rm", "-rf", folder / "data/images/size"], check=True)
        command = [GALLEY, "serve", "--data", folder / "data", "--listen", ADDRESS]
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def __enter__(self) -> "Serving":
        for _ in range(500):
            try:
                urllib.request.urlopen(f"http://{ADDRESS}/healthz").read()
                return self
            except OSError:
                time.sleep(0.02)
        sys.exit("galley does not start")

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()

    def seconds(self, variant: str, name: str) -> float:
        before = time.monotonic()
        reply = urllib.request.urlopen(f"http://{ADDRESS}/content/images/size/{variant}/{name}.jpg")
        reply.read()
        if "/size/" not in reply.url:
            sys.exit(f"{variant}/{name}.jpg was not made")
        return time.monotonic() - before

    def mib(self, field: str) -> float:
        """Returns `VmRSS` or `VmHWM` in MiB."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) / 1024
        sys.exit(f"there is no {field}")


def seconds_each(folder: Path, variant: str) -> float:
    with Serving(folder) as galley:
        return statistics.median(galley.seconds(variant, str(number)) for number in range(IMAGES))


def memory(folder: Path, names: list[str], at_once: int) -> tuple[float, float]:
    with Serving(folder) as galley:
        rest = galley.mib("VmRSS")
        with concurrent.futures.ThreadPoolExecutor(at_once) as clients:
            list(clients.map(lambda name: galley.seconds("w600", name), names))
        return rest, galley.mib("VmHWM")
