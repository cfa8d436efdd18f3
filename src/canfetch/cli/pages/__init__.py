"""The command about page-level rules: `page`."""
