"""Links of README lead to something, and so do the paths that it names."""

import re
from pathlib import Path

from document import Section
from reading import Report

OUTSIDE = re.compile(r"[a-z]+:")
PATH = re.compile(r"(src|tests|schema|examples|content)(/[\w.-]+)+/?")


def check(sections: list[Section], repository: Path, report: Report) -> None:
    anchors = {section.anchor for section in sections}
    for sentence in (sentence for section in sections for sentence in section.sentences):
        for link in sentence.links:
            path, _, anchor = link.partition("#")
            if OUTSIDE.match(link):
                report.problem(sentence.line, f"leads out of the repository, where nothing can be looked up: {link}")
            elif path and not (repository / path).exists():
                report.problem(sentence.line, f"leads nowhere: {link}")
            elif anchor and not path and anchor not in anchors:
                report.problem(sentence.line, f"no heading has this anchor: {link}")
        for span in sentence.spans:
            if PATH.fullmatch(span) and not (repository / span).exists():
                report.problem(sentence.line, f"there is no {span}")
