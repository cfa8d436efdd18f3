//! The numbers of short values, such as the names of agents: found without a hash of all bytes.

/// The values that are remembered. Later ones replace those in the same slot.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 6;

/// Numbers of values of 4 to 16 bytes.
pub struct ShortValues {
    slots: Box<[(Key, u32); SLOTS]>,
}

/// The first and the last bytes of a value, which together are all of them, and its length.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Key {
    first: u64,
    last: u64,
    length: usize,
}

impl Key {
    #[inline]
    fn of(value: &[u8]) -> Option<Self> {
        let length = value.len();
        if length > 16 {
            return None;
        }
        if let (Some(first), Some(last)) = (value.first_chunk(), value.last_chunk()) {
            return Some(Self { first: u64::from_le_bytes(*first), last: u64::from_le_bytes(*last), length });
        }
        let (first, last) = (value.first_chunk()?, value.last_chunk()?);
        Some(Self { first: u32::from_le_bytes(*first).into(), last: u32::from_le_bytes(*last).into(), length })
    }

    #[inline]
    fn slot(self) -> usize {
        let mixed = (self.first ^ self.last.rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (u64::BITS - SLOT_BITS)) as usize
    }
}

impl Default for ShortValues {
    fn default() -> Self {
        Self { slots: Box::new([(Key::default(), 0); SLOTS]) }
    }
}

impl ShortValues {
    /// The number of a value that is remembered.
    #[inline]
    pub fn get(&self, value: &[u8]) -> Option<u32> {
        let key = Key::of(value)?;
        let (known, number) = self.slots[key.slot()];
        (known == key).then_some(number)
    }

    /// Remembers the number of a value, if it is short.
    pub fn insert(&mut self, value: &[u8], number: u32) {
        if let Some(key) = Key::of(value) {
            self.slots[key.slot()] = (key, number);
        }
    }

    /// Forgets all numbers.
    pub fn clear(&mut self) {
        self.slots.fill((Key::default(), 0));
    }
}
