"""Finding good rule lists and charts: by policy improvement, or by covering."""
