//! `galley upgrade`

use std::{collections::BTreeMap, process::ExitCode};

use clap::Args;
use http::{Request, StatusCode};
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::{CommandFailure, CommonArguments, terminal::Output, version::VERSION};
use crate::{outbound::DirectClient, store};

/// The arguments of `upgrade`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley upgrade --check\n  galley upgrade --check --json\n\n\
                  It reads the document at upgrade.url of galley.toml, and installs nothing."
)]
pub struct UpgradeArguments {
    /// Show whether there is a newer release
    #[arg(long, required = true)]
    check: bool,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// The document that says which release is the newest.
#[derive(Deserialize)]
struct NewestRelease {
    version: String,
    url: Option<String>,
    store_format: Option<u64>,
}

impl NewestRelease {
    /// Returns whether it is newer than this program.
    fn is_newer(&self) -> Result<bool, CommandFailure> {
        let newest = ReleaseNumber::parse(&self.version).ok_or_else(|| {
            CommandFailure::Command(format!(
                "the newest release has the invalid version {:?}",
                self.version
            ))
        })?;
        Ok(Some(newest) > ReleaseNumber::parse(VERSION))
    }

    /// Returns whether this program cannot read a store of it.
    fn changes_store(&self) -> bool {
        self.store_format > Some(store::FORMAT_VERSION)
    }
}

/// A version of Semantic Versioning, in the order of releases.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ReleaseNumber {
    numbers: [u64; 3],
    /// Pre-releases come before their release.
    is_release: bool,
}

impl ReleaseNumber {
    fn parse(text: &str) -> Option<Self> {
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return None;
        }
        let (text, _) = text.split_once('+').unwrap_or((text, ""));
        let (numbers, is_release) = match text.split_once('-') {
            Some((numbers, _)) => (numbers, false),
            None => (text, true),
        };
        let numbers: Option<Vec<u64>> = numbers.split('.').map(|part| part.parse().ok()).collect();
        Some(Self {
            numbers: numbers?.try_into().ok()?,
            is_release,
        })
    }
}

/// Prints whether there is a newer release.
pub fn run(
    common: &CommonArguments,
    arguments: &UpgradeArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    let Some(url) = &config.upgrade_url else {
        return Err(CommandFailure::Command(
            "no address of releases is set: set upgrade.url in galley.toml".to_owned(),
        ));
    };
    let newest = read(url)?;
    let is_newer = newest.is_newer()?;
    let mut out = Output::standard();
    if arguments.json {
        let report = json!({
            "current": VERSION,
            "newest": newest.version,
            "is_newer": is_newer,
            "url": newest.url,
            "changes_store": newest.changes_store(),
        });
        out.json_line(&report)?;
        return Ok(ExitCode::SUCCESS);
    }
    if !is_newer {
        writeln!(out, "Galley {VERSION} is the newest release.")?;
        return Ok(ExitCode::SUCCESS);
    }
    out.part(format_args!(
        "Galley {} is newer than this one, {VERSION}",
        newest.version
    ))?;
    match &newest.url {
        Some(url) => writeln!(out, ": {url}")?,
        None => writeln!(out, ".")?,
    }
    if newest.changes_store() {
        writeln!(
            out,
            "It changes the format of the store, which this version cannot read then. Back up first."
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the document at `url`.
fn read(url: &Url) -> Result<NewestRelease, CommandFailure> {
    let failed = |why: String| CommandFailure::Command(format!("cannot read {url}: {why}"));
    let client = match url.scheme() {
        "https" => DirectClient::https_only(),
        _ => DirectClient::new(None).map_err(|error| failed(error.to_string()))?,
    };
    let request = Request::get(url.as_str()).body(Vec::new());
    let request = request.map_err(|error| failed(error.to_string()))?;
    let response = client
        .send(request)
        .map_err(|error| failed(error.to_string()))?;
    if response.status() != StatusCode::OK {
        return Err(failed(format!("the response is {}", response.status())));
    }
    serde_json::from_slice(response.body()).map_err(|error| failed(error.to_string()))
}
