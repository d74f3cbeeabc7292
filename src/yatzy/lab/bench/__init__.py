"""Side-by-side timings: ours, the classical way, and what the machine can do; as ratios of one run.

Import from the modules, not from here: they import Numba, and a command that times nothing should not wait for it.
"""
