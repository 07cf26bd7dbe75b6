"""Hostile clients, one attack after the other, and a polite client that sends requests at a constant rate meanwhile.

Each attack must end as it defines, memory stays below a limit, every request of the polite client gets 200, and its 99th
percentile stays close to the one without attacks. Attackers are processes with a lower priority, because they would be on other
machines. Afterwards, the server responds with the same bytes, and no connection, file or thread remains.
"""

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import attacks_bodies
import attacks_hashes
import attacks_http1
import attacks_http2
import attacks_compression
import attacks_slow
from attacking import Attacker, Outcome, Target
from part import Broken, Form
from polite import CACHED, Noted, Polite, quantile
from processes import cpu_s, forget_most, memory_mib, memory_most_mib, open_files, threads
from running import Running

POSTS = 300
ATTACKS = {
    name: attack
    for module in [attacks_slow, attacks_http1, attacks_http2, attacks_compression, attacks_hashes, attacks_bodies]
    for name, attack in module.ATTACKS.items()
}
ONE_BY_ONE = "bodies that expand in memory, one by one"
# The maximum memory of the server under any attack, in MiB: 256 for all responses in flight, and the rest for the server itself.
MEMORY_MIB_MAX = 448
# The maximum factor between the 99th percentiles of the polite client during an attack and without one. Below this time the
# factor is not checked: such pauses also occur without attacks, on a machine with shared processors.
P99_RATIO_MAX = 20
P99_FREE_MS = 250
# A 99th percentile needs at least this number of responses. The short form checks the percentile of all attacks together.
RESPONSES_MIN = 500
# Attacks that consist of much legitimate work: uncached responses for the polite client share processors with them, and are only
# required to succeed. Responses from memory do not wait for them.
MUCH_WORK = {
    "responses that no client reads, 400 connections",
    "HTTP/2: requests reset a moment later",
    "HTTP/2: responses without a window, 40 times 100",
    "uncached responses to be compressed",
}
# An attack takes its duration and the time until its connections are closed, which is much longer on a busy machine.
PATIENCE_S = 180
# Hundreds of bodies. The server is restarted after a body that left something in memory.
PATIENCE_BODIES_S = 3600
# The maximum number of connections, files and threads that may remain: pools keep a few.
LEFT_OVER_MAX = 8


@dataclass
class Limits:
    """The timeouts of the server, in seconds."""

    headers: int
    body: int
    write: int
    idle: int

    def variables(self) -> dict[str, int]:
        return {
            "GALLEY_SERVER_HEADERS_TIMEOUT_S": self.headers,
            "GALLEY_SERVER_BODY_TIMEOUT_S": self.body,
            "GALLEY_SERVER_WRITE_TIMEOUT_S": self.write,
            "GALLEY_SERVER_KEEP_ALIVE_S": self.idle,
        }


SHORT = Limits(headers=2, body=2, write=2, idle=3)
# The defaults.
DEFAULT = Limits(headers=10, body=20, write=30, idle=75)


def endure(form: Form) -> None:
    limits = form.choose(short=SHORT, long=DEFAULT)
    seconds = form.choose(short=1, long=15)
    with tempfile.TemporaryDirectory(prefix="galley-hostile-") as folder:
        with Running(Path(folder), POSTS, **limits.variables()) as running:
            broken = attack_all(running, limits, seconds)
    if broken:
        raise Broken("\n".join(broken))


def attack_all(running: Running, limits: Limits, seconds: float) -> list[str]:
    """Runs every attack, prints a row for each, and returns the failed checks."""
    pid = running.process.pid
    due = running.ask("GET", CACHED.format(key=running.key))
    alone = politely_alone(running, 5 * seconds)
    before = {"open files": open_files(pid), "threads": threads(pid)}
    print(f"alone: p99 {described(alone)}; memory {memory_mib(pid):.0f} MiB")
    broken = []
    together = Noted()
    for name, attack in ATTACKS.items():
        words, noted = attack_once(running, limits, seconds, name, attack)
        together.cached_s += noted.cached_s
        together.uncached_s += [] if name in MUCH_WORK else noted.uncached_s
        broken += [f"{name}: {word}" for word in words + what_others_suffer(noted, alone, name in MUCH_WORK)]
    print(f"all together: p99 {described(together)}, {ratio(together, alone)} of that alone")
    broken += [f"all together: {word}" for word in what_others_suffer(together, alone, False)]
    return broken + what_is_left(running, due, before)


