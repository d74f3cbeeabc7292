"""Commands as they were spelled before 0.4, understood until 0.5: each says its new spelling.

What a command is about is an argument: `yatzy simulate greedy`, once `yatzy simulate --policy greedy`.
"""

OLD_COMMANDS = {"rules": "lists"}
# By command, options that have become its argument.
OLD_OPTIONS = {"distribution": "--policy", "simulate": "--policy", "dataset": "--policy", "sweep": "--grid"}


def modern(arguments: list[str]) -> tuple[list[str], str | None]:
    """The arguments as they are spelled today, and a sentence if that differs."""
    if not arguments:
        return arguments, None
    name, *others = arguments
    if name in OLD_COMMANDS:
        now = OLD_COMMANDS[name]
        return [now, *others], f"yatzy {name} is spelled yatzy {now} today; the old spelling works until 0.5"
    option = OLD_OPTIONS.get(name)
    for i, word in enumerate(others if option else []):
        value = others[i + 1 : i + 2] if word == option else [word.removeprefix(f"{option}=")]
        if value and (word == option or word.startswith(f"{option}=")):
            rest = others[:i] + others[i + 1 + (word == option) :]
            sentence = f"{option} is an argument today: yatzy {name} {value[0]}; the old spelling works until 0.5"
            return [name, *value, *rest], sentence
    return arguments, None
