"""The exact solution: state space, backward induction, goals, stored tables, and advice.

Only modules that compute in bulk import Numba, so that reading one value does not wait for it.
"""
