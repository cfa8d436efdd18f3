"""Modules that several command families use: arguments, files, terminal output and network access."""
