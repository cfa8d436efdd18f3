//! A wavelet matrix: finds the least number that is not below a bound, in any range of a list.
//!
//! The numbers are partitioned bit by bit, the highest bit first, and each step records their new positions. A range
//! can be followed through the steps, so a query takes one step for each bit, whatever the range and the numbers.

/// A list of numbers that are less than its length.
#[derive(Debug)]
pub struct Successors {
    /// One partition for each bit, from the highest to the lowest.
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    bit: u32,
    /// One bit for each number, set if the number has the step's bit clear; and the count of set bits before each word.
    words: Vec<(u64, u32)>,
    /// The number of numbers with the bit clear. After the step, the others follow them.
    count: usize,
}

impl Successors {
    /// Builds the matrix of a list.
    pub fn new(numbers: &[u32]) -> Self {
        let bits = usize::BITS - numbers.len().leading_zeros();
        let mut numbers = numbers.to_vec();
        let steps = (0..bits).rev().map(|bit| Step::new(1 << bit, &mut numbers)).collect();
        Self { steps }
    }

    /// Returns the least number that is at least `least` in a range of the list. The range must not be empty, and
    /// `least` must be at most the length of the list.
    pub fn find(&self, mut start: usize, mut end: usize, least: u32) -> Option<u32> {
        // The range of the numbers that first differ from `least` in a set bit. The deepest such range contains the
        // result, unless the list contains `least` itself.
        let mut greater = None;
        for (depth, step) in self.steps.iter().enumerate() {
            let (without, with) = step.split(start, end);
            if least & step.bit == 0 {
                if with.0 < with.1 {
                    greater = Some((depth, with));
                }
                (start, end) = without;
            } else {
                (start, end) = with;
            }
            if start == end {
                let (depth, range) = greater?;
                return Some(self.least_of(depth, range, least));
            }
        }
        Some(least)
    }

    /// Returns the least number of a range after a step. Its numbers have the step's bit set, and the bits above it are
    /// those of `least`.
    fn least_of(&self, depth: usize, (mut start, mut end): (usize, usize), least: u32) -> u32 {
        let bit = self.steps[depth].bit;
        let mut number = least & !(bit | (bit - 1)) | bit;
        for step in &self.steps[depth + 1..] {
            let (without, with) = step.split(start, end);
            if without.0 < without.1 {
                (start, end) = without;
            } else {
                number |= step.bit;
                (start, end) = with;
            }
        }
        number
    }
}

impl Step {
    /// Partitions the numbers by a bit, in stable order. Those with the bit clear come first.
    fn new(bit: u32, numbers: &mut [u32]) -> Self {
        let mut words = Vec::with_capacity(numbers.len() / 64 + 1);
        let mut count = 0;
        for some in numbers.chunks(64) {
            let word = some.iter().rev().fold(0, |word, number| word << 1 | u64::from(number & bit == 0));
            words.push((word, count));
            count += word.count_ones();
        }
        words.push((0, count));
        let (without, with): (Vec<u32>, Vec<u32>) = numbers.iter().partition(|&number| number & bit == 0);
        numbers[..without.len()].copy_from_slice(&without);
        numbers[without.len()..].copy_from_slice(&with);
        Self { bit, words, count: without.len() }
    }

    /// Returns the ranges after the step of those with the bit clear and of those with the bit set.
    #[inline]
    fn split(&self, start: usize, end: usize) -> ((usize, usize), (usize, usize)) {
        let (before, within) = (self.without_before(start), self.without_before(end));
        ((before, within), (self.count + start - before, self.count + end - within))
    }

    #[inline]
    fn without_before(&self, position: usize) -> usize {
        let (word, before) = self.words[position / 64];
        (before + (word & !(u64::MAX << (position % 64))).count_ones()) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dice;

    #[test]
    fn results_agree_with_a_plain_search() {
        let mut dice = Dice::new(3);
        for length in [1, 2, 3, 63, 64, 65, 128, 500] {
            let numbers: Vec<u32> = (0..length).map(|_| dice.below(length) as u32).collect();
            let successors = Successors::new(&numbers);
            for _ in 0..500 {
                let start = dice.below(length);
                let end = start + 1 + dice.below(length - start);
                let least = dice.below(length + 1) as u32;
                let plain = numbers[start..end].iter().copied().filter(|&number| number >= least).min();
                assert_eq!(successors.find(start, end, least), plain, "{numbers:?} {start} {end} {least}");
            }
        }
    }
}
