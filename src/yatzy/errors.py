"""The one family of errors a user can cause."""


class YatzyError(ValueError):
    """Input that cannot be used; the message names the field, what was given and what is allowed."""


def printable(text: str) -> str:
    """The text with anything that a terminal would obey instead of showing it written as an escape."""
    return "".join(ch if ch.isprintable() else ascii(ch)[1:-1] for ch in text)
