"""Articles in the format of Ghost's editor, for benchmarks: a number yields the same article on every machine.

Text with links and formats, headings, lists and quotes, and the cards that publications use most.
"""

import json
import random
from typing import Any

from content import sentence

Node = dict[str, Any]
BOLD, ITALIC, CODE = 1, 2, 16
IMAGES = "https://site.example/content/images/2026/03"


def article(number: int, size: int) -> str:
    """Returns the JSON text of an article, of `size` bytes or slightly more."""
    chance = random.Random(number)
    nodes: list[Node] = []
    length = 0
    while length < size:
        # Each article begins with another kind of block, so that short ones also have all kinds.
        nodes.append(block(chance, number + len(nodes)))
        length += len(written(nodes[-1]).encode())
    return written({"root": element("root", nodes)})


def written(node: Node) -> str:
    return json.dumps(node, ensure_ascii=False, separators=(",", ":"))


def element(kind: str, children: list[Node], **more: Any) -> Node:
    shape = {"direction": "ltr", "format": "", "indent": 0, "type": kind, "version": 1}
    return {"children": children, **shape, **more}


def text(words: str, style: int = 0) -> Node:
    return {"detail": 0, "format": style, "mode": "normal", "style": "", "text": words, "type": "extended-text", "version": 1}


def link(address: str, words: str) -> Node:
    return element("link", [text(words)], rel=None, target=None, title=None, url=address)


def card(kind: str, **properties: Any) -> Node:
    return {"type": kind, "version": 1, **properties}


def block(chance: random.Random, place: int) -> Node:
    match place % 24:
        case 4 | 12 | 19:
            return element("extended-heading", [text(sentence(chance, 5))], tag=chance.choice(["h2", "h2", "h3"]))
        case 7 | 15:
            items = [element("listitem", [text(sentence(chance, 9))], value=value) for value in range(1, 5)]
            kind, tag = chance.choice([("bullet", "ul"), ("number", "ol")])
            return element("list", items, listType=kind, start=1, tag=tag)
        case 9:
            return element("extended-quote", [text(sentence(chance, 18))])
        case 3 | 11 | 17 | 20 | 22 | 23:
            return a_card(chance, place % 24)
        case _:
            return paragraph(chance)


def paragraph(chance: random.Random) -> Node:
    return element(
        "paragraph",
        [
            text(f"{sentence(chance, 25)}, "),
            text(sentence(chance, 3), chance.choice([BOLD, ITALIC, CODE, BOLD | ITALIC])),
            text(" & "),
            link(f"https://elsewhere.example/{chance.randrange(1000)}/", sentence(chance, 3)),
            text(f". {sentence(chance, 30)}."),
        ],
    )


def a_card(chance: random.Random, place: int) -> Node:
    match place:
        case 3:
            source = f"{IMAGES}/{chance.randrange(100)}.jpg"
            size = {"width": 2400, "height": 1600, "cardWidth": chance.choice(["regular", "wide", "full"])}
            return card("image", src=source, alt=sentence(chance, 5), title="", caption=sentence(chance, 8), href="", **size)
        case 11:
            code = "fn main() {\n    let tide = 3 < 4 && true;\n}"
            return card("codeblock", code=code, language="rust", caption="")
        case 17:
            return card("callout", calloutText=sentence(chance, 12), calloutEmoji="💡", backgroundColor="blue")
        case 20:
            about = {"title": sentence(chance, 5), "description": sentence(chance, 15), "author": "Ada", "publisher": "Elsewhere"}
            images = {"icon": "https://elsewhere.example/icon.png", "thumbnail": "https://elsewhere.example/photo.jpg"}
            return card("bookmark", url="https://elsewhere.example/", caption="", metadata={**about, **images})
        case 22:
            return card("markdown", markdown=f"## {sentence(chance, 3)}\n\n- {sentence(chance, 4)}\n- *{sentence(chance, 2)}*")
        case _:
            return card("horizontalrule")
