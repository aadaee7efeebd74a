"""The exercise and the tool that runs it."""
