//! What came back, as a document like those of the recordings.

use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::{Map, Value, json};

use crate::{http_client::Answer, scenario::Exchange};

/// The answer to a step: `status`, `headers`, `json` if it is JSON, and `contains` if that is asked.
pub fn document(exchange: &Exchange, answer: &Answer) -> Value {
    let body = unpacked(answer);
    let mut document = json!({"status": answer.status, "headers": answer.headers});
    let is_json = answer
        .header("content-type")
        .is_some_and(|kind| kind.contains("json"));
    if is_json && !body.is_empty() {
        document["json"] = serde_json::from_slice(&body)
            .unwrap_or_else(|error| panic!("the body is no JSON: {error}: {body:?}"));
    }
    if let Some(needles) = exchange.expect["contains"].as_object() {
        let text = String::from_utf8_lossy(&body);
        let holds = |needle: &String| (needle.clone(), text.contains(needle.as_str()).into());
        document["contains"] = needles.keys().map(holds).collect::<Map<_, _>>().into();
    }
    document
}

fn unpacked(answer: &Answer) -> Vec<u8> {
    match answer.header("content-encoding") {
        None => answer.body.clone(),
        Some("gzip") => {
            let mut body = Vec::new();
            GzDecoder::new(answer.body.as_slice())
                .read_to_end(&mut body)
                .unwrap();
            body
        }
        Some(other) => panic!("a body packed with {other}, which was not asked for"),
    }
}

/// The value at a dotted path of a JSON body, as a text.
pub fn value_at<'a>(document: &'a Value, path: &str) -> Option<&'a str> {
    let pointer = format!("/json/{}", path.replace('.', "/"));
    document.pointer(&pointer)?.as_str()
}
