//! `galley members`

use std::{collections::BTreeMap, io, process::ExitCode};

use clap::{Args, Subcommand};

use super::terminal::Output;
use crate::{
    cli::{
        command_failure::CommandFailure, common_arguments::CommonArguments, quantities::numbered,
        site_commands::command,
    },
    control::{Command, MemberCommand, MergeReport, Reply},
    progress::NoProgress,
};

/// The arguments of `members`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley members merge\n  galley members merge zed@example.com --yes"
)]
pub struct MembersArguments {
    #[command(subcommand)]
    action: MembersAction,
}

#[derive(Subcommand)]
enum MembersAction {
    /// Merge members with one e-mail address that differs only in case, or show the result without merging
    #[command(
        after_help = "Examples:\n  galley members merge\n  galley members merge zed@example.com --yes\n  \
                      galley members merge --all --yes"
    )]
    Merge {
        /// The address, in any case
        address: Option<String>,
        /// Merge the members of each address that several have
        #[arg(long, conflicts_with = "address")]
        all: bool,
        /// Merge them; without it, nothing is changed
        #[arg(long)]
        yes: bool,
        /// Print a JSON list of objects
        #[arg(long)]
        json: bool,
    },
}

/// Runs the subcommand.
pub fn run(
    common: &CommonArguments,
    arguments: &MembersArguments,
) -> Result<ExitCode, CommandFailure> {
    let MembersAction::Merge {
        address,
        all,
        yes,
        json,
    } = &arguments.action;
    if *yes && address.is_none() && !all {
        return Err(CommandFailure::Command(
            "--yes needs an address, or --all for all members that share one".to_owned(),
        ));
    }
    let config = common.configuration(BTreeMap::new())?;
    let merge = MemberCommand::Merge {
        address: address.clone(),
        dry_run: !yes,
    };
    let reply = command(&config, &Command::Member(merge), &NoProgress)?;
    let Reply::Merged(merges) = reply else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = Output::standard();
    if *json {
        out.json(&merges)?;
        return Ok(ExitCode::SUCCESS);
    }
    merges.iter().try_for_each(|merge| print(&mut out, merge))?;
    print_sum(&mut out, &merges, *yes)?;
    Ok(ExitCode::SUCCESS)
}

fn print(out: &mut Output, merge: &MergeReport) -> io::Result<()> {
    let target = &merge.target;
    let addresses: Vec<&str> = merge.deleted.iter().map(|member| &*member.email).collect();
    writeln!(
        out,
        "{} takes over the data of {}",
        target.email,
        addresses.join(", ")
    )?;
    let mut line = |name: &str, value: &str| match value {
        "" => Ok(()),
        value => writeln!(out, "  {name:<12} {value}"),
    };
    line("Identifier", &target.id)?;
    line("Name", target.name.as_deref().unwrap_or_default())?;
    line("Status", &target.status)?;
    line("Tiers", &target.tiers.join(", "))?;
    line("Newsletters", &target.newsletters.join(", "))?;
    line("Labels", &target.labels.join(", "))?;
    line("Note", target.note.as_deref().unwrap_or_default())?;
    line("Signed up", &target.created_at.to_string())?;
    if target.suppression.is_some() {
        line("Mail", "none is sent to this address")?;
    }
    merge.lost.iter().try_for_each(|lost| line("Lost", lost))
}

/// Prints the merge, or the command that performs it.
fn print_sum(out: &mut Output, merges: &[MergeReport], is_done: bool) -> io::Result<()> {
    let deleted: usize = merges.iter().map(|merge| merge.deleted.len()).sum();
    match (deleted, is_done) {
        (0, _) => writeln!(out, "No two members share an address."),
        (_, true) => writeln!(
            out,
            "Merged {} into {}.",
            numbered(deleted, "member"),
            merges.len()
        ),
        (_, false) => writeln!(
            out,
            "Nothing was changed. {} would be deleted: merge with an address or --all, and --yes.",
            numbered(deleted, "member")
        ),
    }
}
