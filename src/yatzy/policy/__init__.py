"""Anything that plays: optimal for any theta, a casual person, greedy, random; one protocol for all."""
