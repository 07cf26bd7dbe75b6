//! Import, export and deletion of the whole content (Ghost 6.65, recorded).
//!
//! Files are processed on disk: uploads are extracted from there, and exports are written there
//! first, so that a large site is not held in memory as a whole.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
    sync::{Mutex, PoisonError},
};

use http::{HeaderValue, StatusCode, header};
use serde_json::{Map, Value, json};

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType, ListEntry},
    reply::ReplyBody,
    themes::themes_of,
    uploaded_file,
};
use crate::{
    admin::{
        custom_theme_settings, db,
        media_inlining::{DEFAULT_DOMAINS, MediaJob},
    },
    api::listing::written_time,
    atomic_file,
    body_memory::{BodyMemory, HeldMemory},
    error::{Error, Kind, Result},
    export::{ExportContext, ExportError, folder::Folders, ghost},
    import::{ImportSource, Note, Report},
    progress::{NoProgress, Progress},
    render::{external_media::MediaPrefixes, slug},
};

/// The part of the body that holds the file.
const FILE_FIELD: &str = "importfile";

/// The parameter that controls whether webhooks get an event for each record of an import.
const EVENTS: &str = "events";

/// Memory of an import with an empty document, in bytes.
const MEMORY_BYTES_BASE: usize = 12 << 20;

/// Memory of an import for each byte of its document, in bytes.
const MEMORY_BYTES_PER_BYTE: usize = 8;

/// Maximum memory of an import, in bytes.
const MEMORY_BYTES_MAX: usize = 208 << 20;

/// File extensions of imports.
const EXTENSIONS: &[&str] = &["json", "zip"];

/// `POST admin/db/`
pub fn import(request: &Request) -> Result<Reply> {
    // Checked before the upload is written to disk.
    let announces_records = announces_records(request)?;
    let (head, file) = uploaded_file::read(request, FILE_FIELD)?;
    let name = Path::new(&head.name);
    let extension = name.extension().unwrap_or_default();
    if !EXTENSIONS
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
    {
        return Err(Error::new(
            Kind::UnsupportedMediaType,
            format!(
                "An import must be a Ghost export (.json) or an archive (.zip), not \"{}\".",
                head.name
            ),
        ));
    }
    let given = ImportSource::in_file(file, name)?;
    let report = db::import(
        request.site(),
        request.actor()?,
        &given,
        request.site_urls.url(),
        &request.options().files.uploads,
        announces_records,
        &ImportMemory::beside(request),
    )?;
    let body = json!({"db": [], "problems": problems(&report)});
    Ok(Reply::value(&body).invalidating("/*"))
}

/// Memory that an import reserves from the budget that bodies share.
struct ImportMemory {
    /// The reservation; `None` without a budget.
    held: Option<Mutex<HeldMemory>>,
    /// Length of the body of the request, in bytes.
    body_bytes: usize,
}

impl ImportMemory {
    /// Returns the memory for an import in addition to the body of its request.
    fn beside(request: &Request) -> Self {
        let held = request.api.body_memory.get().map(BodyMemory::hold);
        Self {
            held: held.map(Mutex::new),
            body_bytes: request.body.len(),
        }
    }
}

impl Progress for ImportMemory {
    fn advance(&self, _done: u64, _total: u64) {}

    fn may_hold(&self, bytes: usize) -> bool {
        let Some(held) = &self.held else {
            return true;
        };
        // `Progress` is used through a shared reference, but the reservation has to grow.
        let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
        // Capped, so that a lone import is never rejected for its size.
        let bytes = bytes.min(held.room_beside(self.body_bytes));
        held.take_up_to(bytes).is_ok()
    }

    fn memory_max(&self, document_bytes: u64) -> Option<usize> {
        let of_document = MEMORY_BYTES_PER_BYTE.saturating_mul(document_bytes as usize);
        Some(
            MEMORY_BYTES_BASE
                .saturating_add(of_document)
                .min(MEMORY_BYTES_MAX),
        )
    }
}

/// Returns whether webhooks receive an event for each record of an import. The parameter `events`
/// is true by default.
fn announces_records(request: &Request) -> Result<bool> {
    match request.parameters.joined(EVENTS).as_deref() {
        None | Some("true") => Ok(true),
        Some("false") => Ok(false),
        Some(other) => Err(Error::new(
            Kind::BadRequest,
            format!("The parameter \"{EVENTS}\" must be true or false, not \"{other}\"."),
        )),
    }
}

/// `GET admin/db/`: a file in Ghost's format, without credentials. `include` names further tables;
/// unknown tables are ignored (Ghost 6.65, recorded).
pub fn export(request: &Request) -> Result<Reply> {
    let (file, length) = write_export(request).map_err(|error| match error {
        ExportError::Site(error) => error,
        other => Error::internal(other),
    })?;
    let json = HeaderValue::from_static("application/json; charset=utf-8");
    let disposition = format!("Attachment; filename=\"{}\"", file_name(request));
    Ok(
        Reply::new(StatusCode::OK, ReplyBody::File(json, file, length))
            .with_text(header::CONTENT_DISPOSITION, &disposition),
    )
}

/// `POST admin/db/backup/`: Ghost writes an export next to its content; Galley does not write files
/// that are never deleted.
pub fn refuse_backup(request: &Request) -> Result<Reply> {
    let help = format!(
        "Create a backup with `galley backup`, or an export with GET /{}/api/admin/db/.",
        request.options().path_prefix
    );
    let message = "The server does not store backups of itself.";
    Err(Error::new(Kind::BadRequest, message).help(help))
}

