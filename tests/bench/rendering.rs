//! Renders documents for `tests/bench/run`: `rendering DOCUMENTS RESULTS`.
//!
//! Both files hold one JSON value per line: a document as its JSON text, and its HTML, or null if the renderer rejects it.
//! For each line of standard input, a number of seconds, the program renders the documents in turn for that time and prints
//! the rate per second. `tests/bench/ghost/render.cjs` does the same with Ghost's packages.

use std::{
    env, fs,
    hint::black_box,
    io::stdin,
    time::{Duration, Instant},
};

use galley::render::lexical::{Context, to_html};
use url::Url;

fn main() {
    // Cargo shows a benchmark that it is one.
    let files: Vec<String> = env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let [documents, results] = files.as_slice() else {
        // Bare `cargo bench` comes here.
        println!("tests/bench/run measures this");
        return;
    };
    let site = Url::parse("https://site.example/").expect("an address");
    let context = Context { site: &site };
    let documents: Vec<String> = fs::read_to_string(documents)
        .expect("the documents")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON text"))
        .collect();
    let html = |document: &String| to_html(document, context).ok().map(|done| done.html);
    let rendered: String = documents
        .iter()
        .map(|document| serde_json::to_string(&html(document)).expect("a JSON text") + "\n")
        .collect();
    fs::write(results, rendered).expect("a file for the results");
    for line in stdin().lines() {
        let seconds = line.expect("a line").parse().expect("a number of seconds");
        println!(
            "{}",
            speed(&documents, Duration::from_secs_f64(seconds), &html)
        );
    }
}

/// Documents per second, rendered in turn for some time.
fn speed(documents: &[String], time: Duration, html: &impl Fn(&String) -> Option<String>) -> f64 {
    let start = Instant::now();
    let mut rendered = 0_u32;
    for document in documents.iter().cycle() {
        black_box(html(black_box(document)));
        rendered += 1;
        if start.elapsed() >= time {
            break;
        }
    }
    f64::from(rendered) / start.elapsed().as_secs_f64()
}
