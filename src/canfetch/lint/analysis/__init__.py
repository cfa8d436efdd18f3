"""Analyses of a file that several checks share: agent names, keys, rules, URLs and delivery.

Most checks report few lines, so they do not visit every line. `rule_values` joins the values of all rules to one text,
which a regular expression searches at once, and a record is created when a check uses its line. Checks that may report
many lines of a hostile file yield a `LineOccurrence`. Past the limit of findings only its line is needed, and its
texts, query and fix are never computed.

Rules without effect are found in these steps:

1. `pattern_covers` finds the pairs of rules of which one matches all URLs of the other. `rule_coverage` finds the
   redundant rules among them.
2. If an opposing rule may decide without the redundant one, `exact_redundancy` compares the rules that overlap, as
   `minimize` does. Its limit counts work that is the same in both engines, so that both report the same findings.
3. Next to a rule that Google's parser compares in another spelling (`google_spellings`), a rule has to be redundant in
   the profile `google`, too.
4. Of the remaining rules, `ineffective_rules` compares those for which no cheap test shows an effect. Most rules pass
   such a test: they decide the shortest URL that they match, and no other rule would decide the same.
5. `winning_rules` finds the rules that a message names.
"""
