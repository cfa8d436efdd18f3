//! The literal heads of all texts, in a radix trie of flat arrays: one walk along the target finds every head that it
//! begins with, whatever the number of rules.
//!
//! Nodes lie in breadth-first order, so a node's children, and the wildcard texts that hang at it, end where those of the
//! next node begin.

use super::NO_RANK;
use super::suffixes::first_eight;

use std::collections::VecDeque;
use std::ops::Range;

/// No wildcard text.
const NONE: u32 = u32::MAX;

/// Octets of a label that stand in its node.
const INLINE: usize = 8;

/// Bits for a label's length: a longer one goes on in an only child.
const LENGTH_BITS: u32 = 23;

/// Half a cache line, since nodes far apart are what a walk waits for.
#[derive(Debug)]
struct Node {
    /// The first octets of the label, the first one lowest; the rest is 0.
    label: u64,
    /// Where the whole label lies in the texts.
    label_start: u32,
    /// How long it is, and behind that how many children there are, up to 256.
    length_and_children: u32,
    /// First child.
    children: u32,
    /// Where the node's wildcard texts are, if it has any.
    wild: u32,
    /// Best rank of the heads on the way here that match as prefixes.
    prefix: u32,
    /// Best rank of this head as a whole target.
    whole: u32,
}

/// A head to be placed.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// Its octets.
    pub text: &'a [u8],
    /// Where its octets lie in the matcher's texts.
    pub start: u32,
    /// The rank of its rule.
    pub rank: u32,
    /// What follows it.
    pub kind: Kind,
}

/// What follows a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: it matches every target that begins with it.
    Prefix,
    /// The target's end.
    Whole,
    /// A star and more.
    Wild,
}

