//! Calls of the exported functions: correct ones, wrong ones, and random ones.
#![allow(unsafe_code)] // Writes input and reads output as a host does.

use canfetch_wasm::*;

const UNKNOWN_DOCUMENT: i32 = -1;
const UNKNOWN_PROFILE: i32 = -2;
const MALFORMED_INPUT: i32 = -3;
const TOO_LARGE: i32 = -4;
const INVALID_LIMIT: i32 = -5;
const INVALID_TARGET: i32 = -6;
const INVALID_AGENT: i32 = -7;
const UNKNOWN_RULES: i32 = -8;

const MAX_BYTES: u32 = 512_000;
const FILE: &[u8] = b"user-agent: *\ndisallow: /a\nallow: /a*c$\n\nuser-agent: foo\ndisallow: /b?d=:\nsitemap: s";

fn send(bytes: &[u8]) {
    let address = canfetch_input(bytes.len() as u32);
    assert!(!address.is_null());
    // SAFETY: the buffer has this many bytes, and nothing else uses it before the next call.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address, bytes.len()) };
}

fn output() -> Vec<u8> {
    let length = canfetch_output_length() as usize;
    // SAFETY: the output has this many bytes, and they are copied before the next call.
    unsafe { std::slice::from_raw_parts(canfetch_output(), length).to_vec() }
}

fn open(content: &[u8]) -> u32 {
    send(content);
    u32::try_from(canfetch_open(MAX_BYTES)).expect("an open file")
}

fn number(number: usize) -> Vec<u8> {
    (number as u32).to_le_bytes().to_vec()
}

fn bytes(value: &[u8]) -> Vec<u8> {
    [&number(value.len()), value].concat()
}

fn agent(tokens: &[&[u8]]) -> Vec<u8> {
    let encoded: Vec<u8> = tokens.iter().flat_map(|token| bytes(token)).collect();
    [number(1), number(tokens.len()), encoded].concat()
}

fn list(items: &[Vec<u8>]) -> Vec<u8> {
    [number(items.len()), items.concat()].concat()
}

fn set_matrix(targets: &[&[u8]], agents: &[&[&[u8]]]) {
    send(&list(&targets.iter().map(|target| bytes(target)).collect::<Vec<_>>()));
    assert_eq!(usize::try_from(canfetch_set_targets()), Ok(targets.len()));
    send(&list(&agents.iter().map(|tokens| agent(tokens)).collect::<Vec<_>>()));
    assert_eq!(usize::try_from(canfetch_set_agents()), Ok(agents.len()));
}

#[test]
fn a_matrix_has_lines_and_marks() {
    let handle = open(FILE);
    set_matrix(&[b"/a", b"/abc", b"/b?d=%3A", b"no"], &[&[b"bar"], &[b"x", b"foo"], &[b"a b"]]);
    assert_eq!(output(), [1, 1, 0]);
    assert_eq!(canfetch_matrix(handle, 0, 0, 4), 12);
    let out = output();
    let lines: Vec<u8> = out[..48].chunks(4).map(|line| line[0]).collect();
    assert_eq!(lines, [2, 0, 0, 3, 0, 0, 0, 6, 0, 0, 0, 0]);
    assert_eq!(out[48..], [2, 0, 3, 1, 0, 3, 0, 2, 3, 3, 3, 3]);
    assert_eq!(canfetch_matrix(handle, 0, 2, 1), 3);
    assert_eq!(output()[12..], [0, 2, 3]);
    // `Allow` was not a rule in 1994.
    assert_eq!(canfetch_differences(handle, 0, 1 << 8, 0, 2), 6);
    assert_eq!(output(), [0, 0, 0, 1, 0, 0]);
}

