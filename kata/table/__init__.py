"""The table track: one page and one test per bug."""
