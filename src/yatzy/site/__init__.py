"""The site: chapters in Markdown and results in JSON become static pages; every game, tables for them."""
