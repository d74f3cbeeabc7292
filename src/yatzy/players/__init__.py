"""Rules in words that play, print and read themselves back."""
