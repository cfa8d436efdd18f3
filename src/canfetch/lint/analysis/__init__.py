"""Analyses of a file that several checks share: agent names, keys, rules, URLs and delivery."""
