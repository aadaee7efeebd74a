"""The shape of one near miss."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Miss:
    """One mistake: `old`, whole lines that occur once in fixed/table.py, replaced by `new`.

    bug: the bug whose fix was missed, or "decoy" for a change to what was never wrong.
    """

    bug: str
    name: str
    old: str
    new: str
