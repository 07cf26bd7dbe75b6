"""The environment of a reader: a clone of the repository, a home folder, the program on the path, and prerequisites."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from terminal import Terminal, stop_all

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
PROGRAM = Path(os.environ.get("GALLEY_PROGRAM", REPOSITORY / "target/release/galley")).resolve()


class Workshop:
    """The shared parts of all scenes, in a temporary folder: a repository of the files that git tracks."""

    def __enter__(self) -> "Workshop":
        self.top = Path(tempfile.mkdtemp(prefix="galley-docs-"))
        self.clone = self.top / "galley"
        self.registry = ask("npm", "config", "get", "registry", "--silent")
        self.npm_cache = ask("npm", "config", "get", "cache", "--silent")
        for name in filter(None, ask("git", "-C", REPOSITORY, "ls-files", "-z").split("\0")):
            copy(REPOSITORY / name, self.clone / name)
        self.git("init", "--quiet", "--initial-branch", "main")
        self.git("add", "--force", ".")
        self.git("commit", "--quiet", "--message", "As it is")
        self.git("tag", "as-it-is")
        return self

    def clean(self) -> None:
        """Resets the clone to its initial state."""
        self.git("reset", "--quiet", "--hard", "as-it-is")
        self.git("clean", "--quiet", "--force", "-dx")

    def git(self, *arguments: str) -> None:
        author = ["-c", "user.name=Reader", "-c", "user.email=reader@localhost"]
        subprocess.run(["git", "-C", self.clone, *author, *arguments], check=True)

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.top)


class Scene:
    """The scene of a reader who starts again. `taken` is the entry of the section in sections.toml."""

    def __init__(self, workshop: Workshop, taken: dict):
        self.top = Path(tempfile.mkdtemp(prefix="scene-", dir=workshop.top))
        self.home, self.temporary, scratch = self.top / "home", self.top / "temporary", self.top / "terminal"
        for folder in (self.home, self.temporary, scratch):
            folder.mkdir()
        if taken.get("folder") == "empty":
            self.folder = self.top / "empty"
            self.folder.mkdir()
        else:
            self.folder = workshop.clone
            workshop.clean()
        self.terminal = Terminal(self.folder, self.environment(workshop), scratch)

    def environment(self, workshop: Workshop) -> dict[str, str]:
        """Returns the environment of a user without settings. The home folder identifies the processes of the test."""
        preserved = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TERM", "SSL_CERT_FILE") if name in os.environ}
        return preserved | {
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "PATH": f"{HERE / 'path'}:{os.environ['PATH']}:{self.home}/.cargo/bin",
            "PROGRAM": str(PROGRAM),
            "FIXTURES": str(HERE.parents[1] / "examples/files"),
            "npm_config_registry": workshop.registry,
            "npm_config_cache": workshop.npm_cache,
            "npm_config_update_notifier": "false",
            "npm_config_prefer_offline": "true",
            "npm_config_audit": "false",
            "no_proxy": "127.0.0.1,localhost",
        }

    def leave(self) -> None:
        """Stops all processes that were started here, and deletes the folder."""
        stop_all(f"HOME={self.home}")
        self.terminal.close()
        shutil.rmtree(self.top)


def copy(source: Path, target: Path) -> None:
    """Copies a file as it is in the working copy, if it still exists."""
    if os.path.lexists(source):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target, follow_symlinks=False)


def ask(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
