"""Which player are you: habits fitted to decisions, what they are worth exactly, and what each of them costs."""
