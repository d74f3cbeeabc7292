"""One game as values: actions, situations, aims, logs; the text and the JSON of each; and where dice come from."""
