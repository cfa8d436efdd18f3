"""The command about the registry of crawlers: `agents`."""
