"""The measured program, and the machine."""

import platform
import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
GALLEY = REPOSITORY / "target/dist/galley"


def processor() -> str:
    names = re.findall(r"model name\s+: (.*)", Path("/proc/cpuinfo").read_text())
    return f"{names[0] if names else platform.machine()}, {len(names)} cores"
