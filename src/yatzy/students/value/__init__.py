"""Players that look one turn ahead with a small formula for the value of a state."""
