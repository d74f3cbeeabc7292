"""Training the learned players of `players`, one module per family."""
