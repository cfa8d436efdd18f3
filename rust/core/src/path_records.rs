//! Records with a path, which is matched like the value of a rule (`canfetch.core.extensions.path_records` in Python).

use crate::decide::{File, RuleSet};
use crate::groups::{Groups, Rule, Span};
use crate::packed::Packed;
use crate::tables::Profile;

/// Records indexed by the pattern of their path. A record is named by its position.
#[derive(Debug)]
pub struct PathRecords {
    paths: Box<[u8]>,
    /// One group, whose disallow rules have the paths as their values.
    groups: Groups,
    rules: RuleSet,
    profile: &'static Profile,
}

impl PathRecords {
    /// Indexes the paths of records.
    ///
    /// # Panics
    /// If the paths have 4 GiB or more.
    pub fn new<'p>(paths: impl IntoIterator<Item = &'p [u8]>, profile: &'static Profile) -> Self {
        let (mut bytes, mut rules) = (Vec::new(), Vec::new());
        for (position, path) in paths.into_iter().enumerate() {
            let start = bytes.len();
            bytes.extend_from_slice(path);
            // A line number is not needed, so the position takes its place.
            let rule = Rule { value: Span::new((start, bytes.len())), line_and_allow: (position as u32) << 1 };
            rules.push(rule.pack());
        }
        assert!(u32::try_from(bytes.len()).is_ok(), "paths of 4 GiB or more");
        let groups = Groups::from_lists(&rules, &[], &[[0, 0]]);
        Self { paths: bytes.into(), rules: RuleSet::new(&[0], &groups), groups, profile }
    }

    /// Returns the matching records with the highest specificity, in ascending order.
    pub fn most_specific(&self, target: &[u8]) -> Vec<u32> {
        let file = File { content: &self.paths, groups: &self.groups, profile: self.profile };
        let matches = self.rules.explain(file, target).matches;
        let highest = matches.iter().map(|found| found.specificity).max();
        let mut found: Vec<_> =
            matches.iter().filter(|found| Some(found.specificity) == highest).map(|found| found.rule).collect();
        found.sort_unstable();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::DECISIONS_BEFORE_INDEX;
    use crate::testing::profile;

    #[test]
    fn the_longest_path_counts_and_equal_ones_all_count() {
        for name in ["rfc9309", "google", "yandex", "original1994"] {
            let records = PathRecords::new([&b"/"[..], b"/a", b"/ab", b"/a", b"/b?c=/", b""], profile(name));
            // Also after the index has been built.
            for _ in 0..2 * DECISIONS_BEFORE_INDEX {
                assert_eq!(records.most_specific(b"/x"), [0], "{name}");
                assert_eq!(records.most_specific(b"/ac"), [1, 3], "{name}");
                assert_eq!(records.most_specific(b"/abc"), [2], "{name}");
                assert_eq!(records.most_specific(b"/b?c=/d"), [4], "{name}");
            }
        }
    }

    #[test]
    fn different_patterns_can_be_equally_specific() {
        let records = PathRecords::new([&b"/a*c"[..], b"/*bc", b"/a\0c", b"b"], profile("rfc9309"));
        assert_eq!(records.most_specific(b"/abc"), [0, 1]);
        assert_eq!(records.most_specific(b"/xbc"), [1]);
        assert!(records.most_specific(b"/b").is_empty());
        assert!(PathRecords::new([], profile("rfc9309")).most_specific(b"/").is_empty());
    }
}
