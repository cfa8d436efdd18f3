"""The limits of a server that strangers use, and its process."""
