"""Anything that plays: optimal for any theta, by patterns, greedy, random; one protocol for all."""
