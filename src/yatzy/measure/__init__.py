"""What a policy is worth: exactly, by pushing probability forward, and by seeded simulation.

`yatzy.evaluate(policy)` is the exact evaluation: see `exact`.
"""

from yatzy.calling import make_callable

make_callable(__name__, "yatzy.measure.exact:evaluate")
