"""The Python engine: the readable reference implementation, against which the native engine is tested.

bytes -> (parser) groups of rows -> CompiledFile -> (selection) groups of an agent -> RuleSet -> BoundRules

`compiled` implements `core/contract.py`, and is the file to open first. Rules are sorted by precedence and compared
with a target one after the other (`rule_set`); segments between `*` are found from the left without backtracking. So
a decision costs at most the bytes of the agent's rules times the bytes of the target. A file keeps a bounded number
of compiled sets of groups.
"""
