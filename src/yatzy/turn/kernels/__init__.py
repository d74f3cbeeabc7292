"""The compiled inner loops of a turn. Nobody needs to read them: `turn.numpy_turn` says the same in NumPy."""
