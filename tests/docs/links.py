"""Checks that links of pages resolve, and that paths of the repository in pages exist."""

import posixpath
import re
from pathlib import Path

import document
from document import Section, Sentence
from reading import TABLE, Report

OUTSIDE = re.compile(r"[a-z]+:")
PATH = re.compile(r"(src|tests|schema|examples|content|docs)(/[\w.-]+)+/?")


def check(pages: list[str], repository: Path, report: Report) -> None:
    read = {page: document.read(repository, page) for page in pages}
    anchors = {page: anchors_of(sections) for page, sections in read.items()}
    for page, sections in read.items():
        for sentence in (sentence for section in sections for sentence in section.sentences):
            for link in sentence.links:
                if reason := refusal(page, link, anchors, repository):
                    report.problem(sentence.place, f"{reason}: {link}")
            if page not in TABLE["names_paths_of_other_projects"]:
                check_paths(sentence, repository, report)


def refusal(page: str, link: str, anchors: dict[str, set[str]], repository: Path) -> str:
    """Returns the reason why a link does not resolve; empty if it does."""
    path, _, anchor = link.partition("#")
    if OUTSIDE.match(link):
        known = link.startswith(tuple(TABLE["outside"]))
        return "" if known else "external link, which cannot be checked"
    target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
    if target.startswith("..") or not (repository / target).exists():
        return "link target not found"
    if anchor and anchor not in anchors.get(target, set()):
        return "no heading has this anchor"
    return ""


def anchors_of(sections: list[Section]) -> set[str]:
    """Returns the anchors. The second of two headings with the same text gets the suffix `-1`."""
    found: dict[str, int] = {}
    anchors = set()
    for section in sections:
        count = found.get(section.anchor, 0)
        found[section.anchor] = count + 1
        anchors.add(f"{section.anchor}-{count}" if count else section.anchor)
    return anchors


def check_paths(sentence: Sentence, repository: Path, report: Report) -> None:
    for span in sentence.spans:
        if PATH.fullmatch(span) and not exists(repository, span):
            report.problem(sentence.place, f"there is no {span}")


def exists(repository: Path, path: str) -> bool:
    """Returns whether a path exists. A module may be named without its extension."""
    return (repository / path).exists() or (repository / f"{path}.rs").exists()
