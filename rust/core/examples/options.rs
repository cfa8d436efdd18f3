//! Reads a file as Googlebot does, and shows what applies to its crawler for images.

use std::error::Error;

use canfetch::{Agent, ParseOptions, Profile, Selection};

const FILE: &str = "\
User-agent: Googlebot
Disallow: /
Allow: /images/
Disallow: /images/*.gif$

User-agent: *
Crawl-delay: 10

Sitemap: https://example.com/sitemap.xml
";

fn main() -> Result<(), Box<dyn Error>> {
    let options = ParseOptions::new().profile(Profile::Googlebot).max_bytes(2_000_000)?;
    let robots = options.parse(FILE);

    // The groups of the first token that has any apply, or else the `*` groups.
    let agent = Agent::chain(["Googlebot-Image", "Googlebot"])?;
    let rules = robots.rules_for(&agent);
    assert_eq!(rules.selection(), Selection::Fallback(1));

    assert!(rules.allows("https://example.com/images/logo.png")?);
    let explanation = rules.explain("https://example.com/images/logo.gif")?;
    assert_eq!(
        explanation.to_string(),
        "disallowed: line 4, Disallow: /images/*.gif$ (/images/logo.gif)\n\
         also matched: line 3, Allow: /images/\n\
         also matched: line 2, Disallow: /"
    );

    assert_eq!(rules.crawl_delay(), None);
    assert_eq!(robots.sitemaps().collect::<Vec<_>>(), ["https://example.com/sitemap.xml"]);
    Ok(())
}