/// Sorts heads by their octets, then by rank.
pub fn sort(heads: &mut Vec<Head<'_>>) {
    // The first octets as a number decide most comparisons, without a look at the texts.
    let mut keyed: Vec<(u64, Head<'_>)> = heads.iter().map(|head| (first_eight(head.text), *head)).collect();
    keyed.sort_unstable_by(|(one_key, one), (other_key, other)| {
        one_key.cmp(other_key).then_with(|| one.text.cmp(other.text)).then(one.rank.cmp(&other.rank))
    });
    heads.clear();
    heads.extend(keyed.into_iter().map(|(_, head)| head));
}

/// The trie.
#[derive(Debug)]
pub struct Trie {
    nodes: Box<[Node]>,
    /// The first byte of each node's label.
    firsts: Box<[u8]>,
    /// For each node that has any: how many wildcard texts, and their ranks in order.
    wild: Box<[u32]>,
}

impl Trie {
    /// Builds a trie of sorted heads.
    pub fn new(heads: &[Head<'_>]) -> Self {
        let nodes = heads.len() * 5 / 4 + 1;
        let mut builder = Builder { nodes: Vec::with_capacity(nodes), firsts: vec![0], wild: Vec::new(), next: 1 };
        // Ranges of heads that share a node, in breadth-first order: where they are, how deep it begins, what is above.
        let mut ranges = Ranges::from([(0..heads.len(), 0, NO_RANK)]);
        while let Some((range, depth, above)) = ranges.pop_front() {
            builder.place(heads, range, depth, above, &mut ranges);
        }
        builder.finish()
    }

    /// Octets held.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.nodes) + self.firsts.len() + size_of_val(&*self.wild)
    }

    /// Walks along the target. `visit` gets the wildcard ranks of each head that the target begins with and the best
    /// rank so far, and gives back the best rank. Returns the best rank of all.
    #[inline]
    pub fn walk(&self, texts: &[u8], target: &[u8], mut best: u32, mut visit: impl FnMut(&[u32], u32) -> u32) -> u32 {
        let mut index = 0;
        let mut at = 0;
        loop {
            let node = &self.nodes[index];
            if !node.begins(&target[at..], texts) {
                return best;
            }
            at += node.label_length();
            best = best.min(node.prefix);
            if node.wild != NONE {
                let wild = &self.wild[node.wild as usize..];
                best = visit(&wild[1..][..wild[0] as usize], best);
            }
            let Some(&byte) = target.get(at) else { return best.min(node.whole) };
            let (first, count) = (node.children as usize, (node.length_and_children >> LENGTH_BITS) as usize);
            index = match count {
                0 => return best,
                // Its label begins with the byte, or does not.
                1 => first,
                _ => match find_byte(byte, &self.firsts[first..first + count]) {
                    Some(child) => first + child,
                    None => return best,
                },
            };
        }
    }
}

impl Node {
    #[inline]
    fn label_length(&self) -> usize {
        (self.length_and_children & ((1 << LENGTH_BITS) - 1)) as usize
    }

    /// Whether the text begins with the label.
    #[inline]
    fn begins(&self, text: &[u8], texts: &[u8]) -> bool {
        let bytes = self.label_length();
        if bytes > INLINE {
            return text.len() >= bytes
                && first_word(text) == self.label
                && text[INLINE..].starts_with(&texts[self.label_start as usize..][INLINE..bytes]);
        }
        // Shifting in two steps: a whole word at once is no shift.
        let mask = !(u64::MAX << (4 * bytes) << (4 * bytes));
        first_word(text) & mask == self.label && text.len() >= bytes
    }
}

/// The first eight octets, the first one lowest; those that are missing are 0.
#[inline]
fn first_word(text: &[u8]) -> u64 {
    match text.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => text.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// Few children are looked through sooner than a search is called.
#[inline]
fn find_byte(byte: u8, among: &[u8]) -> Option<usize> {
    if among.len() <= 8 { among.iter().position(|&first| first == byte) } else { memchr::memchr(byte, among) }
}

type Ranges = VecDeque<(Range<usize>, usize, u32)>;

struct Builder {
    nodes: Vec<Node>,
    firsts: Vec<u8>,
    wild: Vec<u32>,
    /// The index that the next child will have.
    next: u32,
}

impl Builder {
    /// Makes the node of the heads in `range`, which agree up to `depth`, and queues its children.
    fn place(&mut self, heads: &[Head<'_>], range: Range<usize>, depth: usize, above: u32, ranges: &mut Ranges) {
        let heads_here = &heads[range.clone()];
        // They are sorted: what the first and the last share, all share.
        let shared = match heads_here {
            [] => 0,
            [first, .., last] => {
                first.text[depth..].iter().zip(&last.text[depth..]).take_while(|(one, other)| one == other).count()
            }
            [only] => only.text.len() - depth,
        };
        let shared = shared.min((1 << LENGTH_BITS) - 1);
        let end = depth + shared;
        let label = heads_here.first().map_or(&[][..], |head| &head.text[depth..end]);
        let mut node = Node {
            label: first_word(&label[..label.len().min(INLINE)]),
            label_start: heads_here.first().map_or(0, |head| head.start + depth as u32),
            length_and_children: shared as u32,
            children: self.next,
            wild: NONE,
            prefix: above,
            whole: NO_RANK,
        };
        let longer = heads_here.partition_point(|head| head.text.len() == end);
        for head in &heads_here[..longer] {
            match head.kind {
                Kind::Prefix => node.prefix = node.prefix.min(head.rank),
                Kind::Whole => node.whole = node.whole.min(head.rank),
                Kind::Wild => {
                    if node.wild == NONE {
                        node.wild = self.wild.len() as u32;
                        self.wild.push(0);
                    }
                    self.wild[node.wild as usize] += 1;
                    self.wild.push(head.rank);
                }
            }
        }
        let mut start = range.start + longer;
        while start < range.end {
            let first = heads[start].text[end];
            let after = start + heads[start..range.end].partition_point(|head| head.text[end] == first);
            self.firsts.push(first);
            self.next += 1;
            node.length_and_children += 1 << LENGTH_BITS;
            ranges.push_back((start..after, end, node.prefix));
            start = after;
        }
        self.nodes.push(node);
    }

    fn finish(self) -> Trie {
        Trie { nodes: self.nodes.into(), firsts: self.firsts.into(), wild: self.wild.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trie(heads: &[(&str, Kind)]) -> (String, Trie) {
        let texts: String = heads.iter().map(|(head, _)| *head).collect();
        let mut start = 0;
        let mut placed: Vec<_> = heads
            .iter()
            .enumerate()
            .map(|(rank, (head, kind))| {
                let head = Head { text: head.as_bytes(), start, rank: rank as u32, kind: *kind };
                start += head.text.len() as u32;
                head
            })
            .collect();
        sort(&mut placed);
        (texts, Trie::new(&placed))
    }

    #[test]
    fn every_head_on_the_way_counts() {
        let (texts, trie) = trie(&[
            ("/abc", Kind::Prefix),
            ("/ab", Kind::Whole),
            ("/a", Kind::Wild),
            ("/", Kind::Prefix),
            ("/x/y", Kind::Prefix),
        ]);
        let walk = |target: &str| {
            let mut seen = Vec::new();
            let best = trie.walk(texts.as_bytes(), target.as_bytes(), NO_RANK, |wild, best| {
                seen.extend_from_slice(wild);
                best
            });
            (best, seen)
        };
        assert_eq!(walk("/abcd"), (0, vec![2]));
        assert_eq!(walk("/ab"), (1, vec![2]));
        assert_eq!(walk("/abd"), (3, vec![2]));
        assert_eq!(walk("/x/z"), (3, vec![]));
        assert_eq!(walk("/x/y"), (3, vec![]));
        assert_eq!(walk("x"), (NO_RANK, vec![]));
    }

    #[test]
    fn an_empty_trie_matches_nothing() {
        assert_eq!(Trie::new(&[]).walk(b"", b"/a", NO_RANK, |_, best| best), NO_RANK);
    }
}
