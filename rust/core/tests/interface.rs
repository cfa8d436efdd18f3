//! The public interface, as crawlers use it.

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use canfetch::{Agent, AgentRules, InvalidAgent, InvalidUrl, ParseOptions, Profile, Reason, RobotsTxt, Selection};

const FILE: &str = "\
User-agent: ExampleBot
User-agent: OtherBot
Disallow: /private
Allow: /private/press
Crawl-delay: 2.5

User-agent: *
Disallow:
Crawl-delay: 9
Sitemap: https://example.com/a.xml
Content-Signal: ai-train=no
";

fn agent(token: &str) -> Agent {
    Agent::new(token).expect("a product token")
}

#[test]
fn rules_outlive_the_file_and_threads_share_them() {
    let rules: HashMap<String, AgentRules> = {
        let robots = RobotsTxt::parse(FILE);
        ["ExampleBot", "Unknown"].map(|token| (token.to_owned(), robots.rules_for(&agent(token)))).into()
    };
    let answers = thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(|| rules["ExampleBot"].allows("/private/room"))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect::<Vec<_>>()
    });
    assert_eq!(answers, [Ok(false), Ok(false)]);
    assert_eq!(rules["Unknown"].allows("/private/room"), Ok(true));
}

#[test]
fn decisions_are_the_same_before_and_after_an_index_is_built() {
    let robots = RobotsTxt::parse(FILE);
    let rules = robots.rules_for(&agent("examplebot"));
    for _ in 0..100 {
        let verdict = rules.decide("https://example.com/private/press/1").expect("a URL");
        assert_eq!((verdict.reason(), verdict.line()), (Reason::AllowRule, Some(4)));
        assert_eq!(robots.decide(rules.agent(), "https://example.com/private/press/1"), Ok(verdict));
        let explanation = rules.explain("https://example.com/private/pre%73s/1#x").expect("a URL");
        assert_eq!(explanation.verdict(), verdict);
        assert_eq!(explanation.target(), b"/private/press/1");
        let lines: Vec<_> = explanation.matches().iter().map(|found| found.rule().line()).collect();
        assert_eq!(lines, [4, 3]);
        assert_eq!(verdict.decided_by(), explanation.matches().first().copied());
    }
}

#[test]
fn groups_are_selected_for_agents() {
    let robots = RobotsTxt::parse(FILE);
    for (agent, selection, lines, delay) in [
        (agent("ExampleBot"), Selection::OwnToken, vec![1], Some(2500)),
        (Agent::chain(["Fallback", "OtherBot"]).expect("tokens"), Selection::Fallback(1), vec![2], Some(2500)),
        (agent("Unknown"), Selection::Star, vec![7], Some(9000)),
        (agent("Unknown").with_star(false), Selection::None, vec![], None),
        (agent("AdsBot-Google"), Selection::None, vec![], None),
    ] {
        let rules = robots.rules_for(&agent);
        assert_eq!((rules.selection(), rules.user_agent_lines()), (selection, lines), "{agent:?}");
        assert_eq!(rules.crawl_delay(), delay.map(Duration::from_millis), "{agent:?}");
        assert_eq!(robots.crawl_delay(&agent), rules.crawl_delay());
        assert!(rules.group_indices().len() <= 1);
    }
}

