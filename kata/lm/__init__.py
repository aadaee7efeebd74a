"""The lm track: one page and one test per bug."""
