"""Perfect play made small: features, datasets, trees, networks, value models, and rules in words."""
