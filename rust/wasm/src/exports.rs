//! The exported functions. The host calls them from one thread; each thread of a native test has its own state.
#![allow(unsafe_code)] // For the names of the functions only.

use std::cell::RefCell;

use crate::engine::Engine;
use crate::failure::Failure;

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::default();
}

fn call(function: impl FnOnce(&mut Engine) -> Result<u32, Failure>) -> i32 {
    ENGINE.with_borrow_mut(|engine| match function(engine) {
        Ok(number) => i32::try_from(number).unwrap_or(Failure::TooLarge as i32),
        Err(failure) => failure as i32,
    })
}

/// Returns the address of an input buffer with this many zero bytes, or null if that is too large.
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_input(length: u32) -> *mut u8 {
    ENGINE.with_borrow_mut(|engine| engine.input(length).map_or(std::ptr::null_mut(), <[u8]>::as_mut_ptr))
}

/// Returns the address of the output of the last call.
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_output() -> *const u8 {
    ENGINE.with_borrow(|engine| engine.output().as_ptr())
}

/// Returns the length of the output of the last call.
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_output_length() -> u32 {
    ENGINE.with_borrow(|engine| engine.output().len() as u32)
}

/// See [`Engine::profiles`].
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_profiles() -> i32 {
    call(Engine::profiles)
}

/// See [`Engine::open`].
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_open(max_bytes: u32) -> i32 {
    call(|engine| engine.open(max_bytes))
}

/// See [`Engine::close`].
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_close(handle: u32) -> i32 {
    call(|engine| engine.close(handle))
}

/// See [`Engine::bind`].
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_bind(handle: u32, profile: u32) -> i32 {
    call(|engine| engine.bind(handle, profile))
}

/// See [`Engine::decide`].
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_decide(handle: u32, rules: u32) -> i32 {
    call(|engine| engine.decide(handle, rules))
}

/// See [`Engine::others`].
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_others(handle: u32, profile: u32) -> i32 {
    call(|engine| engine.others(handle, profile))
}

/// See [`Engine::set_targets`].
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_set_targets() -> i32 {
    call(Engine::set_targets)
}

/// See [`Engine::set_agents`].
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_set_agents() -> i32 {
    call(Engine::set_agents)
}

/// See [`Engine::matrix`].
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_matrix(handle: u32, profile: u32, first: u32, count: u32) -> i32 {
    call(|engine| engine.matrix(handle, profile, first, count))
}

/// See [`Engine::differences`].
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_differences(handle: u32, profile: u32, others: u32, first: u32, count: u32) -> i32 {
    call(|engine| engine.differences(handle, profile, others, first, count))
}

/// See [`Engine::explain`].
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_explain(handle: u32, profile: u32) -> i32 {
    call(|engine| engine.explain(handle, profile))
}

/// See [`Engine::readings`].
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_readings(handle: u32) -> i32 {
    call(|engine| engine.readings(handle))
}

/// See [`Engine::info`].
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_info(handle: u32, profile: u32) -> i32 {
    call(|engine| engine.info(handle, profile))
}

/// See [`Engine::readers`].
#[unsafe(no_mangle)]
pub extern "C" fn canfetch_readers(handle: u32, profile: u32, line: u32) -> i32 {
    call(|engine| engine.readers(handle, profile, line))
}