#[test]
fn invalid_arguments_have_codes() {
    let handle = open(FILE);
    set_matrix(&[b"/"], &[&[b"foo"]]);
    assert_eq!(canfetch_matrix(handle + 1, 0, 0, 1), UNKNOWN_DOCUMENT);
    assert_eq!(canfetch_matrix(handle, 9, 0, 1), UNKNOWN_PROFILE);
    assert_eq!(canfetch_matrix(handle, 0, 1, 1), TOO_LARGE);
    assert_eq!(canfetch_matrix(handle, 0, u32::MAX, u32::MAX), TOO_LARGE);
    assert_eq!(canfetch_differences(handle, 0, 1 << 9, 0, 1), UNKNOWN_PROFILE);
    assert_eq!(canfetch_info(handle, u32::MAX), UNKNOWN_PROFILE);
    for (input, code) in [
        (vec![], MALFORMED_INPUT),
        (bytes(b"/"), MALFORMED_INPUT),
        ([bytes(b"/"), agent(&[b"foo"]), vec![0]].concat(), MALFORMED_INPUT),
        ([number(usize::MAX), agent(&[b"foo"])].concat(), MALFORMED_INPUT),
        ([bytes(b"no"), agent(&[b"foo"])].concat(), INVALID_TARGET),
        ([bytes(b"/"), agent(&[])].concat(), INVALID_AGENT),
        ([bytes(b"/"), agent(&[b""])].concat(), INVALID_AGENT),
        ([bytes(b"/"), agent(&[b"foo", b"a/b"])].concat(), INVALID_AGENT),
    ] {
        send(&input);
        assert_eq!(canfetch_explain(handle, 0), code, "{input:?}");
        send(&input);
        assert_eq!(canfetch_readings(handle), code, "{input:?}");
    }
    send(&number(u32::MAX as usize));
    assert_eq!(canfetch_set_targets(), MALFORMED_INPUT);
    send(FILE);
    assert_eq!(canfetch_open(MAX_BYTES - 1), INVALID_LIMIT);
    assert!(canfetch_input(u32::MAX).is_null());
    assert_eq!(canfetch_close(handle), 0);
    assert_eq!(canfetch_close(handle), UNKNOWN_DOCUMENT);
    assert_eq!(canfetch_readings(handle), MALFORMED_INPUT);
}

#[test]
fn the_number_of_open_files_is_limited() {
    let handles: Vec<u32> = (0..1024).map(|_| open(FILE)).collect();
    send(FILE);
    assert_eq!(canfetch_open(MAX_BYTES), TOO_LARGE);
    assert_eq!(canfetch_close(handles[3]), 0);
    assert!(!handles.contains(&open(FILE)));
}

#[test]
fn decisions_have_a_line_and_a_reason() {
    let handle = open(FILE);
    let bind = |tokens: &[&[u8]]| {
        send(&agent(tokens));
        canfetch_bind(handle, 0)
    };
    let decide = |url: &[u8], rules: i32| {
        send(url);
        canfetch_decide(handle, u32::try_from(rules).expect("a number"))
    };
    let star = bind(&[b"bar"]);
    // By `*`, no token, two rules, one group.
    assert_eq!(output(), [2, u32::MAX, 2, 1, 0].map(u32::to_le_bytes).concat());
    let foo = bind(&[b"bar", b"foo"]);
    assert_eq!(output(), [1, 1, 1, 1, 1].map(u32::to_le_bytes).concat());
    assert_eq!((star, foo, bind(&[b"qux"])), (0, 1, 0));
    for (url, rules, answer) in [
        (&b"/a"[..], star, 2 << 3 | 4),
        (b"https://example.com/abc#x", star, 3 << 3 | 3),
        (b"/c", star, 2),
        (b"/robots.txt", star, 0),
        (b"/b?d=:", foo, 6 << 3 | 4),
        (b"/a", foo, 2),
        (b"", star, INVALID_TARGET),
        (b"a", star, INVALID_TARGET),
        (b"/", 2, UNKNOWN_RULES),
    ] {
        assert_eq!(decide(url, rules), answer, "{url:?} {rules}");
    }
    assert_eq!(bind(&[b""]), INVALID_AGENT);
    assert_eq!(bind(&[]), INVALID_AGENT);
    send(&agent(&[b"foo"]));
    assert_eq!(canfetch_bind(handle, 99), UNKNOWN_PROFILE);
    assert_eq!(canfetch_bind(handle, 0), MALFORMED_INPUT);
    assert_eq!(canfetch_close(handle), 0);
    assert_eq!(decide(b"/", star), UNKNOWN_DOCUMENT);
    send(&agent(&[b"foo"]));
    assert_eq!(canfetch_bind(handle, 0), UNKNOWN_DOCUMENT);
}

#[test]
fn a_file_is_bound_to_a_limited_number_of_rule_sets() {
    let content: Vec<u8> = (0..2000).flat_map(|n| format!("user-agent: a{n}\ndisallow: /{n}\n").into_bytes()).collect();
    let handle = open(&content);
    let bind = |n: usize| {
        send(&agent(&[format!("a{n}").as_bytes()]));
        canfetch_bind(handle, 0)
    };
    assert!((0..1024).all(|n| usize::try_from(bind(n)) == Ok(n)));
    assert_eq!(bind(1024), TOO_LARGE);
    send(b"/1023/x");
    assert_eq!(canfetch_decide(handle, 1023), 2048 << 3 | 4);
}

