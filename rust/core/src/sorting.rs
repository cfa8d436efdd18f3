//! Sorting by numeric keys.
//!
//! All types share one compiled sort. The standard library compiles one for each type, of 5 to 8 KB.

/// Sorts elements by their keys. Elements with equal keys keep their order.
pub fn sort_by_key<T: Copy>(elements: &mut Vec<T>, key: impl Fn(&T) -> u64) {
    let mut keyed: Vec<(u64, u32)> = elements.iter().map(key).zip(0..).collect();
    sort(&mut keyed);
    *elements = keyed.into_iter().map(|(_, place)| elements[place as usize]).collect();
}

/// Sorts pairs of a key and a place.
#[inline(never)]
pub fn sort(keyed: &mut [(u64, u32)]) {
    keyed.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::sort_by_key;

    #[test]
    fn elements_with_equal_keys_keep_their_order() {
        let mut elements = vec![(3, 'a'), (1, 'b'), (3, 'c'), (2, 'd'), (1, 'e')];
        sort_by_key(&mut elements, |element| element.0);
        assert_eq!(elements, [(1, 'b'), (1, 'e'), (2, 'd'), (3, 'a'), (3, 'c')]);
    }

    #[test]
    fn nothing_is_sorted() {
        let mut elements: Vec<u32> = Vec::new();
        sort_by_key(&mut elements, |&element| element.into());
        assert!(elements.is_empty());
    }
}
