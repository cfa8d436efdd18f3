//! Lists of small records in one allocation: each record is a fixed number of words.

use std::array::from_fn;
use std::marker::PhantomData;
use std::ops::Range;

/// A record of `N` words.
pub trait Packed<const N: usize>: Copy {
    /// The record as words.
    fn pack(self) -> [u32; N];
    /// The record that [`Self::pack`] returned as these words.
    fn unpack(words: [u32; N]) -> Self;
}

/// A list of records, read from its words.
#[derive(Debug)]
pub struct List<'w, T, const N: usize> {
    words: &'w [u32],
    records: PhantomData<T>,
}

impl<T, const N: usize> Clone for List<'_, T, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for List<'_, T, N> {}

impl<'w, T: Packed<N>, const N: usize> List<'w, T, N> {
    /// Wraps the words of records, as `Packed::pack` returned them.
    #[inline]
    pub fn new(words: &'w [u32]) -> Self {
        Self { words, records: PhantomData }
    }

    /// The number of records.
    #[inline]
    pub fn len(self) -> usize {
        self.words.len() / N
    }

    /// Whether there are no records.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.words.is_empty()
    }

    /// The record at `index`, if there is one.
    #[inline]
    pub fn get(self, index: usize) -> Option<T> {
        self.words.get(index * N..)?.first_chunk().copied().map(T::unpack)
    }

    /// The record at `index`.
    ///
    /// # Panics
    /// If there is no such record.
    #[inline]
    pub fn at(self, index: usize) -> T {
        self.get(index).expect("an index below the length of the list")
    }

    /// The records of a range of indices.
    ///
    /// # Panics
    /// If the range is not within the list.
    #[inline]
    #[must_use]
    pub fn range(self, range: Range<usize>) -> Self {
        Self::new(&self.words[range.start * N..range.end * N])
    }

    /// The records in order.
    #[inline]
    pub fn iter(self) -> impl ExactSizeIterator<Item = T> + DoubleEndedIterator + 'w
    where
        T: 'w,
    {
        self.words.chunks_exact(N).map(|words| T::unpack(from_fn(|at| words[at])))
    }
}
