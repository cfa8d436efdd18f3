//! Compares the speed of the crate `canfetch` with that of other parsers for Rust, and prints a table.
//!
//!     cargo run --release --manifest-path rust/bench/Cargo.toml
//!
//! All libraries get the same generated files, agent and URLs in one process, in turns. A figure is the fastest of 100
//! rounds, because other load only adds time. `robotstxt` is a port of Google's parser: it parses the file again for each URL.

use std::hint::black_box;
use std::time::{Duration, Instant};

use canfetch::{Agent, AgentRules, RobotsTxt};
use fast_robots::RobotsTxt as FastRobots;
use robotstxt::DefaultMatcher;
use texting_robots::Robot;

const TOKEN: &str = "ExampleBot";
const HOST: &str = "https://example.com";
const URLS: usize = 1000;
/// A sample takes at least this long, so that the clock is exact.
const SAMPLE: Duration = Duration::from_millis(4);
const ROUNDS: usize = 100;
const LIBRARIES: [&str; 4] = ["canfetch", "texting_robots", "fast-robots", "robotstxt"];

/// A call to measure, which returns a number that depends on all its answers.
type Call<'a> = Box<dyn FnMut() -> usize + 'a>;

/// A reproducible random number generator (xorshift64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }

    fn path(&mut self) -> String {
        const WORDS: [&str; 12] =
            ["shop", "cart", "search", "blog", "news", "tag", "user", "api", "static", "img", "archive", "private"];
        let depth = 1 + self.below(3);
        (0..depth).map(|_| format!("/{}{}", WORDS[self.below(WORDS.len())], self.below(30))).collect()
    }
}

/// A file with groups of named crawlers and one for all. 30 % of the rules have a wildcard.
fn generated(rules: usize) -> String {
    let mut dice = Dice(9309);
    let mut file = String::from("# Generated\nUser-agent: OtherBot\nDisallow: /\n\nUser-agent: *\nCrawl-delay: 5\n");
    for _ in 0..rules {
        let key = if dice.below(5) == 0 { "Allow" } else { "Disallow" };
        let path = dice.path();
        let pattern = match dice.below(10) {
            0 => format!("/*{path}"),
            1 => format!("{path}/*.pdf$"),
            2 => format!("{path}/*?sort="),
            _ => path,
        };
        file += &format!("{key}: {pattern}\n");
    }
    file + "\nSitemap: https://example.com/sitemap.xml\n"
}

fn urls() -> Vec<String> {
    let mut dice = Dice(26);
    let url = |dice: &mut Dice| {
        let query = if dice.below(10) < 3 { "?sort=price&page=2" } else { "" };
        format!("{HOST}{}{query}", dice.path())
    };
    (0..URLS).map(|_| url(&mut dice)).collect()
}