def what_is_left(running: Running, due: tuple[int, bytes], before: dict[str, int]) -> list[str]:
    # The server drains a connection that it refused during a request for two seconds; an idle thread exits after ten.
    time.sleep(11)
    pid = running.process.pid
    after = {"open files": open_files(pid), "threads": threads(pid)}
    print(f"afterwards: {', '.join(f'{count} {what}, before {before[what]}' for what, count in after.items())}")
    broken = [
        f"{before[what]} {what} before, {after[what]} afterwards" for what in before if after[what] > before[what] + LEFT_OVER_MAX
    ]
    if running.ask("GET", CACHED.format(key=running.key)) != due:
        broken.append("afterwards the response is different")
    return broken


def politely_alone(running: Running, seconds: float) -> Noted:
    with Polite(running.port, running.key) as polite:
        time.sleep(seconds)
    if polite.noted.failed:
        raise Broken(f"without any attack, requests fail: {polite.noted.failed[:3]}")
    return polite.noted


def attack_once(
    running: Running, limits: Limits, seconds: float, name: str, attack: Callable[[Target, float], Outcome]
) -> tuple[list[str], Noted]:
    """Runs one attack, prints its row, and returns the failed checks of the server and the record of the polite client."""
    pid = running.process.pid
    target = Target(
        program=str(running.program),
        port=running.port,
        pid=pid,
        key=running.key,
        token=running.token(),
        headers_s=limits.headers,
        body_s=limits.body,
        write_s=limits.write,
        idle_s=limits.idle,
    )
    forget_most(pid)
    memory, work, began = memory_mib(pid), cpu_s(pid), time.monotonic()
    with Polite(running.port, running.key) as polite:
        outcome = Attacker(attack, target, seconds).outcome(PATIENCE_BODIES_S if name == ONE_BY_ONE else PATIENCE_S + seconds)
    if running.process.poll() is not None:
        raise Broken(f"{name}: the server is gone\n{running.last_words()}")
    most = memory_most_mib(pid)
    happened = outcome if isinstance(outcome, str) else ", ".join(f"{count:,} {what}" for what, count in outcome.items())
    print(
        f"{name}: {happened}; memory {memory:.0f}, at most {most:.0f}, then {memory_mib(pid):.0f} MiB; "
        f"p99 {described(polite.noted)}; {cpu_s(pid) - work:.1f} s of work in {time.monotonic() - began:.0f} s",
        flush=True,
    )
    broken = [outcome] if isinstance(outcome, str) else []
    if not outcome:
        broken.append("nothing was done")
    if most > MEMORY_MIB_MAX:
        broken.append(f"the server takes {most:.0f} MiB; the limit is {MEMORY_MIB_MAX}")
    return broken, polite.noted


def what_others_suffer(meanwhile: Noted, alone: Noted, is_much_work: bool) -> list[str]:
    broken = []
    if meanwhile.failed:
        broken.append(f"{len(meanwhile.failed)} requests of the polite client fail: {meanwhile.failed[:3]}")
    judged = [("from memory", meanwhile.cached_s, alone.cached_s)]
    if not is_much_work:
        judged.append(("uncached", meanwhile.uncached_s, alone.uncached_s))
    for what, then_s, usual_s in judged:
        then, usual = quantile(then_s, 0.99) * 1000, quantile(usual_s, 0.99) * 1000
        if len(then_s) >= RESPONSES_MIN and then > max(P99_FREE_MS, P99_RATIO_MAX * usual):
            broken.append(f"the p99 of responses {what} is {then:.0f} ms, and {usual:.1f} ms alone")
    return broken


def described(noted: Noted) -> str:
    cached, uncached = noted.p99_ms()
    return f"{cached:.1f} ms from memory, {uncached:.1f} ms uncached"


def ratio(noted: Noted, alone: Noted) -> str:
    return ", ".join(f"{then / max(usual, 0.001):.1f}" for then, usual in zip(noted.p99_ms(), alone.p99_ms()))
