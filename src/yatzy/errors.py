"""The one family of errors a user can cause."""

# The sentence of a word that is not known: what was given, and a list of what is allowed.
UNKNOWN = r"'(?P<given>[^']*)' is not [^;]*; allowed (?:are|is) (?P<allowed>.*)"


class YatzyError(ValueError):
    """Input that cannot be used; the message names the field, what was given and what is allowed."""

    def __str__(self) -> str:
        return with_suggestion(super().__str__())


def with_suggestion(sentence: str) -> str:
    """The sentence, and if a word in it looks misspelt, which of the allowed ones was probably meant."""
    import re
    from difflib import get_close_matches

    found = re.search(UNKNOWN, sentence)
    if found is None or "did you mean" in sentence:
        return sentence
    words = {word.casefold(): word for word in re.findall(r"[\w+-]+(?: [\w+-]+)*", found["allowed"])}
    for word in list(words):
        # A list ends in "a and b" or "a or b", and may go on with what else is allowed.
        words |= {part.casefold(): part for part in re.split(r" and | or ", words[word])}
    near = get_close_matches(found["given"].casefold(), words, n=1, cutoff=0.7)
    return f"{sentence}; did you mean {words[near[0]]!r}?" if near and found["given"] else sentence


def printable(text: str) -> str:
    """The text with anything that a terminal would obey instead of showing it written as an escape."""
    return "".join(ch if ch.isprintable() else ascii(ch)[1:-1] for ch in text)
