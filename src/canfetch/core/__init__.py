"""Octets in, values out: lines, records, groups, origins, targets, patterns, decisions, profiles, engines."""
