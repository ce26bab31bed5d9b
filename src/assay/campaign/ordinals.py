"""Numbers of rounds and of campaigns in words."""

_SPELLED = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def ordinal(number: int) -> str:
    """A number from 1 up as an ordinal: ``first``, ``ninth``, ``10th``, ``21st``."""
    if number <= len(_SPELLED):
        return _SPELLED[number - 1]
    teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teen else _ENDINGS.get(number % 10, 'th')}"
