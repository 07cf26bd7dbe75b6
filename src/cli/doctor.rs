//! `galley doctor`

use std::{
    collections::BTreeMap,
    io,
    net::{IpAddr, SocketAddr},
    process::ExitCode,
};

use clap::Args;
use serde_json::json;

use super::terminal::Output;
use crate::{
    cli::{
        command_failure::CommandFailure, common_arguments::CommonArguments, quantities::numbered,
    },
    doctor::{Finding, NameService, Verdict, examine},
};

/// The port of name servers.
const DNS_PORT: u16 = 53;

/// The arguments of `doctor`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley doctor\n  sudo -u galley galley doctor --config /etc/galley/galley.toml\n  galley doctor --dns 9.9.9.9\n\n\
                  It changes nothing, sends no mail and needs no server, but sees more while the site is served. The exit code is 1 if\n\
                  there is an error, and 0 otherwise."
)]
pub struct DoctorArguments {
    /// Send DNS queries to this name server, such as a public one, instead of the system's
    #[arg(long, value_name = "ADDRESS", value_parser = name_server)]
    dns: Option<SocketAddr>,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Parses the address of a name server.
fn name_server(text: &str) -> Result<SocketAddr, String> {
    let address = text
        .parse::<IpAddr>()
        .map(|address| (address, DNS_PORT).into());
    address.or_else(|_| text.parse()).map_err(|_| {
        "expected an IP address, such as 9.9.9.9, with a port if that is not 53".to_owned()
    })
}

/// Runs all checks, and prints the results with advice.
pub fn run(
    common: &CommonArguments,
    arguments: &DoctorArguments,
) -> Result<ExitCode, CommandFailure> {
    let name_service = arguments.dns.map_or(NameService::System, NameService::At);
    let findings = examine(common.configuration(BTreeMap::new()), name_service);
    let count = |verdict| {
        findings
            .iter()
            .filter(|found| found.verdict == verdict)
            .count()
    };
    let (errors, warnings) = (count(Verdict::Error), count(Verdict::Warning));
    let mut out = Output::standard();
    if arguments.json {
        let report = json!({ "errors": errors, "warnings": warnings, "findings": findings });
        out.json(&report)?;
    } else {
        let shown = |finding: &&Finding| !common.quiet || finding.verdict == Verdict::Error;
        for finding in findings.iter().filter(shown) {
            print(&mut out, finding)?;
        }
        if !common.quiet {
            let (errors, warnings) = (numbered(errors, "error"), numbered(warnings, "warning"));
            writeln!(out, "{errors}, {warnings}")?;
        }
    }
    Ok(if errors == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn print(out: &mut Output, finding: &Finding) -> io::Result<()> {
    let Finding {
        check,
        verdict,
        message,
        advice,
    } = finding;
    writeln!(out, "{:<8} {check}: {message}", verdict.word())?;
    match advice {
        Some(advice) => writeln!(out, "         {advice}"),
        None => Ok(()),
    }
}
