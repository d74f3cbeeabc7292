"""What the page plays with: every game of the catalogue as tables, and situations that hold its engine to ours."""
