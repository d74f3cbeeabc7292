"""`python -m yatzy.gym`: the table of baselines, or of the players named."""

import sys

from yatzy.gym.baselines import BASELINES, baselines, markdown

if __name__ == "__main__":
    print(markdown(baselines(names=tuple(sys.argv[1:]) or BASELINES)))
