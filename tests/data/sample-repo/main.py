"""One day at the desk."""

from lending import Desk
from lending.report import print_report


def day() -> Desk:
    desk = Desk()
    desk.stock("Middlemarch", shelf="E", copies=2)
    desk.stock("Walden", shelf="T")
    desk.lend("Walden", "ada")
    desk.take_back("Walden", "ada")
    return desk


if __name__ == "__main__":
    print_report(day())
