"""What a rule may see and say, and the words for it."""
