//! Converts a response to a document like those of the recordings.

use std::{collections::BTreeMap, io::Read};

use flate2::read::GzDecoder;
use galley_tests::{http_client::HttpResponse, smtp_receiver::Mail, webhook_receiver::Delivery};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Map, Value, json};
use sha2::Sha256;

use crate::scenario::Rules;

/// The longest text that is compared as text, in bytes.
const TEXT_BYTES_MAX: usize = 20_000;

/// Returns the document of a response: `status` and `headers`; the body as `json`, `text` or the number of its `bytes`;
/// `cookies` if any are set, without their values; and `contains` if the rules have it.
pub fn document(rules: &Rules, response: &HttpResponse) -> Value {
    let body = decoded_body(response);
    let mut document = json!({"status": response.status, "headers": response.headers});
    let kind = response.header("content-type").unwrap_or_default();
    let is_text = kind.starts_with("text/") || kind.contains("svg") || kind.contains("yaml");
    if kind.contains("json") && !body.is_empty() {
        document["json"] = serde_json::from_slice(&body)
            .unwrap_or_else(|error| panic!("the body is not JSON: {error}: {body:?}"));
    } else if is_text && body.len() < TEXT_BYTES_MAX {
        document["text"] = String::from_utf8_lossy(&body).into();
    } else if !body.is_empty() {
        document["bytes"] = body.len().into();
    }
    if !response.cookies.is_empty() {
        let cookies = response.cookies.iter().map(|cookie| masked(cookie));
        document["cookies"] = cookies.collect::<Vec<_>>().into();
    }
    if let Some(needles) = rules.expect["contains"].as_object() {
        let text = String::from_utf8_lossy(&body);
        let holds = |needle: &String| (needle.clone(), text.contains(needle.as_str()).into());
        document["contains"] = needles.keys().map(holds).collect::<Map<_, _>>().into();
    }
    document
}

/// Returns the document of a mail: its recipient.
pub fn of_mail(mail: &Mail) -> Value {
    json!({"mail": {"to": mail.to}})
}

/// Returns the document of a delivery: path, header fields, body, and whether its signature is valid for `secret`. Without a
/// secret, there must be no signature.
pub fn of_delivery(delivery: &Delivery, secret: Option<&str>) -> Value {
    let headers: BTreeMap<_, _> = ["content-type", "content-version"]
        .into_iter()
        .filter_map(|name| Some((name, delivery.headers.get(name)?)))
        .collect();
    let body: Value = serde_json::from_slice(&delivery.body).unwrap_or_default();
    let mut document = json!({"path": delivery.target, "headers": headers, "json": body});
    match secret {
        Some(secret) => document["signature_valid"] = is_signed(delivery, secret).into(),
        None => {
            let is_absent = !delivery.headers.contains_key("x-ghost-signature");
            document["signature_absent"] = is_absent.into();
        }
    }
    json!({"webhook": document})
}

/// Returns whether the signature `sha256=HEX, t=MS` is the HMAC of the body and the milliseconds.
fn is_signed(delivery: &Delivery, secret: &str) -> bool {
    let signature = delivery.headers.get("x-ghost-signature");
    let parts = signature
        .and_then(|text| text.strip_prefix("sha256="))
        .and_then(|text| text.split_once(", t="));
    let Some((digits, time)) = parts else {
        return false;
    };
    let mut expected = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    expected.update(&delivery.body);
    expected.update(time.as_bytes());
    digits == data_encoding::HEXLOWER.encode(&expected.finalize().into_bytes())
}

/// Returns a cookie in lower case, without its value and its expiry date.
fn masked(cookie: &str) -> String {
    let mut parts = cookie.split(';');
    let pair = parts.next().unwrap_or_default();
    let name = pair.split('=').next().unwrap_or_default();
    let mut masked = format!("{name}=").to_lowercase();
    for part in parts.map(str::to_lowercase) {
        masked.push(';');
        match part.split_once('=') {
            Some((" expires", _)) => masked.push_str(" expires="),
            _ => masked.push_str(&part),
        }
    }
    masked
}

fn decoded_body(response: &HttpResponse) -> Vec<u8> {
    match response.header("content-encoding") {
        None => response.body.clone(),
        Some("gzip") => {
            let mut body = Vec::new();
            GzDecoder::new(response.body.as_slice())
                .read_to_end(&mut body)
                .unwrap();
            body
        }
        Some(other) => panic!("unexpected content encoding {other}"),
    }
}

/// Returns the value at a dotted path, as text. `[key=value]` selects the first item of a list with this value.
pub fn value_at(document: &Value, path: &str) -> Option<String> {
    let found = path.split('.').try_fold(document, |value, part| {
        match part
            .strip_prefix('[')
            .and_then(|part| part.strip_suffix(']'))
        {
            Some(condition) => {
                let (key, wanted) = condition.split_once('=')?;
                let items = value.as_array()?;
                items.iter().find(|item| item[key].as_str() == Some(wanted))
            }
            None => match value {
                Value::Array(items) => items.get(part.parse::<usize>().ok()?),
                value => value.get(part),
            },
        }
    })?;
    match found {
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[test]
fn value_is_found_by_index_name_and_item_field() {
    let document = json!({"a": [{"kind": "x", "id": 1}, {"kind": "y", "id": "two"}]});

    assert_eq!(value_at(&document, "a.0.id").unwrap(), "1");
    assert_eq!(value_at(&document, "a.[kind=y].id").unwrap(), "two");
    assert_eq!(value_at(&document, "a.[kind=z].id"), None);
    assert_eq!(value_at(&document, "a.2.id"), None);
}

#[test]
fn cookies_are_compared_without_values() {
    let cookie = "Session=s%3Aabc; Path=/ghost; Expires=Sat, 22 May 2027 01:02:03 GMT; HttpOnly";

    assert_eq!(masked(cookie), "session=; path=/ghost; expires=; httponly");
}
