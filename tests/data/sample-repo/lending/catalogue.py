"""Books, and where they stand."""

from dataclasses import dataclass, field


@dataclass
class Book:
    title: str
    shelf: str
    copies: int = 1

    def label(self) -> str:
        return f"{self.shelf}: {self.title}"


@dataclass
class Catalogue:
    books: dict[str, Book] = field(default_factory=dict)

    def add(self, book: Book) -> None:
        self.books[book.title] = book

    def find(self, title: str) -> Book | None:
        return self.books.get(title)

    def shelf(self, name: str) -> list[Book]:
        return [book for book in self.books.values() if book.shelf == name]
