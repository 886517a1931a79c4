"""What a user is told.

Exception
└── UserError       a mistake that the user can mend: message without traceback, exit code 2
"""


class UserError(Exception):
    """What is wrong, where, which value, what is allowed, what to do; one line for each mistake."""
