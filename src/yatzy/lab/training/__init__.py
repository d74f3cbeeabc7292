"""Players made of decision trees."""
