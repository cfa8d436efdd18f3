"""What the command families share: arguments, files, terminal output, and the way to the network."""
