"""Side-by-side timings: ours, the classical way, and what the machine can do; as ratios of one run.

Import from the modules: they compile on import of Numba, which a command that times nothing should not wait for.
"""
