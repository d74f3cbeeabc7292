"""`python -m yatzy.gym`: the table of baselines, or of the players named, in any game of the environment."""

import argparse
import sys

from yatzy.errors import YatzyError
from yatzy.gym.environment import codes_of
from yatzy.gym.exact import BASELINES, baselines, markdown
from yatzy.rules import ruleset


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(
        prog="python -m yatzy.gym",
        description="Exact return and regret of known players, as the table of docs/environment.md.",
    )
    parser.add_argument("player", nargs="*", default=list(BASELINES), help=f"[default: {', '.join(BASELINES)}]")
    parser.add_argument("--rules", default="scandinavian", help="the game; yatzy games lists them")
    asked = parser.parse_args()
    try:
        codes_of(ruleset(asked.rules))
        print(markdown(baselines(asked.rules, tuple(asked.player))))
    except YatzyError as error:
        sys.exit(f"yatzy: {error}")


if __name__ == "__main__":
    main()
