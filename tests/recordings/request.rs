//! Builds the request of a step, with placeholders replaced by values.

use galley_tests::{Request, admin_token::Token, multipart::Form};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::{
    beside,
    scenario::{OddToken, RequestStep},
    shape::{self, Variables},
};

/// Characters that are not escaped in a query.
pub const PLAIN_IN_QUERY: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Claims that are given in seconds from now.
const TIMES: [&str; 3] = ["iat", "exp", "nbf"];

/// Returns the request of a step.
///
/// # Errors
///
/// Returns the name of a value that the request needs and no step has stored.
pub fn of(step: &RequestStep, variables: &Variables) -> Result<Request, String> {
    let filled = |text: &str| shape::request_text(text, variables);
    let mut request = Request::new(&step.method, &target(step, variables)?);
    request = match (&step.json, &step.raw) {
        _ if step.fields.is_some() || !step.files.is_empty() => {
            request.form(form(step, variables)?)
        }
        (Some(json), _) => request.json(&filled_json(json, variables)?),
        (None, Some(raw)) => request.bytes(filled(&raw.text())?),
        (None, None) => request,
    };
    for (name, value) in &step.headers {
        request
            .headers
            .retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        let value = value.as_deref().map(filled).transpose()?;
        request.headers.push((name.clone(), value));
    }
    if let Some(odd) = &step.jwt {
        let token = token(odd, variables)?;
        if odd.location.as_deref() == Some("query") {
            let separator = if request.target.contains('?') {
                '&'
            } else {
                '?'
            };
            request
                .target
                .push_str(&format!("{separator}token={token}"));
        } else {
            let scheme = odd.scheme.as_deref().unwrap_or("Ghost");
            request = request.header("authorization", &format!("{scheme} {token}"));
        }
    }
    Ok(request)
}

fn target(step: &RequestStep, variables: &Variables) -> Result<String, String> {
    let path = shape::request_text(&step.path, variables)?;
    // A URL from a response is absolute.
    let mut target = path
        .strip_prefix(variables["base"].as_str())
        .unwrap_or(&path)
        .to_owned();
    let mut separator = '?';
    for (name, value) in &step.query {
        let value = shape::request_text(value.as_str().unwrap(), variables)?;
        let [name, value] =
            [name, &value].map(|text| utf8_percent_encode(text, PLAIN_IN_QUERY).to_string());
        target.push_str(&format!("{separator}{name}={value}"));
        separator = '&';
    }
    Ok(target)
}

fn form(step: &RequestStep, variables: &Variables) -> Result<Form, String> {
    let mut form = Form::default();
    for (name, value) in step.fields.iter().flatten() {
        form = form.field(name, &shape::request_text(value, variables)?);
    }
    for file in &step.files {
        let bytes = std::fs::read(beside(&file.from)).unwrap();
        let filename = shape::request_text(&file.filename, variables)?;
        form = form.file(&file.field, &filename, &file.kind, &bytes);
    }
    Ok(form)
}

fn token(odd: &OddToken, variables: &Variables) -> Result<String, String> {
    let key = match &odd.key {
        Some(key) => shape::request_text(key, variables)?,
        None => variables["admin_key"].clone(),
    };
    let mut token = Token::new(&key);
    if let Some(algorithm) = &odd.alg {
        token = token.algorithm(algorithm);
    }
    if let Some(audience) = &odd.aud {
        token = token.claim("aud", filled_json(audience, variables)?);
    }
    for (name, value) in &odd.claims {
        token = match value.as_i64() {
            Some(seconds) if TIMES.contains(&name.as_str()) => token.time(name, seconds),
            _ => token.claim(name, value.clone()),
        };
    }
    for (name, value) in &odd.header {
        token = token.header(name, value.clone());
    }
    if odd.corrupt {
        token = token.corrupt();
    }
    Ok(token.finish())
}

/// Returns JSON whose placeholders are replaced by values.
fn filled_json(json: &Value, variables: &Variables) -> Result<Value, String> {
    Ok(match json {
        Value::String(text) => shape::request_text(text, variables)?.into(),
        Value::Array(items) => {
            let items = items.iter().map(|item| filled_json(item, variables));
            Value::Array(items.collect::<Result<_, _>>()?)
        }
        Value::Object(members) => {
            let member =
                |(key, value): (&String, &Value)| Ok((key.clone(), filled_json(value, variables)?));
            Value::Object(members.iter().map(member).collect::<Result<_, String>>()?)
        }
        other => other.clone(),
    })
}