/// Measures calls in turns, and returns the shortest time of each.
fn race(calls: &mut [Call<'_>]) -> Vec<f64> {
    let repetitions: Vec<_> = calls
        .iter_mut()
        .map(|call| {
            let (start, mut count) = (Instant::now(), 0_u32);
            while start.elapsed() < SAMPLE {
                black_box(call());
                count += 1;
            }
            count
        })
        .collect();
    let mut fastest = vec![f64::INFINITY; calls.len()];
    for round in 0..ROUNDS {
        for turn in 0..calls.len() {
            let index = (round + turn) % calls.len();
            let start = Instant::now();
            for _ in 0..repetitions[index] {
                black_box(calls[index]());
            }
            let time = start.elapsed().as_secs_f64() / f64::from(repetitions[index]);
            fastest[index] = fastest[index].min(time);
        }
    }
    fastest
}

fn show(seconds: f64) -> String {
    match seconds * 1e9 {
        nanoseconds if nanoseconds < 1e3 => format!("{nanoseconds:.0} ns"),
        nanoseconds if nanoseconds < 1e6 => format!("{:.2} us", nanoseconds / 1e3),
        nanoseconds => format!("{:.2} ms", nanoseconds / 1e6),
    }
}

fn row(name: &str, times: &[Option<f64>]) {
    let cells = times.iter().map(|time| match (*time, times[0]) {
        (Some(time), Some(own)) => format!("{} ({:.1}x)", show(time), time / own),
        _ => "-".to_owned(),
    });
    println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
}

fn allowed(rules: &AgentRules, url: &str) -> bool {
    rules.allows(url).expect("a URL")
}

fn measure(name: &str, content: &str, urls: &[String]) {
    let agent = Agent::new(TOKEN).expect("a product token");
    let bytes = content.as_bytes();
    let path = |url: &str| url[HOST.len()..].to_owned();
    let paths: Vec<_> = urls.iter().map(|url| path(url)).collect();
    let robots = RobotsTxt::parse(bytes);
    let rules = robots.rules_for(&agent);
    let texting = Robot::new(TOKEN, bytes).expect("a file that it parses");
    let fast = FastRobots::parse_bytes(bytes).expect("a file that it parses");
    let matcher = fast.matcher();

    let parse = race(&mut [
        Box::new(|| RobotsTxt::parse(bytes).content().len()) as Call<'_>,
        Box::new(|| Robot::new(TOKEN, bytes).map_or(0, |robot| robot.sitemaps.len())),
        Box::new(|| FastRobots::parse_bytes(bytes).map_or(0, |robots| robots.groups.len())),
    ]);
    row(&format!("parse, {name}"), &[Some(parse[0]), Some(parse[1]), Some(parse[2]), None]);

    let (url, one_path) = (&urls[0], &paths[0]);
    let first = race(&mut [
        Box::new(|| usize::from(canfetch::allows(bytes, &agent, url).expect("a URL"))) as Call<'_>,
        Box::new(|| usize::from(Robot::new(TOKEN, bytes).expect("a file").allowed(url))),
        Box::new(|| usize::from(FastRobots::parse_bytes(bytes).expect("a file").is_allowed(TOKEN, one_path))),
        Box::new(|| usize::from(DefaultMatcher::default().one_agent_allowed_by_robots(content, TOKEN, url))),
    ]);
    row(&format!("parse and decide once, {name}"), &first.iter().copied().map(Some).collect::<Vec<_>>());

    let one = race(&mut [
        Box::new(|| usize::from(robots.allows(&agent, url).expect("a URL"))) as Call<'_>,
        Box::new(|| usize::from(texting.allowed(url))),
        Box::new(|| usize::from(fast.is_allowed(TOKEN, one_path))),
    ]);
    row(&format!("one decision of a parsed file, {name}"), &[Some(one[0]), Some(one[1]), Some(one[2]), None]);

    let many = race(&mut [
        Box::new(|| urls.iter().filter(|url| allowed(&rules, url)).count()) as Call<'_>,
        Box::new(|| urls.iter().filter(|url| texting.allowed(url)).count()),
        Box::new(|| paths.iter().filter(|path| matcher.is_allowed(TOKEN, path)).count()),
    ]);
    let each: Vec<_> = many.iter().map(|time| Some(time / urls.len() as f64)).chain([None]).collect();
    row(&format!("each of {} decisions, {name}", urls.len()), &each);

    let answers =
        |decide: &dyn Fn(usize) -> bool| (0..urls.len()).filter(|&at| decide(at) != allowed(&rules, &urls[at])).count();
    let google = |at: usize| DefaultMatcher::default().one_agent_allowed_by_robots(content, TOKEN, &urls[at]);
    println!(
        "| decisions that differ from canfetch, {name} | 0 | {} | {} | {} |",
        answers(&|at| texting.allowed(&urls[at])),
        answers(&|at| fast.is_allowed(TOKEN, &paths[at])),
        answers(&google),
    );
}

fn main() {
    println!("| measurement | {} |", LIBRARIES.join(" | "));
    println!("| --- | ---: | ---: | ---: | ---: |");
    let urls = urls();
    for rules in [20, 100, 2000] {
        let content = generated(rules);
        measure(&format!("{rules} rules, {} bytes", content.len()), &content, &urls);
    }
}
