//! `galley status`

use std::{io::Write, process::ExitCode};

use clap::Args;

use super::{CommandFailure, CommonArguments, check, command, counted, megabytes, repository};
use crate::{
    backup::BackupStatus,
    certificates::CertificateReport,
    control::{Command, NodeStatus, Reply, StatusReport},
    data_folder::DataFolder,
    import::NoProgress,
    sources::WriteBack,
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
    let config = common.configuration(std::collections::BTreeMap::new())?;
    let Reply::Status(report) = command(&config, &Command::Status, &NoProgress)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let owner = DataFolder::owner_of(&config.data)?;
    let mut out = std::io::stdout().lock();
    if arguments.json {
        let report = serde_json::to_string_pretty(&report).map_err(std::io::Error::from)?;
        writeln!(out, "{report}")?;
        return Ok(ExitCode::SUCCESS);
    }
    match owner {
        Some(owner) => writeln!(out, "{}: served by {owner}", report.title)?,
        None => writeln!(out, "{}: not being served", report.title)?,
    }
    print(&mut out, &report)?;
    Ok(ExitCode::SUCCESS)
}

fn print(out: &mut impl Write, report: &StatusReport) -> std::io::Result<()> {
    for (kind, count) in &report.counts {
        writeln!(out, "  {count:>7} {}", counted(kind, *count))?;
    }
    writeln!(
        out,
        "Store: revision {}, {:.1} MB. Content files: {}, problems: {}.",
        report.revision,
        report.store_bytes as f64 / f64::from(1 << 20),
        report.files,
        report.problems.len()
    )?;
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
    if let Some(certificate) = &report.certificate {
        print_certificate(out, certificate)?;
    }
    if let Some(backups) = &report.backups {
        print_backups(out, backups)?;
    }
    for node in &report.nodes {
        print_node(out, node, report.revision)?;
    }
    for problem in check::summary(&report.problems) {
        writeln!(out, "\n{problem}")?;
    }
    Ok(())
}

/// Prints a process that shares the store, and what it does for all.
fn print_node(out: &mut impl Write, node: &NodeStatus, revision: u64) -> std::io::Result<()> {
    let NodeStatus { name, version, .. } = node;
    write!(out, "Node {name}: Galley {version}")?;
    match revision.saturating_sub(node.revision) {
        0 => {}
        1 => write!(out, ", 1 commit behind {} s ago", node.seen_s_ago)?,
        behind => write!(out, ", {behind} commits behind {} s ago", node.seen_s_ago)?,
    }
    match node.leads.as_slice() {
        [] => writeln!(out, ", leads nothing."),
        work => writeln!(out, ", leads {}.", work.join(", ")),
    }
}

/// Prints until when the site is at https, and why no longer.
fn print_certificate(out: &mut impl Write, report: &CertificateReport) -> std::io::Result<()> {
    let names = match report.names.as_slice() {
        [] => "the site".to_owned(),
        names => names.join(", "),
    };
    match report.expires_at {
        Some(time) => write!(out, "Certificate for {names}: expires {time}")?,
        None => write!(
            out,
            "Certificate for {names}: none yet, so the site is on http"
        )?,
    }
    match report.next_attempt_at {
        Some(time) => writeln!(out, "; the next one is requested {time}.")?,
        None => writeln!(out, ".")?,
    }
    if let Some(problem) = &report.problem {
        writeln!(
            out,
            "  It failed, {} since the start: {problem}",
            match report.failures {
                1 => "once".to_owned(),
                count => format!("{count} times"),
            }
        )?;
    }
    Ok(())
}

/// Prints where the regular backups go, which is the newest, and why one failed.
fn print_backups(out: &mut impl Write, backups: &BackupStatus) -> std::io::Result<()> {
    write!(out, "Backups: to {}; ", backups.destination)?;
    match &backups.last {
        Some(last) => writeln!(
            out,
            "the last one is {}, {}.",
            last.name,
            megabytes(last.bytes)
        )?,
        None => writeln!(out, "none yet.")?,
    }
    match &backups.failure {
        Some(failure) => writeln!(
            out,
            "The backup failed (attempt {}, {}):\n  {}",
            failure.attempts, failure.failed_at, failure.message
        ),
        None => Ok(()),
    }
}
