//! The product token in a User-Agent header, as `canfetch.product_token` finds it in Python.

/// Products of browsers. Crawlers list them in their headers before their own product.
const BROWSER_PRODUCTS: &[&str] = &[
    "applewebkit",
    "chrome",
    "chromium",
    "crios",
    "edg",
    "edga",
    "edge",
    "edgios",
    "firefox",
    "fxios",
    "gecko",
    "headlesschrome",
    "khtml",
    "like",
    "mobile",
    "mozilla",
    "msie",
    "opera",
    "opr",
    "presto",
    "safari",
    "samsungbrowser",
    "trident",
    "version",
];

/// Returns the product token of the crawler that a header identifies.
///
/// It is the first product, unless that is a browser's. Then it is the product after `compatible;`, or one in a comment
/// with a URL or email address, or else the last product that is not a browser's.
pub fn product_token(header: &str) -> Option<String> {
    let (outside, comments) = products_and_comments(header);
    let outside = outside.replace(';', " ");
    let mut products = outside.split_whitespace().filter_map(product_name);
    let first = products.next().filter(|name| is_crawler(name));
    let in_comments = || {
        let parts: Vec<Vec<_>> = comments.iter().map(|comment| comment.split(';').map(str::trim).collect()).collect();
        let names = parts.iter().flat_map(|parts| after_compatible(parts));
        names.chain(parts.iter().flat_map(|parts| with_address(parts))).find(|name| is_crawler(name)).map(str::to_owned)
    };
    first.map(str::to_owned).or_else(in_comments).or_else(|| products.rfind(|name| is_crawler(name)).map(str::to_owned))
}

/// The text outside parentheses, and that of each comment. A parenthesis separates words.
fn products_and_comments(header: &str) -> (String, Vec<String>) {
    let (mut outside, mut comments, mut depth) = (String::new(), Vec::<String>::new(), 0_usize);
    for character in header.chars() {
        let mut shown = character;
        if character == '(' {
            depth += 1;
            if depth == 1 {
                comments.push(String::new());
            }
            shown = ' ';
        } else if character == ')' {
            depth = depth.saturating_sub(1);
            shown = ' ';
        }
        match comments.last_mut() {
            Some(comment) if depth > 0 => comment.push(shown),
            _ => outside.push(shown),
        }
    }
    (outside, comments)
}

fn after_compatible<'h>(parts: &[&'h str]) -> impl Iterator<Item = &'h str> {
    let pairs = parts.windows(2).filter(|pair| pair[0].to_lowercase().ends_with("compatible"));
    pairs.filter_map(|pair| product_name(pair[1].split(' ').next().unwrap_or_default()))
}

fn with_address<'h>(parts: &[&'h str]) -> impl Iterator<Item = &'h str> {
    let is_address = |part: &&str| part.contains("://") || part.contains('@') || part.starts_with('+');
    let parts = if parts.iter().any(is_address) { parts } else { &[] };
    let products = parts.iter().filter(|part| part.contains('/') && !part.contains("://"));
    products.filter_map(|part| product_name(part))
}

fn product_name(word: &str) -> Option<&str> {
    let name = word.trim().split('/').next().unwrap_or_default().trim_end_matches(['*', ',', ';']);
    // Tokens may start with `-` and `_`, but a dash alone separates words. An address is not a product.
    let starts_name = name.trim_start_matches(['-', '_']).starts_with(char::is_alphanumeric) && !word.contains("://");
    let is_name = starts_name && !name.contains(|c: char| c == ' ' || c.is_control());
    is_name.then_some(name)
}

fn is_crawler(name: &str) -> bool {
    !BROWSER_PRODUCTS.iter().any(|product| product.eq_ignore_ascii_case(name))
}
