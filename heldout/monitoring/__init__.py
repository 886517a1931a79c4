"""What is watched from one delivery to the next: alarms for shards, and the promotion of a challenger.

Here belongs what is judged while time goes on.
"""
