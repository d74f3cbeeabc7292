"""Anything that plays: optimal for any theta, by patterns, greedy, random; one protocol for all.

`yatzy.policy(function)` makes a policy of a function: see `functions`.
"""

from yatzy.calling import make_callable

make_callable(__name__, "yatzy.policies.functions:policy")
