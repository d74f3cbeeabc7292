"""Charts: a whole game as two ranked lists of lines, each seen in a second."""
