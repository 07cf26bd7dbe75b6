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
        let recorded = case.lexical.to_string();
        if lexical != recorded {
            println!(
                "{}\n  {}\n  {lexical}\n  {}",
                case.name, case.html, case.lexical
            );
            failed.push(case.name);
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}
