"""Players that learn from their own games alone, without the solution."""
