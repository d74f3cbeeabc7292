"""The treatise: chapters in Markdown and results in JSON become a static site; no number is typed by hand."""
