//! The input of a call, read with bounds checks.

use canfetch::engine::{Located, locate};

use crate::failure::Failure;

/// A URL that verdicts are about.
#[derive(Debug)]
pub struct Target {
    /// The URL as written.
    pub url: Vec<u8>,
    /// Its parts; `None` if it is invalid.
    pub located: Option<Located>,
}

/// A chain of product tokens, and whether the groups for `*` apply.
#[derive(Debug)]
pub struct Agent {
    /// The tokens in order.
    pub tokens: Vec<Vec<u8>>,
    /// Whether the groups for `*` apply if no token has a group.
    pub star_applies: bool,
}

impl Agent {
    /// Whether there is a token and each of them is valid, as in `canfetch/core/tokens.py`.
    pub fn is_valid(&self) -> bool {
        !self.tokens.is_empty() && self.tokens.iter().all(|token| is_product_token(token))
    }
}

fn is_product_token(token: &[u8]) -> bool {
    !token.is_empty() && !token.iter().any(|&byte| byte <= 0x20 || matches!(byte, b'/' | 0x7F))
}

/// Reads numbers and bytes from the start of a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Input<'i>(pub &'i [u8]);

impl<'i> Input<'i> {
    fn number(&mut self) -> Result<u32, Failure> {
        let (number, rest) = self.0.split_first_chunk().ok_or(Failure::MalformedInput)?;
        self.0 = rest;
        Ok(u32::from_le_bytes(*number))
    }

    fn bytes(&mut self) -> Result<&'i [u8], Failure> {
        let length = self.number()? as usize;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(Failure::MalformedInput)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Reads a URL.
    pub fn target(&mut self) -> Result<Target, Failure> {
        let url = self.bytes()?;
        Ok(Target { url: url.to_vec(), located: locate(url) })
    }

    /// Reads an agent: whether the groups for `*` apply, the number of tokens, and the tokens.
    pub fn agent(&mut self) -> Result<Agent, Failure> {
        let star_applies = self.number()? != 0;
        let tokens = (0..self.number()?).map(|_| self.bytes().map(<[u8]>::to_vec)).collect::<Result<_, _>>()?;
        Ok(Agent { tokens, star_applies })
    }

    /// Reads a number of items and the items, which must be the rest of the input.
    pub fn list<T>(&mut self, read: impl Fn(&mut Self) -> Result<T, Failure>) -> Result<Vec<T>, Failure> {
        let items = (0..self.number()?).map(|_| read(self)).collect::<Result<_, _>>()?;
        self.end()?;
        Ok(items)
    }

    /// Checks that the input has no more bytes.
    pub fn end(self) -> Result<(), Failure> {
        if self.0.is_empty() { Ok(()) } else { Err(Failure::MalformedInput) }
    }
}
