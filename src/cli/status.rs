//! `galley status`

use std::{collections::BTreeMap, io, process::ExitCode};

use clap::Args;
use jiff::Timestamp;

use super::{check, repository, terminal::Output};
use crate::{
    backup::BackupStatus,
    certificates::CertificateReport,
    cli::{
        command_failure::CommandFailure,
        common_arguments::CommonArguments,
        quantities::{counted, megabytes},
        site_commands::command,
    },
    clock::{Clock, SystemClock},
    content_files::WriteBack,
    control::{Command, DuplicateReport, NodeStatus, Reply, StatusReport},
    data_folder::DataFolder,
    progress::NoProgress,
};

/// The arguments of `status`.
#[derive(Args)]
#[command(after_help = "Examples:\n  galley status\n  galley status --data /var/lib/galley --json")]
pub struct StatusArguments {
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the status of the site.
pub fn run(
    common: &CommonArguments,
    arguments: &StatusArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    let Reply::Status(report) = command(&config, &Command::Status, &NoProgress)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let owner = DataFolder::owner_of(&config.data)?;
    let mut out = Output::standard();
    if arguments.json {
        out.json(&report)?;
        return Ok(ExitCode::SUCCESS);
    }
    match owner {
        Some(owner) => writeln!(out, "{}: served by {owner}", report.title)?,
        None => writeln!(out, "{}: not being served", report.title)?,
    }
    print(&mut out, &report)?;
    Ok(ExitCode::SUCCESS)
}

fn print(out: &mut Output, report: &StatusReport) -> io::Result<()> {
    for (kind, count) in &report.counts {
        writeln!(out, "  {count:>7} {}", counted(kind, *count))?;
    }
    print_store(out, report)?;
    for duplicates in &report.duplicates {
        print_duplicates(out, duplicates)?;
    }
    match report.write_back {
        WriteBack::Off => {}
        WriteBack::Folder => writeln!(out, "Edits are written into the files.")?,
        WriteBack::Commit => writeln!(out, "Edits are written into the files and committed.")?,
        WriteBack::Push => writeln!(
            out,
            "Edits are written into the files, committed and pushed."
        )?,
    }
    if let Some(commits) = &report.commits {
        repository::print_commits(out, commits)?;
    }
    if let Some(git) = &report.git {
        repository::print(out, git)?;
    }
    repository::print_conflicts(out, &report.conflicts)?;
    if let Some(url) = &report.setup_url {
        writeln!(out, "Set up this site: {url}")?;
    }
    for certificate in &report.certificates {
        print_certificate(out, certificate)?;
    }
    if let Some(backups) = &report.backups {
        print_backups(out, backups)?;
    }
    for node in &report.nodes {
        print_node(out, node, report.revision)?;
    }
    for problem in check::summary(&report.problems) {
        writeln!(out)?;
        out.lines(problem)?;
    }
    Ok(())
}

/// Prints the state of the store, and the reason if changes are refused.
fn print_store(out: &mut Output, report: &StatusReport) -> io::Result<()> {
    let size = report.store_bytes.map_or_else(
        || "of unknown size".to_owned(),
        |bytes| format!("{:.1} MB", bytes as f64 / f64::from(1 << 20)),
    );
    writeln!(
        out,
        "Store: revision {}, {size}. Content files: {}, problems: {}.",
        report.revision,
        report.files,
        report.problems.len()
    )?;
    if let Some(time) = report.store_lost_since {
        writeln!(
            out,
            "The database is not available since {time:.0}: readers are served revision {} from the replica, changes \
             are refused.",
            report.revision
        )?;
    }
    if let Some(refusal) = &report.store_refusal {
        writeln!(
            out,
            "The store accepts no changes since {:.0}: readers are served, changes are refused. The reason: {}.",
            refusal.since, refusal.reason
        )?;
    }
    if let Some(failure) = &report.content_failure {
        writeln!(
            out,
            "The content files could not be read into the store since {:.0}, and the previous content is served. The reason: {}",
            failure.since, failure.reason
        )?;
    }
    if report.is_read_only {
        writeln!(
            out,
            "The disk of the data folder is read-only: this is the last commit that is on it, and changes are refused."
        )?;
    }
    Ok(())
}

/// Prints records that share a name or an address, and advice.
fn print_duplicates(out: &mut Output, duplicates: &DuplicateReport) -> io::Result<()> {
    let DuplicateReport {
        kind,
        count,
        listed,
    } = duplicates;
    let (shared, advice) = match kind.as_str() {
        "members" => (
            "address",
            "`galley members merge` shows how they would be merged",
        ),
        "users" => ("address", "change or delete one"),
        _ => ("name", "rename or delete one"),
    };
    let groups: Vec<String> = listed.iter().map(|texts| texts.join(" = ")).collect();
    out.part(format_args!(
        "Several {kind} with one {shared}: {}",
        groups.join(", ")
    ))?;
    match count.saturating_sub(listed.len()) {
        0 => {}
        more => out.part(format_args!(" and {more} more"))?,
    }
    writeln!(out, "; {advice}.")
}

/// Prints a process that shares the store, and the tasks for which it is the leader.
fn print_node(out: &mut Output, node: &NodeStatus, revision: u64) -> io::Result<()> {
    let NodeStatus { name, version, .. } = node;
    out.part(format_args!("Node {name}: Galley {version}"))?;
    match revision.saturating_sub(node.revision) {
        0 => {}
        1 => out.part(format_args!(", 1 commit behind {} s ago", node.seen_s_ago))?,
        behind => out.part(format_args!(
            ", {behind} commits behind {} s ago",
            node.seen_s_ago
        ))?,
    }
    match node.leads.as_slice() {
        [] => writeln!(out, ", leads nothing."),
        work => writeln!(out, ", leads {}.", work.join(", ")),
    }
}

/// Prints the expiry of a certificate, and why it was not renewed.
fn print_certificate(out: &mut Output, report: &CertificateReport) -> io::Result<()> {
    let names = match report.names.as_slice() {
        [] => "the site".to_owned(),
        names => names.join(", "),
    };
    let is_over = |time: &Timestamp| *time <= SystemClock.now();
    match report.expires_at {
        Some(time) if is_over(&time) => {
            out.part(format_args!("Certificate for {names}: expired {time}"))?;
        }
        Some(time) => out.part(format_args!("Certificate for {names}: expires {time}"))?,
        None => out.part(format_args!(
            "Certificate for {names}: none yet, so it is served over http"
        ))?,
    }
    match report.next_attempt_at {
        Some(time) => writeln!(out, "; the next one is requested {time}.")?,
        None => writeln!(out, ".")?,
    }
    match (&report.problem, report.failures) {
        (None, _) => Ok(()),
        (Some(problem), 0) => writeln!(out, "  The problem: {problem}"),
        (Some(problem), 1) => writeln!(out, "  Failed once since the start: {problem}"),
        (Some(problem), count) => {
            writeln!(out, "  Failed {count} times since the start: {problem}")
        }
    }
}

/// Prints the destination of scheduled backups, the newest backup and the last failure.
fn print_backups(out: &mut Output, backups: &BackupStatus) -> io::Result<()> {
    out.part(format_args!("Backups: to {}; ", backups.destination))?;
    match &backups.last {
        Some(last) => writeln!(
            out,
            "the last one is {}, from {}, {} written.",
            last.name,
            last.created_at,
            megabytes(last.bytes)
        )?,
        None => writeln!(out, "none yet.")?,
    }
    if let Some(time) = backups.covered_until {
        writeln!(out, "All changes until {time:.0} are backed up.")?;
    }
    match &backups.failure {
        Some(failure) => {
            writeln!(
                out,
                "The backup failed (attempt {}, {}):",
                failure.attempts, failure.failed_at
            )?;
            writeln!(out, "  {}", failure.message)
        }
        None => Ok(()),
    }
}
