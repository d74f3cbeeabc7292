"""One game as values: actions, situations, aims and logs, their text and their JSON, and sources of dice."""
