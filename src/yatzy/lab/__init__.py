"""How players are found and numbers published: training data, search, training, studies, benchmarks."""
