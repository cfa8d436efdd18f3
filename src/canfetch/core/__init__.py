"""The protocol: parsing robots.txt files and deciding whether an agent may fetch a URL. Bytes in, values out.

bytes -> lines -> records -> groups -> RobotsTxt -> (agent) AgentRules -> (target) Verdict

- `document` is the place to start: `parse` returns a `RobotsTxt`, which has everything that does not depend on the
  engine: origins, transcoding, the size limit and notes. `source` transcodes and cuts the bytes.
- `contract` is the interface of both engines, and `engines` chooses one. `reference` is the engine in Python, and
  `both` compares its answers with those of the native engine.
- `agent_rules` has the rules of one agent. `rules.allows` is the bound method of the engine, without a wrapper.
- `urls`, `targets` and `escapes` turn a URL into the text that patterns are compared with, `patterns` a rule into its
  texts, and `verdict` has the decision and its reason.
- `extensions` has records beyond the RFC, which are parsed on first use.
- `equivalence` decides by values whether two files have the same verdicts. The formatter and the fixes rely on it.
- `_tables` is generated from `tables/protocol.toml`, as are the tables of the native engine.

Invariants: nothing here does I/O, reads a clock, writes a log, or applies a regular expression to content of a site.
The only environment variable is `CANFETCH_ENGINE`. A `str` is encoded once, where it enters. Lines count from 1, and
spans are byte offsets from 0, half open. An invalid argument raises an exception, and invalid content never does.
"""
