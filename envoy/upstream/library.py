"""The lending library: books, members and loans, kept in memory behind one lock."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Record = dict[str, Any]

GENRES = ["novel", "essay", "poetry", "comic", "science", "history"]
BRANCHES = ["central", "north", "harbour"]
MAX_OPEN_LOANS = 3


class Problem(Exception):
    """A refusal that becomes an `application/problem+json` answer (RFC 9457)."""

    def __init__(self, status: int, title: str, detail: str, errors: list[Record] | None = None):
        super().__init__(detail)
        self.status, self.title, self.detail, self.errors = status, title, detail, errors or []


def not_found(kind: str, key: str) -> Problem:
    return Problem(404, "Not found", f"There is no {kind} `{key}`.")


@dataclass(frozen=True)
class Rule:
    """What one property of a request body must be."""

    kind: type
    required: bool = False
    check: Callable[[Any], str | None] = field(default=lambda _value: None)


def between(low: int, high: int) -> Callable[[int], str | None]:
    return lambda value: None if low <= value <= high else f"must be from {low} to {high}"


def one_of(allowed: list[str]) -> Callable[[str], str | None]:
    return lambda value: None if value in allowed else "must be one of " + ", ".join(allowed)


def not_blank(value: str) -> str | None:
    return None if value.strip() else "must not be empty"


def all_text(value: list[Any]) -> str | None:
    return None if all(isinstance(item, str) for item in value) else "must be a list of strings"


BOOK = {
    "title": Rule(str, True, not_blank),
    "author": Rule(str, True, not_blank),
    "genre": Rule(str, True, one_of(GENRES)),
    "year": Rule(int, False, between(1400, 2100)),
    "isbn": Rule(str),
    "pages": Rule(int, False, between(1, 20000)),
    "summary": Rule(str),
    "keywords": Rule(list, False, all_text),
    "branch": Rule(str, False, one_of(BRANCHES)),
    "shelf": Rule(str),
    "internalNote": Rule(str),
}
MEMBER = {
    "name": Rule(str, True, not_blank),
    "email": Rule(str, True, lambda value: None if "@" in value else "must be an e-mail address"),
    "language": Rule(str, False, one_of(["en", "fr"])),
    "source": Rule(str),
}
LOAN = {
    "bookId": Rule(str, True),
    "memberId": Rule(str, True),
    "days": Rule(int, False, between(1, 60)),
}
RENEWAL = {"days": Rule(int, False, between(1, 30))}

NAMES = {str: "a string", int: "an integer", list: "a list"}


def checked(body: Any, rules: dict[str, Rule], partial: bool = False) -> Record:
    """The body, once every property keeps its rule; all offences are reported together."""
    if not isinstance(body, dict):
        raise Problem(422, "Invalid body", "The body must be a JSON object.")
    errors = [
        {"pointer": f"/{name}", "detail": "is required"}
        for name, rule in rules.items()
        if rule.required and not partial and name not in body
    ]
    for name, value in body.items():
        offence = offence_of(rules.get(name), value)
        if offence:
            errors.append({"pointer": f"/{name}", "detail": offence})
    if errors:
        listing = "; ".join(f"{error['pointer']} {error['detail']}" for error in errors)
        raise Problem(422, "Invalid body", f"Correct these properties: {listing}.", errors)
    return body


def offence_of(rule: Rule | None, value: Any) -> str | None:
    if rule is None:
        return "is not a known property"
    if not isinstance(value, rule.kind) or isinstance(value, bool):
        return f"must be {NAMES[rule.kind]}"
    return rule.check(value)


class Library:
    """All records. Every public method is one transaction."""

    def __init__(self, today: Callable[[], datetime.date] = datetime.date.today):
        self._lock = threading.RLock()
        self._today = today
        self.reset()

    def reset(self) -> None:
        with self._lock:
            self._next = {"b": 1, "m": 1, "l": 1}
            self._books: dict[str, Record] = {}
            self._members: dict[str, Record] = {}
            self._loans: dict[str, Record] = {}
            for title, author, genre, year, branch in SEED_BOOKS:
                book = {"title": title, "author": author, "genre": genre, "year": year}
                self.add_book({**book, "branch": branch, "shelf": f"{genre[0].upper()}-{year % 100}"})
            for name, email, language in SEED_MEMBERS:
                self.register({"name": name, "email": email, "language": language})
            self.lend({"bookId": "b2", "memberId": "m1"}, None)

    # Books

    def search(self, text: str, genres: list[str], available: bool | None, branch: str | None) -> list[Record]:
        with self._lock:
            words = text.lower().split()
            return [
                self._book_view(book)
                for book in self._books.values()
                if self._matches(book, words, genres, available, branch)
            ]

    def _matches(
        self, book: Record, words: list[str], genres: list[str], available: bool | None, branch: str | None
    ) -> bool:
        haystack = " ".join(str(book.get(key, "")) for key in ("title", "author", "summary")).lower()
        return (
            all(word in haystack for word in words)
            and (not genres or book["genre"] in genres)
            and (branch is None or book["branch"] == branch)
            and (available is None or (self._open_loan(book["id"]) is None) == available)
        )

    def book(self, key: str) -> Record:
        with self._lock:
            return self._book_view(self._find(self._books, "book", key))

    def add_book(self, body: Any) -> Record:
        with self._lock:
            fields = checked(body, BOOK)
            key = self._key("b")
            self._books[key] = {"id": key, "branch": "central", **fields, "version": 1}
            return self._book_view(self._books[key])

    def update_book(self, key: str, body: Any, expected: str | None, replace: bool = False) -> Record:
        with self._lock:
            book = self._find(self._books, "book", key)
            if expected not in (None, "*", etag(book)):
                raise Problem(412, "Changed meanwhile", f"Book `{key}` is now at version {etag(book)}; read it again.")
            fields = checked(body, BOOK, partial=not replace)
            kept = {"id": key, "branch": "central"} if replace else book
            self._books[key] = {**kept, **fields, "version": book["version"] + 1}
            return self._book_view(self._books[key])

    def remove_book(self, key: str) -> None:
        with self._lock:
            self._find(self._books, "book", key)
            loan = self._open_loan(key)
            if loan:
                raise Problem(409, "On loan", f"Book `{key}` is out on loan `{loan['id']}`; it must come back first.")
            del self._books[key]

    # Members

    def members(self, text: str) -> list[Record]:
        with self._lock:
            found = (m for m in self._members.values() if text.lower() in (m["name"] + m["email"]).lower())
            return [self._member_view(member) for member in found]

    def member(self, key: str) -> Record:
        with self._lock:
            return self._member_view(self._find(self._members, "member", key))

    def register(self, body: Any) -> Record:
        with self._lock:
            fields = checked(body, MEMBER)
            if any(member["email"] == fields["email"] for member in self._members.values()):
                raise Problem(409, "Already registered", f"`{fields['email']}` belongs to a member already.")
            key = self._key("m")
            self._members[key] = {
                "id": key,
                "language": "en",
                **fields,
                "since": self._today().isoformat(),
                "version": 1,
            }
            return self._member_view(self._members[key])

    # Loans

    def loans(self, states: list[str], member: str | None) -> list[Record]:
        with self._lock:
            views = [self._loan_view(loan) for loan in self._loans.values()]
            return [v for v in views if (not states or v["state"] in states) and member in (None, v["memberId"])]

    def lend(self, body: Any, desk: str | None) -> Record:
        with self._lock:
            fields = checked(body, LOAN)
            book = self._find(self._books, "book", fields["bookId"])
            member = self._find(self._members, "member", fields["memberId"])
            self._refuse_second_loan(book["id"])
            self._refuse_too_many(member["id"])
            key = self._key("l")
            due = self._today() + datetime.timedelta(days=fields.get("days", 21))
            loan = {"id": key, "bookId": book["id"], "memberId": member["id"], "due": due.isoformat(), "returned": None}
            self._loans[key] = {**loan, "desk": desk or "web", "renewals": 0, "version": 1}
            return self._loan_view(self._loans[key])

    def _refuse_second_loan(self, book: str) -> None:
        loan = self._open_loan(book)
        if loan:
            raise Problem(409, "On loan", f"Book `{book}` is lent to `{loan['memberId']}` until {loan['due']}.")

    def _refuse_too_many(self, member: str) -> None:
        count = sum(1 for loan in self._loans.values() if loan["memberId"] == member and not loan["returned"])
        if count >= MAX_OPEN_LOANS:
            raise Problem(409, "Too many loans", f"Member `{member}` has {count} books; {MAX_OPEN_LOANS} is the most.")

    def give_back(self, key: str) -> Record:
        with self._lock:
            loan = self._find(self._loans, "loan", key)
            if loan["returned"]:
                raise Problem(409, "Already returned", f"Loan `{key}` ended on {loan['returned']}.")
            loan["returned"] = self._today().isoformat()
            loan["version"] += 1
            return self._loan_view(loan)

    def renew(self, key: str, body: Any) -> Record:
        with self._lock:
            fields = checked({} if body is None else body, RENEWAL)
            loan = self._find(self._loans, "loan", key)
            if loan["returned"]:
                raise Problem(409, "Already returned", f"Loan `{key}` ended on {loan['returned']}.")
            due = datetime.date.fromisoformat(loan["due"]) + datetime.timedelta(days=fields.get("days", 14))
            loan.update(due=due.isoformat(), renewals=loan["renewals"] + 1, version=loan["version"] + 1)
            return self._loan_view(loan)

    def statistics(self) -> Record:
        with self._lock:
            states = [self._loan_view(loan)["state"] for loan in self._loans.values()]
            genres = [book["genre"] for book in self._books.values()]
            return {
                "books": len(self._books),
                "members": len(self._members),
                "loans": {state: states.count(state) for state in ("open", "late", "returned")},
                "genres": {genre: genres.count(genre) for genre in GENRES},
            }

    # Helpers

    def _key(self, kind: str) -> str:
        number = self._next[kind]
        self._next[kind] = number + 1
        return f"{kind}{number}"

    @staticmethod
    def _find(records: dict[str, Record], kind: str, key: str) -> Record:
        if key not in records:
            raise not_found(kind, key)
        return records[key]

    def _open_loan(self, book: str) -> Record | None:
        return next((loan for loan in self._loans.values() if loan["bookId"] == book and not loan["returned"]), None)

    def _book_view(self, book: Record) -> Record:
        loan = self._open_loan(book["id"])
        return {**book, "available": loan is None, "dueBack": loan["due"] if loan else None}

    def _member_view(self, member: Record) -> Record:
        loans = [
            loan["id"] for loan in self._loans.values() if loan["memberId"] == member["id"] and not loan["returned"]
        ]
        return {**member, "openLoans": loans}

    def _loan_view(self, loan: Record) -> Record:
        late = not loan["returned"] and loan["due"] < self._today().isoformat()
        state = "returned" if loan["returned"] else "late" if late else "open"
        book = self._books.get(loan["bookId"], {})
        return {**loan, "state": state, "title": book.get("title")}


def etag(record: Record) -> str:
    return f'"{record["id"]}-{record["version"]}"'


SEED_BOOKS = [
    ("The Salt Road", "Ines Calder", "novel", 1998, "central"),
    ("Tides and Tables", "Mikael Brandt", "science", 2011, "harbour"),
    ("Small Weather", "Odile Ferrand", "poetry", 1974, "central"),
    ("A Short History of Doors", "Peter Anand", "history", 2004, "north"),
    ("The Cartographer's Daughter", "Ines Calder", "novel", 2009, "north"),
    ("Le phare endormi", "Odile Ferrand", "novel", 1981, "harbour"),
    ("Sept îles", "Baptiste Morvan", "comic", 2019, "central"),
    ("On Repairing Things", "Peter Anand", "essay", 2016, "central"),
    ("Numbers Without End", "Mikael Brandt", "science", 2020, "north"),
    ("Letters to a Gardener", "Ada Whitlock", "essay", 1955, "harbour"),
    ("The Quiet Harbour", "Ada Whitlock", "novel", 1961, "harbour"),
    ("Winter Arithmetic", "Lena Osei", "poetry", 2022, "central"),
]
SEED_MEMBERS = [
    ("Nora Lindqvist", "nora@example.org", "en"),
    ("Jean Dubreuil", "jean@example.org", "fr"),
    ("Sam Okafor", "sam@example.org", "en"),
]
