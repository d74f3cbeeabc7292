"""Side-by-side timings: ours, the classical way, and what the machine can do, as ratios of one run."""
