"""Report formats for other tools, in one module each. Every format is a pure function of reports."""
