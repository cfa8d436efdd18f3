"""The commands that compare whole files: `diff`, `minimize` and `test`."""
