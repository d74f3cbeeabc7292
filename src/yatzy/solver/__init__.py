"""The exact solution: state space, kernels, backward induction, stored values, and advice from them.

Import from the modules (`yatzy.solver.solve`, `yatzy.solver.table`, ...) or from `yatzy` itself: only those that
compute in bulk import Numba, and a command that reads one value should not wait for it.
"""
