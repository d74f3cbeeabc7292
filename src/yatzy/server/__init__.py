"""The coach over HTTP: advice, outlook and review as JSON, and the site beside them."""
