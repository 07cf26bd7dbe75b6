//! Import and export of member lists as CSV files (Ghost 6.65, recorded).
//!
//! Both are processed on disk, so that a long list is not held in memory in addition to its changes.

use std::{
    collections::HashMap,
    io::{BufWriter, Seek, Write},
    path::Path,
};

use http::StatusCode;
use serde_json::{Value, json};

use super::{Reply, Request, members, reply::ReplyBody};
use crate::{
    admin::{
        ignored_fields,
        member_lists::{self, MemberList},
    },
    api::{
        listing,
        multipart::{self, FileHead, MultipartForm},
    },
    atomic_file,
    catalog::browse::staff,
    error::{Error, Kind, Result},
    export::{self, ExportError},
    import::Note,
};

/// The part of the body that holds the file.
const FILE_FIELD: &str = "membersfile";

/// The media types that clients declare for CSV.
const KINDS: &[&str] = &[
    "",
    "text/csv",
    "application/csv",
    "application/octet-stream",
    // Sent for CSV by browsers on Windows where Excel is installed.
    "application/vnd.ms-excel",
];

/// `POST admin/members/upload/`
pub fn import(request: &Request) -> Result<Reply> {
    let mut file = atomic_file::unnamed(&request.options().files.data).map_err(Error::internal)?;
    let mut out = BufWriter::new(&file);
    let form = multipart::read(request.head, request.body, FILE_FIELD, &mut out)?;
    out.flush().map_err(Error::internal)?;
    drop(out);
    let bytes = check(&form)?.bytes;
    // The import reads the file from its beginning.
    file.rewind().map_err(Error::internal)?;
    let list = MemberList {
        csv: file,
        bytes,
        mapping: mapping(&form),
        labels: labels(&form),
    };
    let import = member_lists::import(request.site(), request.actor()?, list)?;
    for column in &import.unknown_columns {
        ignored_fields::report(column);
    }
    let label = import.label.as_ref().map(members::label);
    let invalid: Vec<Value> = import.skipped.iter().map(skipped_row).collect();
    let body = json!({ "meta": {
        "originalImportSize": import.rows,
        "stats": { "imported": import.imported, "invalid": invalid },
        "import_label": label,
    } });
    let body = body.to_string().into_bytes();
    Ok(Reply::new(StatusCode::CREATED, ReplyBody::Json(body)))
}

/// `GET admin/members/upload/`: the members that match `filter` and `search`, in the order of lists.
/// By default, `limit` is all. Proxies must not transform the file (Ghost 6.65, recorded).
pub fn export(request: &Request) -> Result<Reply> {
    let catalog = &request.snapshot.catalog;
    let query = listing::query_of_file(
        catalog,
        request.now,
        request.parameters,
        &members::FILTER_RULES,
    )?;
    let search = members::search(request);
    let page = staff::members(catalog, &query, search.as_ref(), request.now);
    let file = atomic_file::unnamed(&request.options().files.data).map_err(Error::internal)?;
    let mut out = BufWriter::new(&file);
    let found = page.records.iter().map(AsRef::as_ref);
    export::members::write(catalog, found, &mut out).map_err(|error| match error {
        ExportError::Site(error) => error,
        other => Error::internal(other),
    })?;
    out.flush().map_err(Error::internal)?;
    drop(out);
    let length = file.metadata().map_err(Error::internal)?.len();

    Ok(Reply::spreadsheet("members", request.now, |kind| {
        ReplyBody::File(kind, file, length)
    }))
}

/// Returns the file of a body, if it is declared as CSV.
fn check(form: &MultipartForm) -> Result<&FileHead> {
    let Some(file) = &form.file else {
        return Err(Error::new(
            Kind::Validation,
            format!("There is no file in the part \"{FILE_FIELD}\" of the body."),
        ));
    };
    let extension = Path::new(&file.name).extension().unwrap_or_default();
    let is_csv = extension.eq_ignore_ascii_case("csv") && KINDS.contains(&&*file.kind);
    if is_csv {
        Ok(file)
    } else {
        Err(Error::new(
            Kind::UnsupportedMediaType,
            format!(
                "A member list must be CSV (.csv); \"{}\" has another file extension or media type.",
                file.name
            ),
        ))
    }
}

/// Returns the column mapping, from parts named `mapping[COLUMN]`.
fn mapping(form: &MultipartForm) -> HashMap<String, String> {
    let mapped = form.texts().filter_map(|(name, known)| {
        let column = name.strip_prefix("mapping[")?.strip_suffix(']')?;
        Some((column.trim().to_owned(), known.to_owned()))
    });
    mapped.collect()
}

/// Returns the labels for all members, from parts named `labels` or `labels[]` with one name each.
fn labels(form: &MultipartForm) -> Vec<String> {
    let parts = form.texts();
    let named = parts.filter(|(name, _)| *name == "labels" || name.starts_with("labels["));
    let names = named.map(|(_, label)| label.trim().to_owned());
    names.filter(|label| !label.is_empty()).collect()
}

/// Returns the error for a row or cell that was not imported.
fn skipped_row(note: &Note) -> Value {
    let why = format!("{}: {}", note.subject, note.text);
    json!({ "error": why, "errors": [why] })
}
