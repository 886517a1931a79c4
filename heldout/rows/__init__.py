"""The rows of a table: columns, frames of any library, missing values, and which rows are the same.

Here belongs what is known of rows before anything is divided or fitted.
"""
