"""Who may borrow."""

from dataclasses import dataclass, field

LIMIT = 3


@dataclass
class Member:
    name: str
    loans: list[str] = field(default_factory=list)

    def may_borrow(self) -> bool:
        return len(self.loans) < LIMIT


class Register:
    def __init__(self) -> None:
        self._members: dict[str, Member] = {}

    def join(self, name: str) -> Member:
        return self._members.setdefault(name, Member(name))
