"""Finding good rule lists: by policy improvement, or by covering."""
