//! HTML as it becomes Lexical.

use galley::render::html_to_lexical::to_lexical;
use serde::Deserialize;
use serde_json::Value;

use super::cases;

#[derive(Deserialize)]
struct Conversion {
    name: String,
    html: String,
    lexical: Value,
}

#[test]
fn documents_are_converted_as_recorded() {
    let mut failed = Vec::new();
    for case in cases::<Conversion>(include_str!("html-to-lexical.jsonl")) {
        let lexical = to_lexical(&case.html);
        // As text, so that keys count in their order.
        if lexical != case.lexical.to_string() {
            println!(
                "{}\n  {}\n  {lexical}\n  {}",
                case.name, case.html, case.lexical
            );
            failed.push(case.name);
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn zz_fuzz() {
    use std::io::Write;
    let Ok(input) = std::env::var("CONV_FUZZ_IN") else {
        return;
    };
    let text = std::fs::read_to_string(input).unwrap();
    let mut out = std::fs::File::create(std::env::var("CONV_FUZZ_OUT").unwrap()).unwrap();
    for line in text.lines() {
        let html: String = serde_json::from_str(line).unwrap();
        writeln!(out, "{}", to_lexical(&html)).unwrap();
    }
}