/// The fields of a request to copy media from other sites.
pub static MEDIA_FIELDS: &[InputField] = &[InputField::optional(
    DOMAINS,
    InputType::List(ListEntry::Text),
)];

/// The field with the domains.
const DOMAINS: &str = "domains";

/// Most domains in a request.
const DOMAINS_MAX: usize = 100;

/// `POST admin/db/media/inline/`: copies media whose URLs begin with one of the domains to the
/// uploads, in the background. The response does not wait for the copies.
pub fn inline_media(request: &Request) -> Result<Reply> {
    let record = match request.json()? {
        Some(Value::Object(record)) => record,
        None => Map::new(),
        Some(_) => {
            let message = "The body must be an object with a list \"domains\".";
            return Err(Error::new(Kind::BadRequest, message));
        }
    };
    let input = Input::change(record, MEDIA_FIELDS)?;
    let mut domains = envelope::each(
        input.list(DOMAINS).unwrap_or_default(),
        DOMAINS,
        DOMAINS_MAX,
        |(_, domain)| {
            let text = domain.as_str().map(str::to_owned);
            text.ok_or_else(|| not_a_domain(&domain.to_string()))
        },
    )?;
    if domains.is_empty() {
        domains = DEFAULT_DOMAINS.map(str::to_owned).to_vec();
    }
    let job = MediaJob {
        prefixes: MediaPrefixes::new(domains.iter().map(String::as_str)).map_err(not_a_domain)?,
        actor: *request.actor()?,
        site_url: request.site_urls.url().clone(),
    };
    let api = request.api;
    api.media_inlining.begin(&api.media_tools(), job)?;
    Ok(Reply::value(&json!({"status": "success"})))
}

fn not_a_domain(domain: &str) -> Error {
    envelope::malformed(
        DOMAINS,
        "format",
        format!(
            "\"{DOMAINS}\" must contain URL prefixes, such as https://images.example, not {domain:?}."
        ),
    )
}

/// `GET admin/db/media/inline/`: the progress of the copying in this process.
pub fn media_progress(request: &Request) -> Result<Reply> {
    let progress = request.api.media_inlining.progress();
    let failures = progress.failures.iter();
    let failures =
        failures.map(|failure| json!({"subject": failure.subject, "reason": failure.reason}));
    Ok(Reply::value(&json!({"inline": [{
        "status": if progress.is_running { "running" } else { "idle" },
        "waiting": progress.waiting,
        "domains": progress.domains,
        "started_at": progress.started_at.map(written_time),
        "ended_at": progress.ended_at.map(written_time),
        "records": progress.records,
        "records_done": progress.records_done,
        "records_changed": progress.records_changed,
        "files_copied": progress.files_copied,
        "failures": failures.collect::<Vec<Value>>(),
        "failures_more": progress.failures_more,
    }]})))
}

/// `DELETE admin/db/`
pub fn delete_all(request: &Request) -> Result<Reply> {
    db::delete_all(request.site(), request.actor()?)?;
    Ok(Reply::no_content().invalidating("/*"))
}

fn write_export(request: &Request) -> std::result::Result<(File, u64), ExportError> {
    let files = &request.options().files;
    let theme_settings = custom_theme_settings::browse(request.snapshot, &themes_of(request))?;
    let include = request.parameters.joined("include").unwrap_or_default();
    let include: Vec<String> = include
        .split(',')
        .map(|table| table.trim().to_owned())
        .collect();
    // The file has no name, so its space on disk becomes free once it is sent, even after a crash.
    let mut file = atomic_file::unnamed(&files.data)?;
    let context = ExportContext {
        site: request.site_urls.url(),
        now: request.now,
        folders: Folders {
            content: files.content.as_deref(),
            uploads: &files.uploads,
        },
        theme_settings: Some(&theme_settings),
        progress: &NoProgress,
    };
    let options = ghost::Options {
        // Clients of the API get no password hashes, unlike in Ghost (docs/admin-api.md).
        with_passwords: false,
        include: &include,
    };
    let mut out = BufWriter::new(&mut file);
    ghost::write(request.snapshot, context, options, &mut out)?;
    // On drop, `BufWriter` would ignore an error, such as a full disk.
    out.flush()?;
    drop(out);
    let length = file.metadata()?.len();
    Ok((file, length))
}

/// Returns a name such as `harbour-notes.ghost.2026-02-01-09-30-00.json`.
fn file_name(request: &Request) -> String {
    let title = request.snapshot.catalog.settings.text("title");
    // A slug has only characters that are valid in the header field.
    let title = slug::from_text(slug::Kind::Post, &title.unwrap_or_default(), "");
    let time = request.now.strftime("%Y-%m-%d-%H-%M-%S");
    format!("{title}.ghost.{time}.json")
}

/// Returns one entry for each reported item that was changed or left out.
fn problems(report: &Report) -> Vec<Value> {
    let entry = |note: &Note, help: &str| json!({"message": note.whole(), "context": note.subject, "help": help});
    let more = |count: usize| {
        (count > 0).then(|| {
            json!({
                "message": format!("There are {count} more."),
                "context": null,
                "help": "Import the file with `galley import`, which lists more.",
            })
        })
    };
    let left_out = report.left_out.notes.iter();
    let changed = report.changed.notes.iter();
    left_out
        .map(|note| entry(note, "Left out."))
        .chain(changed.map(|note| entry(note, "Changed.")))
        .chain(more(report.left_out.more + report.changed.more))
        .collect()
}
