"""The one family of errors a user can cause."""


class YatzyError(ValueError):
    """Input that cannot be used; the message names the field, what was given and what is allowed."""
