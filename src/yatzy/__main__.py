"""`python -m yatzy` is the command `yatzy`."""

from yatzy.cli import main

if __name__ == "__main__":
    main()
