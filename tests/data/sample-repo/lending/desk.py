"""Lends books and takes them back."""

from lending.catalogue import Book, Catalogue
from lending.members import Member, Register


class NotAvailable(Exception):
    """No copy is left, or the member has enough books."""


class Desk:
    def __init__(self) -> None:
        self.catalogue = Catalogue()
        self.register = Register()

    def stock(self, title: str, shelf: str, copies: int = 1) -> Book:
        book = Book(title, shelf, copies)
        self.catalogue.add(book)
        return book

    def lend(self, title: str, name: str) -> Member:
        book = self.catalogue.find(title)
        member = self.register.join(name)
        if book is None or book.copies == 0 or not member.may_borrow():
            raise NotAvailable(title)
        book.copies -= 1
        member.loans.append(title)
        return member

    def take_back(self, title: str, name: str) -> None:
        member = self.register.join(name)
        member.loans.remove(title)
        book = self.catalogue.find(title)
        if book is not None:
            book.copies += 1
