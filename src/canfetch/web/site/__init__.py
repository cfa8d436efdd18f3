"""The tester page: its files, and the site that needs no server."""
