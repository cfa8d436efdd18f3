//! The least number not below another one, among those of any range of a list (a wavelet matrix).
//!
//! The numbers are sorted bit by bit, highest first, and each step remembers where they went: so a range can be followed
//! down the bits, and costs as many steps as the numbers have bits, wherever it is and whatever it holds.

/// A list of numbers below its own length.
#[derive(Debug)]
pub struct Successors {
    /// From the highest bit to the lowest: which numbers, as they stand before the step, have it not set.
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    bit: u32,
    /// A bit for each number without the bit, in words, and how many there are before each word.
    words: Vec<(u64, u32)>,
    /// How many there are: behind them stand the numbers that have it.
    count: usize,
}

impl Successors {
    /// Takes a list.
    pub fn new(numbers: &[u32]) -> Self {
        let bits = usize::BITS - numbers.len().leading_zeros();
        let mut numbers = numbers.to_vec();
        let steps = (0..bits).rev().map(|bit| Step::new(1 << bit, &mut numbers)).collect();
        Self { steps }
    }

    /// The least number not below `least`, at most the length of the list, in a range of it that is not empty.
    pub fn find(&self, mut start: usize, mut end: usize, least: u32) -> Option<u32> {
        // Where the numbers part that are greater than `least` from their first different bit on: the last such place is
        // that of the next number, if `least` itself is not there.
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

    /// The least number of a range behind a step: those in it agree with `least` above the step's bit, and have the bit.
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
    /// Parts the numbers by a bit, those without it first, in the order in which they stand.
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

    /// Where the numbers of a range stand after the step: those without the bit, and those with it.
    #[inline]
    fn split(&self, start: usize, end: usize) -> ((usize, usize), (usize, usize)) {
        let (before, within) = (self.without_before(start), self.without_before(end));
        ((before, within), (self.count + start - before, self.count + end - within))
    }

    #[inline]
    fn without_before(&self, place: usize) -> usize {
        let (word, before) = self.words[place / 64];
        (before + (word & !(u64::MAX << (place % 64))).count_ones()) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Dice;

    #[test]
    fn it_finds_what_a_look_at_all_finds() {
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
