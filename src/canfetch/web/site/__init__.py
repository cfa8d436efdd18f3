"""The tester page: its files, its data, and the site that needs no server."""
