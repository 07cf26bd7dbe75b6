"""The targets of a run, and whether they were reached: printed as a row for each, at the end of the run."""

from dataclasses import dataclass


@dataclass
class Aim:
    """A measurement and its target, a minimum or a maximum."""

    what: str
    measured: float
    wanted: float
    at_least: bool = True

    def is_met(self) -> bool:
        return self.measured >= self.wanted if self.at_least else self.measured <= self.wanted


def print_aims(aims: list[Aim]) -> None:
    print("| aim | wanted | measured | |")
    print("| --- | ---: | ---: | --- |")
    for aim in aims:
        bound = "at least" if aim.at_least else "at most"
        outcome = "met" if aim.is_met() else "missed"
        print(f"| {aim.what} | {bound} {shown(aim.wanted)} | {shown(aim.measured)} | {outcome} |")


def shown(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 or figure == int(figure) else f"{figure:.3g}"
