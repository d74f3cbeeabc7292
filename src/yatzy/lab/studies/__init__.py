"""One module per published study; each returns a typed result that becomes JSON or Parquet."""
