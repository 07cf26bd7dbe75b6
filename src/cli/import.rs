//! `galley import`

use std::{
    collections::{BTreeMap, HashMap},
    io,
    path::{self, PathBuf},
    process::ExitCode,
};

use clap::Args;

use super::{progress_bar::Bar, terminal::Output};
use crate::{
    cli::{
        command_failure::CommandFailure, common_arguments::CommonArguments,
        secret_input::read_secret, site_commands::command,
    },
    control::{Command, ImportRequest, Reply, Secret},
    import::{Note, Notes, Report},
    progress::Progress,
};

/// Maximum number of different notes of each kind that are printed.
const PRINTED_MAX: usize = 20;
/// Maximum number of records that are printed for one note.
const SUBJECTS_MAX: usize = 4;

/// The arguments of `import`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley import my-site.ghost.2026-01-31.json\n  galley import my-site.zip --url https://example.com\n  galley import my-site.zip --dry-run --json | jq .changed\n  galley import members.csv\n  galley import members.csv --email-auth-secret-stdin < secret.txt\n  galley import ~/hugo-site\n\n\
                  Everything is imported, or nothing. A second import changes nothing; newer records of the site stay. While the site is\n\
                  served, the server imports. The exit code is 0 if the file was imported, even if the report has warnings."
)]
pub struct ImportArguments {
    /// The source: an export of Ghost 4, 5 or 6 (JSON), a zip with one and the site's images, a
    /// list of members (CSV), or a folder: a project of a static site generator such as Hugo or
    /// Jekyll, a content folder of Galley, or plain Markdown
    #[arg(value_name = "PATH")]
    file: PathBuf,
    /// Report what would be imported, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the report as a JSON object
    #[arg(long)]
    json: bool,
    /// The site's public URL: links to it in the file become links to this site [default: as with
    /// `serve`]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// For a folder in a git repository: take dates, and authors that the site has, from its
    /// history if a document has none
    #[arg(long)]
    history: bool,
    /// Send webhooks only one event that the site changed, instead of one for each post, tag and
    /// member
    #[arg(long)]
    without_events: bool,
    /// Read Ghost's setting `members_email_auth_secret` from standard input: its first line.
    /// Unsubscribe links in mails that Ghost sent then work
    #[arg(long)]
    email_auth_secret_stdin: bool,
}

/// Imports a file or folder.
pub fn run(
    common: &CommonArguments,
    arguments: &ImportArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    let content_files = config.content_files_of(&arguments.file)?;
    let import = Command::Import(ImportRequest {
        // The path must be absolute: a running server has a different working folder.
        path: path::absolute(&arguments.file)?,
        dry_run: arguments.dry_run,
        url: arguments.url.clone(),
        without_events: arguments.without_events,
        history: arguments.history,
        content_files: Box::new(content_files),
        email_auth_secret: arguments.email_auth_secret()?,
    });
    let bar = Bar::new("importing", !common.quiet);
    let reply = command(&config, &import, &bar);
    bar.finish();
    let Reply::Imported(report) = reply? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = Output::standard();
    if arguments.json {
        out.json(&report)?;
    } else {
        print(&mut out, &report)?
    }
    Ok(ExitCode::SUCCESS)
}

impl ImportArguments {
    fn email_auth_secret(&self) -> Result<Option<Secret>, CommandFailure> {
        if !self.email_auth_secret_stdin {
            return Ok(None);
        }
        let secret = read_secret()?.filter(|secret| !secret.0.trim().is_empty());
        let missing = || CommandFailure::Command("standard input has no secret".to_owned());
        secret.ok_or_else(missing).map(Some)
    }
}

fn print(out: &mut Output, report: &Report) -> io::Result<()> {
    let verb = if report.dry_run { "to add" } else { "added" };
    let width = report.counts.keys().map(String::len).max().unwrap_or(0);
    writeln!(
        out,
        "{:width$}{verb:>9}{:>9}{:>11}",
        "", "updated", "unchanged"
    )?;
    for (kind, count) in &report.counts {
        writeln!(
            out,
            "{kind:width$}{:>9}{:>9}{:>11}",
            count.added, count.updated, count.unchanged
        )?;
    }
    print_passed(out, report)?;
    print_notes(out, "Changed", &report.changed)?;
    print_notes(out, "Left out", &report.left_out)?;
    if report.dry_run {
        writeln!(out)?;
        writeln!(out, "Nothing was written: this was a dry run.")?;
    }
    Ok(())
}

fn print_passed(out: &mut Output, report: &Report) -> io::Result<()> {
    if report.passed.is_empty() {
        return Ok(());
    }
    let width = report.passed.keys().map(String::len).max().unwrap_or(0);
    writeln!(out)?;
    writeln!(out, "{:width$}{:>9}{:>9}", "", "in", "out")?;
    for (kind, passed) in &report.passed {
        let kind = kind.replace('_', " ");
        writeln!(out, "{kind:width$}{:>9}{:>9}", passed.r#in, passed.out)?;
    }
    Ok(())
}

/// Prints notes. Notes with the same text are printed on one line, with the first few records.
fn print_notes(out: &mut Output, title: &str, notes: &Notes) -> io::Result<()> {
    if notes.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "{title}:")?;
    let mut groups: Vec<Vec<&Note>> = Vec::new();
    let mut indices = HashMap::new();
    for note in &notes.notes {
        let index = *indices.entry(&note.text).or_insert(groups.len());
        match groups.get_mut(index) {
            Some(group) => group.push(note),
            None => groups.push(vec![note]),
        }
    }
    let mut shown = 0;
    for group in groups.iter().take(PRINTED_MAX) {
        shown += group.len();
        if let [note] = group.as_slice() {
            writeln!(out, "  {}: {}", note.subject, note.whole())?;
            continue;
        }
        let subjects = group.iter().take(SUBJECTS_MAX);
        let subjects = subjects.map(|note| match &note.detail {
            Some(detail) => format!("{} ({detail})", note.subject),
            None => note.subject.clone(),
        });
        let subjects: Vec<String> = subjects.collect();
        let text = group.first().map_or("", |note| note.text.as_str());
        let subjects = subjects.join(", ");
        out.part(format_args!("  {} × {text}: {subjects}", group.len()))?;
        match group.len().saturating_sub(SUBJECTS_MAX) {
            0 => writeln!(out)?,
            more => writeln!(out, " and {more} more")?,
        }
    }
    match notes.len().saturating_sub(shown) {
        0 => Ok(()),
        more => writeln!(out, "  … and {more} more; --json lists them"),
    }
}
