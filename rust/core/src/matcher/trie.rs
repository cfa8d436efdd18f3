//! A radix trie of the literal heads of all texts, in flat arrays. One walk along the target finds every head that it
//! begins with, whatever the number of rules.
//!
//! Nodes are in breadth-first order, so the children of a node are adjacent.

use super::needle::Needle;
use super::suffixes::first_eight;
use super::texts::NO_RANK;

use std::collections::VecDeque;
use std::ops::Range;

/// No wildcard text.
const NONE: u32 = u32::MAX;

/// The number of label bytes in a node.
const INLINE: usize = 8;

/// The number of bits for the length of a label. A longer label continues in a single child.
const LENGTH_BITS: u32 = 23;

/// Up to this many children are compared at once.
const FEW_CHILDREN: usize = 8;

/// A node, of half a cache line: a walk mostly waits for memory.
#[derive(Debug)]
struct Node {
    /// The first bytes of the label, the first one in the lowest bits, padded with 0.
    label: u64,
    /// Where the whole label begins in the texts.
    label_start: u32,
    /// The length of the label in the lowest bits, and the number of children, up to 256, above them.
    length_and_children: u32,
    /// The index of the first child.
    children: u32,
    /// Where the node's wildcard texts begin, or [`NONE`].
    wild: u32,
    /// The best rank of the prefixes on the path to this node.
    prefix: u32,
    /// The best rank of the texts that match this head as a whole target.
    whole: u32,
}

/// A wildcard text.
#[derive(Clone, Copy, Debug)]
pub struct Wild {
    /// The rank of the text.
    pub rank: u32,
    /// The needle of what follows its head.
    pub needle: Needle,
}

/// A head to be inserted.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// The bytes of the head.
    pub text: &'a [u8],
    /// Where it begins in the texts of the index.
    pub start: u32,
    /// The rank of the text.
    pub rank: u32,
    /// What follows the head.
    pub kind: Kind,
    /// The needle of what follows the head.
    pub needle: Needle,
}

/// What follows a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: it matches every target that begins with it.
    Prefix,
    /// The end of the target.
    Whole,
    /// A star and more, to be checked by the visitor of [`Trie::walk`].
    Wild,
}

/// Sorts heads by their bytes, then by rank.
pub fn sort(heads: &mut Vec<Head<'_>>) {
    // The first bytes as a number decide most comparisons, without reading the texts.
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
    /// The first byte of each node's label, and padding.
    firsts: Box<[u8]>,
    /// The first node with more than [`FEW_CHILDREN`], usually that of `/`. Nearly every walk passes it.
    fork: u32,
    /// For each byte, 1 + the number of its child of that node, or 0.
    fork_children: Option<Box<[u8; 256]>>,
    /// For each node with wildcard texts: these texts in order of rank, and one with [`NO_RANK`] that ends them.
    wild: Box<[Wild]>,
}

impl Trie {
    /// Builds a trie of sorted heads.
    pub fn new(heads: &[Head<'_>]) -> Self {
        let nodes = heads.len() * 5 / 4 + 1;
        let mut builder = Builder { nodes: Vec::with_capacity(nodes), firsts: vec![0], wild: Vec::new(), next: 1 };
        // The heads of each node, in breadth-first order, with the depth of the node and the best prefix above it.
        let mut ranges = Ranges::from([(0..heads.len(), 0, NO_RANK)]);
        while let Some((range, depth, above)) = ranges.pop_front() {
            builder.add(heads, range, depth, above, &mut ranges);
        }
        builder.finish()
    }

    /// The memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        let fork_children = self.fork_children.as_deref().map_or(0, size_of_val);
        size_of_val(&*self.nodes) + self.firsts.len() + fork_children + size_of_val(&*self.wild)
    }

    /// Reads the root, the first nodes below it, a node of each line of the cache, and the children of most letters.
    #[inline]
    pub fn touch(&self) -> u32 {
        let letters =
            self.fork_children.as_ref().map_or(0, |children| children[usize::from(b'a')] ^ children[usize::from(b'z')]);
        let first = u32::from(self.firsts[0] ^ letters);
        self.nodes.iter().step_by(2).take(16).fold(first, |all, node| all ^ node.children)
    }

    /// Walks along the target and returns the best rank. `visit` is called with the wildcard texts of each head that
    /// the target begins with, up to one with [`NO_RANK`], and the best rank so far. It returns the new best rank.
    #[inline]
    pub fn walk(&self, texts: &[u8], target: &[u8], mut best: u32, mut visit: impl FnMut(&[Wild], u32) -> u32) -> u32 {
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
                best = visit(&self.wild[node.wild as usize..], best);
            }
            let Some(&byte) = target.get(at) else { return best.min(node.whole) };
            let (first, count) = (node.children as usize, node.child_count());
            let child = match (count, &self.fork_children) {
                // Also for no child and one child: processors could not predict which of three cases comes next.
                (..=FEW_CHILDREN, _) => find_among_few(byte, &self.firsts[first..], count),
                (_, Some(children)) if index == self.fork as usize => {
                    usize::from(children[usize::from(byte)]).checked_sub(1)
                }
                _ => memchr::memchr(byte, &self.firsts[first..first + count]),
            };
            let Some(child) = child else { return best };
            index = first + child;
        }
    }
}

