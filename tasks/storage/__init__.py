"""Files: the files of the public contract, Parquet, finished fits, the saved model, DVC's commands.

May import `runtime` and `params`. No other room opens a file of the contract.
"""
