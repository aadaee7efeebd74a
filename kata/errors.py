"""What the tool says when it cannot go on: one sentence, and the exit code that goes with it."""


class KataError(Exception):
    """The tool itself could not do it (exit 3). The message is one plain sentence."""

    exit_code = 3


class UsageError(KataError):
    """The command was used wrongly, or names something that does not exist (exit 2)."""

    exit_code = 2


class Declined(KataError):
    """The tool was asked not to go on, or would not without being told so (exit 1)."""

    exit_code = 1