impl Node {
    #[inline]
    fn label_length(&self) -> usize {
        (self.length_and_children & ((1 << LENGTH_BITS) - 1)) as usize
    }

    #[inline]
    fn child_count(&self) -> usize {
        (self.length_and_children >> LENGTH_BITS) as usize
    }

    /// Whether the text begins with the label.
    #[inline]
    fn begins(&self, text: &[u8], texts: &[u8]) -> bool {
        let bytes = self.label_length();
        // Shifted in two steps, because a shift by the whole word is not allowed.
        let inline = bytes.min(INLINE);
        let mask = !(u64::MAX << (4 * inline) << (4 * inline));
        // First what most labels fail at, whatever their length.
        first_word(text) & mask == self.label
            && text.len() >= bytes
            && (bytes <= INLINE || text[INLINE..].starts_with(&texts[self.label_start as usize..][INLINE..bytes]))
    }
}

/// Returns the first eight bytes as a word, the first one in the lowest bits, padded with 0.
#[inline]
fn first_word(text: &[u8]) -> u64 {
    match text.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => text.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// Finds a byte among the first `count` of at least eight, without a branch for each.
#[inline]
fn find_among_few(byte: u8, among: &[u8], count: usize) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let differences = first_word(among) ^ (ONES * u64::from(byte));
    // The lowest high bit marks the first byte that is 0. Higher ones may be wrong.
    let zeros = differences.wrapping_sub(ONES) & !differences & (0x80 * ONES);
    let found = zeros.trailing_zeros() as usize / 8;
    (found < count).then_some(found)
}

type Ranges = VecDeque<(Range<usize>, usize, u32)>;

struct Builder {
    nodes: Vec<Node>,
    firsts: Vec<u8>,
    wild: Vec<Wild>,
    /// The index of the next child.
    next: u32,
}

impl Builder {
    /// Adds the node of the heads in `range`, which agree up to `depth`, and queues its children.
    fn add(&mut self, heads: &[Head<'_>], range: Range<usize>, depth: usize, above: u32, ranges: &mut Ranges) {
        let heads_here = &heads[range.clone()];
        // They are sorted, so all of them share what the first and the last share.
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
                    }
                    self.wild.push(Wild { rank: head.rank, needle: head.needle });
                }
            }
        }
        if node.wild != NONE {
            self.wild.push(Wild { rank: NO_RANK, needle: Needle::default() });
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

    fn finish(mut self) -> Trie {
        let fork = self.nodes.iter().position(|node| (FEW_CHILDREN + 1..=u8::MAX.into()).contains(&node.child_count()));
        let fork_children = fork.map(|fork| {
            let mut children = Box::new([0; 256]);
            let first = self.nodes[fork].children as usize;
            for (number, &byte) in (1..=u8::MAX).zip(&self.firsts[first..first + self.nodes[fork].child_count()]) {
                children[usize::from(byte)] = number;
            }
            children
        });
        self.firsts.extend([0; FEW_CHILDREN]);
        Trie {
            nodes: self.nodes.into(),
            firsts: self.firsts.into(),
            fork: fork.unwrap_or_default() as u32,
            fork_children,
            wild: self.wild.into(),
        }
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
                let head =
                    Head { text: head.as_bytes(), start, rank: rank as u32, kind: *kind, needle: Needle::default() };
                start += head.text.len() as u32;
                head
            })
            .collect();
        sort(&mut placed);
        (texts, Trie::new(&placed))
    }

    #[test]
    fn every_head_on_the_path_counts() {
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
                seen.extend(wild.iter().map(|wild| wild.rank).take_while(|&rank| rank != NO_RANK));
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
    fn each_child_is_found_by_its_first_byte() {
        for count in 1..=256 {
            let texts: Vec<u8> = (0..=u8::MAX).flat_map(|byte| [b'/', byte, b'x']).collect();
            let heads: Vec<Head<'_>> = (0..count)
                .map(|rank| {
                    let start = 3 * rank;
                    let (text, start) = (&texts[start..start + 3], start as u32);
                    Head { text, start, rank: rank as u32, kind: Kind::Prefix, needle: Needle::default() }
                })
                .collect();
            let trie = Trie::new(&heads);
            for (number, target) in texts.chunks(3).enumerate() {
                let expected = if number < count { number as u32 } else { NO_RANK };
                assert_eq!(trie.walk(&texts, target, NO_RANK, |_, best| best), expected, "{count} {number}");
            }
        }
    }

    #[test]
    fn an_empty_trie_matches_nothing() {
        assert_eq!(Trie::new(&[]).walk(b"", b"/a", NO_RANK, |_, best| best), NO_RANK);
    }
}
