"""Comparison of the output of a command with the page."""

import json
import re

DIFFERS_ALWAYS = {
    "UUID": r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b",
    "SECRET": r"\b[0-9a-f]{64}\b",
    "KEY": r"\b[0-9a-f]{26}\b",
    "IDENTIFIER": r"\b[0-9a-f]{24}\b",
    "PASSWORD": r"(?<=Password  )\S+",
}
"""Output that differs each time, in any command. sections.toml contains the patterns for single sections."""

LEFT_OUT = "…"
"""The mark for omitted output in a page: the rest of a line, or any number of lines."""


class Comparison:
    """Compares texts after masking the expected differences in both."""

    def __init__(self, differs: list[str]):
        patterns = [*DIFFERS_ALWAYS.items(), *(("DIFFERS", pattern) for pattern in differs)]
        self.masks = [(re.compile(pattern), name) for name, pattern in patterns]

    def masked(self, text: str) -> str:
        for pattern, name in self.masks:
            text = pattern.sub(name, text)
        return "".join(line.rstrip() + "\n" for line in text.strip("\n").splitlines())

    def holds(self, language: str, shown: str, came: str) -> bool:
        """Returns whether the output `came` is equal to `shown`: line by line, or value by value for JSON."""
        if language == "json":
            shown, came = spread(shown), spread(came)
        return bool(self.expected(shown).fullmatch(self.masked(came)))

    def expected(self, shown: str) -> re.Pattern[str]:
        lines = self.masked(shown).splitlines()
        return re.compile("".join(r"(.*\n)*?" if line.strip() == LEFT_OUT else expected_line(line) for line in lines))


def expected_line(line: str) -> str:
    return ".*".join(map(re.escape, line.split(LEFT_OUT))) + r"\n"


def spread(text: str) -> str:
    """Returns JSON with one value per line, in order. Text that is not JSON is returned unchanged."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except ValueError:
        return text
