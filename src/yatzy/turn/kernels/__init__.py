"""turn.kernels."""