#[test]
fn groups_and_records_are_listed_as_written() {
    let robots = RobotsTxt::parse(FILE);
    let shape: Vec<_> = robots
        .groups()
        .map(|group| {
            let tokens: Vec<_> = group.user_agents().map(|agent| (agent.token(), agent.line())).collect();
            (tokens, group.rules().map(|rule| rule.to_string()).collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(shape[0].0, [(&b"ExampleBot"[..], 1), (b"OtherBot", 2)]);
    assert_eq!(shape[0].1, ["Disallow: /private", "Allow: /private/press"]);
    assert_eq!(shape[1].1, ["Disallow: "]);
    let records: Vec<_> = robots.records().map(|record| (record.key(), record.group(), record.is_sitemap())).collect();
    assert_eq!(records[0], (&b"Crawl-delay"[..], Some(0), false));
    assert_eq!(records[3], (&b"Content-Signal"[..], Some(1), false));
    assert_eq!(robots.sitemaps().collect::<Vec<_>>(), ["https://example.com/a.xml"]);
}

#[test]
fn yandex_the_delay_of_star_applies_to_groups_without_one() {
    let content = "User-agent: a\nDisallow: /\n\nUser-agent: *\nCrawl-delay: 3";
    let delay = |profile| ParseOptions::new().profile(profile).parse(content).crawl_delay(&agent("a"));
    let of_star = Some(Duration::from_secs(3));
    assert!(Profile::ALL.iter().any(|&profile| delay(profile) == of_star));
    assert_eq!(delay(Profile::Rfc9309), None);
}

#[test]
fn large_files_are_cut_at_a_line_end() {
    let content = format!("User-agent: *\nDisallow: /a\n{}Disallow: /b\n", "#\n".repeat(256_000));
    let robots = RobotsTxt::parse(&*content);
    assert!((511_990..=512_000).contains(&robots.content().len()));
    assert_eq!(robots.content().len() + robots.ignored_bytes(), content.len());
    assert!(robots.memory_bytes() >= robots.content().len());
    assert_eq!(robots.allows(&agent("a"), "/b"), Ok(true));
    assert_eq!(canfetch::allows(content.as_bytes(), &agent("a"), "/b"), Ok(true));
    let options = ParseOptions::new().max_bytes(600_000).expect("a valid limit");
    assert_eq!(options.parse(content).allows(&agent("a"), "/b"), Ok(false));
    assert_eq!(
        ParseOptions::new().max_bytes(1000).map_err(|error| error.to_string()),
        Err("invalid max_bytes 1000: expected 512000 to 536870912".to_owned())
    );
}

#[test]
fn utf_16_is_converted() {
    let content: Vec<u8> =
        "\u{FEFF}User-agent: *\nDisallow: /\u{E9}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(canfetch::allows(&content, &agent("a"), "/%C3%A9"), Ok(false));
    assert_eq!(RobotsTxt::parse(content).allows(&agent("a"), "/%C3%A9"), Ok(false));
}

#[test]
fn mistakes_of_callers_are_errors() {
    let robots = RobotsTxt::parse(FILE);
    let error: InvalidUrl = robots.allows(&agent("a"), "private").expect_err("not a URL");
    assert_eq!(
        error.to_string(),
        "invalid URL 'private': expected an absolute URL, '//host/path', or a path starting with '/'"
    );
    assert_eq!(canfetch::allows(b"", &agent("a"), "private"), Err(error));
    for token in ["", "a b", "a/1.0", "a\n"] {
        assert!(Agent::new(token).is_err(), "{token:?}");
    }
    let error: InvalidAgent = Agent::chain::<&str>([]).expect_err("no token");
    assert!(error.to_string().starts_with("no product tokens: expected at least one"));
    assert!(Agent::from_user_agent("Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0").is_err());
    for header in ["-", "-/1.0", "Mozilla/5.0 - _", "https://example.com/bot", "Mozilla/5.0 https://example.com/bot"] {
        assert!(Agent::from_user_agent(header).is_err());
    }
    for (header, token) in [
        ("_MyBot/1.0", "_MyBot"),
        ("-Bot", "-Bot"),
        ("Mozilla/5.0 ExampleBot/1.0 - https://example.com/bot", "ExampleBot"),
        ("Mozilla/5.0 (compatible; https://example.com/bot; GoodBot/1.0)", "GoodBot"),
    ] {
        assert_eq!(Agent::from_user_agent(header), Agent::new(token));
    }
    let unknown = "gogle".parse::<Profile>().expect_err("no profile");
    assert_eq!(unknown.to_string(), "unknown profile 'gogle'");
}