#[test]
fn other_records_have_a_line_and_a_group() {
    let handle = open(b"sitemap: s\nuser-agent: *\nCrawl-Delay: 1 # c\n");
    assert_eq!(canfetch_others(handle, 0), 2);
    let sitemap = [[1, 0, 1].map(u32::to_le_bytes).concat(), bytes(b"sitemap"), bytes(b"s")].concat();
    let delay = [[3, 1, 0].map(u32::to_le_bytes).concat(), bytes(b"Crawl-Delay"), bytes(b"1")].concat();
    assert_eq!(output(), [sitemap, delay].concat());
    assert_eq!(canfetch_others(handle, 99), UNKNOWN_PROFILE);
    assert_eq!(canfetch_others(handle + 1, 0), UNKNOWN_DOCUMENT);
}

#[test]
fn input_is_read_once() {
    open(FILE);
    set_matrix(&[b"/"], &[&[b"foo"]]);
    assert_eq!(canfetch_set_agents(), MALFORMED_INPUT);
}

/// Reproducible random numbers (xorshift64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as u32 % limit
    }

    fn bytes(&mut self, limit: u32) -> Vec<u8> {
        const PARTS: [&[u8]; 24] = [
            b"user-agent: ",
            b"disallow: ",
            b"allow:",
            b"sitemap: x",
            b"crawl-delay: 1",
            b"*",
            b"foo",
            b"bar",
            b"/",
            b"/a",
            b"?b=",
            b":",
            b"%3A",
            b"%",
            b"$",
            b"\n",
            b"\r",
            b"\n\n",
            b"#",
            b"\0",
            b"\xFF\xFE",
            b"\xEF\xBB\xBF",
            b"index.html",
            b"https://h",
        ];
        let mut out = Vec::new();
        for _ in 0..self.below(limit) {
            if self.below(8) == 0 {
                out.push(self.below(256) as u8);
            } else {
                out.extend_from_slice(PARTS[self.below(PARTS.len() as u32) as usize]);
            }
        }
        out
    }

    /// A small number, or nearly the largest.
    fn argument(&mut self) -> u32 {
        if self.below(6) == 0 { u32::MAX - self.below(3) } else { self.below(12) }
    }

    fn item(&mut self) -> Vec<u8> {
        let mut item = self.bytes(6);
        if self.below(2) == 0 {
            item.insert(0, b'/');
        }
        bytes(&item)
    }

    fn chain(&mut self) -> Vec<u8> {
        let tokens: Vec<Vec<u8>> = (0..self.below(3)).map(|_| self.bytes(3)).collect();
        agent(&tokens.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    /// Input for a random function, sometimes damaged.
    fn input(&mut self) -> Vec<u8> {
        let count = self.below(20);
        let mut input = match self.below(4) {
            0 => self.bytes(60),
            1 => list(&(0..count).map(|_| self.item()).collect::<Vec<_>>()),
            2 => list(&(0..count).map(|_| self.chain()).collect::<Vec<_>>()),
            _ => [self.item(), self.chain()].concat(),
        };
        if self.below(6) == 0 && !input.is_empty() {
            let at = self.below(input.len() as u32) as usize;
            match self.below(3) {
                0 => input.truncate(at),
                1 => input[at] = self.below(256) as u8,
                _ => input.push(0),
            }
        }
        input
    }
}

#[test]
fn random_calls_return_numbers_or_codes() {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let (mut succeeded, mut opened) = (0, 0);
    for _ in 0..150_000 {
        if dice.below(3) != 0 {
            send(&dice.input());
        }
        // One of the files that were opened last, or an unknown one.
        let handle = if dice.below(9) == 0 { dice.argument() } else { opened - dice.below(opened.clamp(1, 16)) };
        let (profile, first, count) = (dice.argument(), dice.argument(), dice.argument());
        let result = match dice.below(15) {
            0 => {
                let result = canfetch_open(if dice.below(8) == 0 { dice.argument() } else { MAX_BYTES });
                opened = opened.max(u32::try_from(result).unwrap_or(0));
                result
            }
            1 => canfetch_close(handle),
            2 => canfetch_set_targets(),
            3 => canfetch_set_agents(),
            4 => canfetch_matrix(handle, profile, first, count),
            5 => canfetch_differences(handle, profile, dice.below(1024), first, count),
            6 => canfetch_explain(handle, profile),
            7 => canfetch_readings(handle),
            8 => canfetch_info(handle, profile),
            9 => canfetch_readers(handle, profile, first),
            10 => canfetch_profiles(),
            11 => canfetch_bind(handle, profile),
            12 => canfetch_decide(handle, first),
            13 => canfetch_others(handle, profile),
            _ => i32::from(canfetch_input(dice.argument()).is_null()),
        };
        assert!(result >= UNKNOWN_RULES);
        succeeded += u32::from(result >= 0);
        output();
    }
    assert!(succeeded > 10_000, "{succeeded}");
}
