//! A record as a line of JSON.
//!
//! ```json
//! {"table":"settings","key":"title","revision":7,"value":"\u0001\"The Night Ferry\""}
//! {"table":"sessions","key64":"3q2+7w==","deleted":true}
//! ```
//!
//! Keys and values that are not UTF-8 are in base64, as `key64` and `value64`.

use std::borrow::Cow;

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};

use crate::store::Table;

#[derive(Serialize, Deserialize)]
struct Line<'l> {
    table: &'l str,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<Cow<'l, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key64: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    revision: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<Cow<'l, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value64: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    deleted: bool,
}

/// A record that was put or deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordChange {
    /// The table.
    pub table: Table,
    /// The key.
    pub key: Vec<u8>,
    /// The revision and the value, or `None` if the record was deleted.
    pub put: Option<(u64, Vec<u8>)>,
}

/// Appends the line of a record, with its revision and value, or of a deletion.
pub fn append(
    out: &mut Vec<u8>,
    table: Table,
    key: &[u8],
    put: Option<(u64, &[u8])>,
) -> serde_json::Result<()> {
    let (key, key64) = text_or_base64(key);
    let (value, value64) = match put {
        Some((_, value)) => text_or_base64(value),
        None => (None, None),
    };
    let line = Line {
        table: table.name(),
        key,
        key64,
        revision: put.map(|(revision, _)| revision),
        value,
        value64,
        deleted: put.is_none(),
    };
    serde_json::to_writer(&mut *out, &line)?;
    out.push(b'\n');
    Ok(())
}

/// Parses a line.
///
/// # Errors
///
/// A description of the problem.
pub fn parse(line: &[u8]) -> Result<RecordChange, String> {
    let line: Line<'_> = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let table = Table::ALL.iter().find(|table| table.name() == line.table);
    let table = *table.ok_or_else(|| {
        format!(
            "it has records of the table {:?}, which this version of Galley does not know",
            line.table
        )
    })?;
    let key = bytes(line.key, line.key64)?.ok_or("a record has no key")?;
    let value = bytes(line.value, line.value64)?;
    let put = match (line.deleted, line.revision, value) {
        (true, None, None) => None,
        (false, Some(revision), Some(value)) => Some((revision, value)),
        // Anything else is refused rather than interpreted: a backup must not restore a guess.
        _ => return Err("a record is neither put nor deleted".to_owned()),
    };
    Ok(RecordChange { table, key, put })
}

fn text_or_base64(bytes: &[u8]) -> (Option<Cow<'_, str>>, Option<String>) {
    match str::from_utf8(bytes) {
        Ok(text) => (Some(text.into()), None),
        Err(_) => (None, Some(BASE64.encode(bytes))),
    }
}

fn bytes(text: Option<Cow<'_, str>>, base64: Option<String>) -> Result<Option<Vec<u8>>, String> {
    match (text, base64) {
        (Some(text), None) => Ok(Some(text.into_owned().into_bytes())),
        (None, Some(base64)) => {
            let decoded = BASE64.decode(base64.as_bytes());
            decoded.map(Some).map_err(|error| error.to_string())
        }
        (None, None) => Ok(None),
        (Some(_), Some(_)) => Err("a record has two keys or values".to_owned()),
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_record_is_read_as_it_was_written(
            key in prop::collection::vec(any::<u8>(), 0..40),
            put in prop::option::of((any::<u64>(), prop::collection::vec(any::<u8>(), 0..200))),
            text in ".*",
        ) {
            let put_text = put.as_ref().map(|(revision, _)| (*revision, text.into_bytes()));
            for put in [put, put_text] {
                let mut line = Vec::new();
                let borrowed = put.as_ref().map(|(revision, value)| (*revision, &**value));
                append(&mut line, Table::Posts, &key, borrowed).unwrap();
                prop_assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
                let change = RecordChange { table: Table::Posts, key: key.clone(), put };
                prop_assert_eq!(parse(&line), Ok(change));
            }
        }
    }

    #[test]
    fn lines_that_are_not_records_are_refused() {
        for line in [
            r#"{"table":"posts","key":"a"}"#,
            r#"{"table":"posts","revision":1,"value":""}"#,
            r#"{"table":"other","key":"a","revision":1,"value":""}"#,
            r#"{"table":"posts","key":"a","key64":"","revision":1,"value":""}"#,
            r#"{"table":"posts","key":"a","revision":1,"value":"","deleted":true}"#,
            r#"{"table":"posts","key":"a","revision":1,"value64":"%"}"#,
        ] {
            assert!(parse(line.as_bytes()).is_err(), "{line}");
        }
    }
}
