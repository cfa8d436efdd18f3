//! The numbers of short values, such as the names of agents: found without a hash of all bytes.

/// The values that are remembered. Later ones replace those in the same slot.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 6;
/// The most bytes of a short value.
const SHORT: usize = 16;

/// Numbers of values of up to 16 bytes.
pub struct ShortValues {
    slots: Box<[(Key, u32); SLOTS]>,
}

/// The bytes of a value, followed by zeros, and its length.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    bytes: u128,
    length: u32,
}

/// The key of no value.
const NONE: Key = Key { bytes: 0, length: u32::MAX };

/// The bytes of each length.
const MASKS: [u128; SHORT + 1] = {
    let mut masks = [0; SHORT + 1];
    let mut length = 1;
    while length <= SHORT {
        masks[length] = u128::MAX >> (u128::BITS - 8 * length as u32);
        length += 1;
    }
    masks
};

impl Key {
    /// The key of the first `length` bytes of `rest`. Without a branch if there are enough bytes after them, because the
    /// lengths of names vary.
    #[inline]
    fn of(rest: &[u8], length: usize) -> Option<Self> {
        let mask = MASKS.get(length)?;
        let bytes = if let Some(bytes) = rest.first_chunk() {
            u128::from_le_bytes(*bytes) & mask
        } else {
            let mut bytes = [0; SHORT];
            bytes[..length].copy_from_slice(&rest[..length]);
            u128::from_le_bytes(bytes)
        };
        Some(Self { bytes, length: length as u32 })
    }

    #[inline]
    fn slot(self) -> usize {
        let (first, last) = (self.bytes as u64, (self.bytes >> u64::BITS) as u64);
        let mixed = (first ^ last.rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (u64::BITS - SLOT_BITS)) as usize
    }
}

impl Default for ShortValues {
    fn default() -> Self {
        Self { slots: Box::new([(NONE, 0); SLOTS]) }
    }
}

impl ShortValues {
    /// The number of the first `length` bytes of `rest`, if it is remembered.
    #[inline]
    pub fn get(&self, rest: &[u8], length: usize) -> Option<u32> {
        let key = Key::of(rest, length)?;
        let (known, number) = self.slots[key.slot()];
        (known == key).then_some(number)
    }

    /// Remembers the number of a value, if it is short.
    pub fn insert(&mut self, value: &[u8], number: u32) {
        if let Some(key) = Key::of(value, value.len()) {
            self.slots[key.slot()] = (key, number);
        }
    }

    /// Forgets all numbers.
    pub fn clear(&mut self) {
        self.slots.fill((NONE, 0));
    }
}
