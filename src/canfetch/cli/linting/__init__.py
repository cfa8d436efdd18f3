"""The commands about the quality of robots.txt files: `lint` and `fmt`."""
