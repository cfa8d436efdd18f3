//! Pointers of callers: the only code that follows them.
//!
//! What can be checked is checked. That a pointer points to as many bytes as its length, and that a handle is open, is the
//! caller's duty, as in every C library. Each function states it.

use std::ffi::c_char;
use std::ptr::{self, NonNull};
use std::slice;

use crate::status::Status;

/// Returns the bytes of a caller. Without bytes, the pointer may be null.
///
/// # Safety
///
/// `data` points to `length` bytes that do not change while the result is used.
pub unsafe fn bytes<'a>(data: *const c_char, length: usize) -> Result<&'a [u8], Status> {
    if length == 0 {
        return Ok(&[]);
    }
    // SAFETY: the caller promises the same of `data`, and bytes have any alignment.
    unsafe { list(data.cast(), length) }
}

/// Returns the list of a caller, which is not empty.
///
/// # Safety
///
/// `data` points to `length` initialized values that do not change while the result is used.
pub unsafe fn list<'a, T>(data: *const T, length: usize) -> Result<&'a [T], Status> {
    check(data)?;
    let size = length.checked_mul(size_of::<T>()).filter(|&size| isize::try_from(size).is_ok());
    size.and_then(|size| data.addr().checked_add(size)).ok_or(Status::InvalidNumber)?;
    // SAFETY: `data` is aligned and not null, the list neither wraps around nor exceeds `isize::MAX` bytes, and the
    // caller promises the rest.
    Ok(unsafe { slice::from_raw_parts(data, length) })
}

/// Returns the object of a handle.
///
/// # Safety
///
/// A handle that is not null is of `open`, and not closed while the result is used.
pub unsafe fn handle<'a, T>(pointer: *const T) -> Result<&'a T, Status> {
    check(pointer)?;
    // SAFETY: it is aligned and not null, and the caller promises that it is open. No function changes the object.
    Ok(unsafe { &*pointer })
}

/// Returns a handle, which `close` frees.
pub fn open<T>(object: T) -> *mut T {
    Box::into_raw(Box::new(object))
}

/// Frees a handle. Null is not a handle, and is ignored.
///
/// # Safety
///
/// A handle that is not null is of `open`, is closed once, and is not in use.
pub unsafe fn close<T>(pointer: *mut T) {
    if check(pointer).is_ok() {
        // SAFETY: the caller promises that `open` returned it, and that this is the only call that closes it.
        drop(unsafe { Box::from_raw(pointer) });
    }
}

/// A place for a result.
pub struct Place<T>(NonNull<T>);

impl<T> Place<T> {
    /// Checks a pointer, and writes a first value.
    ///
    /// # Safety
    ///
    /// A pointer that is not null points to memory for a value, which only this call uses until it returns.
    pub unsafe fn new(pointer: *mut T, value: T) -> Result<Self, Status> {
        check(pointer)?;
        let place = Self(NonNull::new(pointer).ok_or(Status::InvalidPointer)?);
        place.set(value);
        Ok(place)
    }

    /// Writes a value. Values have no destructors, so the one before needs none.
    pub fn set(&self, value: T) {
        const { assert!(!std::mem::needs_drop::<T>()) };
        // SAFETY: `new` checked the pointer, and its caller promises memory for a value. The value before is not read.
        unsafe { self.0.write(value) };
    }
}

/// Copies a text and a NUL byte into a buffer, and writes the length of the text. Without room, the buffer is unchanged. If
/// the pointer is invalid, the length is unchanged, too.
///
/// # Safety
///
/// `buffer` points to `size` bytes, which only this call uses until it returns. Without bytes, it may be null.
pub unsafe fn copy(text: &str, buffer: *mut c_char, size: usize, length: &Place<usize>) -> Result<(), Status> {
    if size > 0 {
        check(buffer)?;
    }
    length.set(text.len());
    if size <= text.len() {
        return Err(Status::BufferTooSmall);
    }
    // SAFETY: the buffer is not null and has more bytes than the text, which is not in it: it was made by this library.
    unsafe {
        ptr::copy_nonoverlapping(text.as_ptr().cast(), buffer, text.len());
        buffer.add(text.len()).write(0);
    }
    Ok(())
}

fn check<T>(pointer: *const T) -> Result<(), Status> {
    if pointer.is_null() || !pointer.is_aligned() { Err(Status::InvalidPointer) } else { Ok(()) }
}

#[cfg(test)]
#[allow(clippy::cast_possible_wrap)] // The characters of C have a sign on some platforms.
mod tests {
    use super::*;

    #[test]
    fn without_bytes_null_is_valid() {
        // SAFETY: there are no bytes.
        assert_eq!(unsafe { bytes(ptr::null(), 0) }, Ok(&[][..]));
    }

    #[test]
    fn impossible_pointers_and_lengths_are_rejected_before_they_are_followed() {
        let text = c"abc".as_ptr();
        for length in [isize::MAX as usize + 1, usize::MAX] {
            // SAFETY: the function rejects the length.
            assert_eq!(unsafe { bytes(text, length) }, Err(Status::InvalidNumber));
        }
        // SAFETY: the functions reject the pointers and lengths.
        unsafe {
            assert_eq!(bytes(ptr::null(), 1), Err(Status::InvalidPointer));
            assert_eq!(bytes(ptr::without_provenance(usize::MAX), 2), Err(Status::InvalidNumber));
            assert_eq!(list(ptr::without_provenance::<u64>(9), 1), Err(Status::InvalidPointer));
            assert_eq!(list(ptr::without_provenance::<u64>(8), usize::MAX / 8), Err(Status::InvalidNumber));
            assert_eq!(handle::<u64>(ptr::null()), Err(Status::InvalidPointer));
            assert_eq!(Place::new(ptr::null_mut(), 0_u64).err(), Some(Status::InvalidPointer));
            close::<u64>(ptr::null_mut());
        }
    }

    #[test]
    fn a_text_is_copied_only_with_its_end() {
        let (mut length, mut buffer) = (0, [b'x' as c_char; 4]);
        // SAFETY: the place and the buffer exist, and the buffer has the size or more.
        unsafe {
            let place = Place::new(&raw mut length, 0).unwrap();
            assert_eq!(copy("abc", ptr::null_mut(), 4, &place), Err(Status::InvalidPointer));
            assert_eq!(length, 0);
            assert_eq!(copy("abc", ptr::null_mut(), 0, &place), Err(Status::BufferTooSmall));
            assert_eq!(copy("abc", buffer.as_mut_ptr(), 3, &place), Err(Status::BufferTooSmall));
            assert_eq!((length, buffer), (3, [b'x' as c_char; 4]));
            assert_eq!(copy("abc", buffer.as_mut_ptr(), 4, &place), Ok(()));
        }
        assert_eq!(buffer, [b'a', b'b', b'c', 0].map(|byte| byte as c_char));
    }
}
