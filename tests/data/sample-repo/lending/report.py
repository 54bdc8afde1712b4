"""What the desk prints at closing time."""

from lending.desk import Desk


def lines(desk: Desk) -> list[str]:
    return sorted(f"{book.label()} ({book.copies})" for book in desk.catalogue.books.values())


def print_report(desk: Desk) -> None:
    for line in lines(desk):
        print(line)
