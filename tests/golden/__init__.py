"""What runs of many kinds wrote, and the parameters and tables of these runs: `configurations.CONFIGURATIONS`."""
