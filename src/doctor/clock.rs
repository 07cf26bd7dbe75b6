//! Checks the clock of this machine.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use http::{Request, header::DATE};
use jiff::Timestamp;

use super::{examined_site::ExaminedSite, finding::UnnamedFinding};
use crate::{
    certificates::CertificateSource,
    clock::{Clock, SystemClock},
    outbound::DirectClient,
};

/// The range of plausible times: this version was written after the first, and is obsolete before the last.
const PLAUSIBLE: [&str; 2] = ["2026-01-01T00:00:00Z", "2100-01-01T00:00:00Z"];

/// Differences above which sign-in codes, schedules and certificates are affected.
const FAR: Duration = Duration::from_secs(300);
const NOTICEABLE: Duration = Duration::from_secs(30);

/// The advice for a wrong clock.
const SYNCHRONISE: &str = "Set the clock, and have it synchronised: `timedatectl set-ntp true`. Schedules, sign-ins and certificates depend on it.";

/// Compares the time with files of the data folder, and with the time of a server that Galley uses anyway.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    let now = SystemClock.now();
    if let Some(outcome) = implausible(now).or_else(|| behind_files(&examined.config.data, now)) {
        return vec![outcome];
    }
    let Some((url, root)) = reference(examined) else {
        return vec![UnnamedFinding::ok(format!(
            "{now:.0} is plausible; it was compared with no other clock, since the configuration names no server for that"
        ))];
    };
    vec![match time_at(&url, root.as_deref()) {
        Ok(time) => compared(now, time, &url),
        Err(reason) => UnnamedFinding::ok(format!(
            "{now:.0} is plausible; it was not compared with that of {url}: {reason}"
        )),
    }]
}

fn implausible(now: Timestamp) -> Option<UnnamedFinding> {
    let [earliest, latest] = PLAUSIBLE.map(|time| time.parse::<Timestamp>());
    let is_plausible =
        earliest.is_ok_and(|earliest| earliest <= now) && latest.is_ok_and(|latest| now < latest);
    (!is_plausible).then(|| UnnamedFinding::error(format!("it is {now:.0}"), SYNCHRONISE))
}

/// Returns a finding if a file of the data folder was written in the future.
fn behind_files(data: &Path, now: Timestamp) -> Option<UnnamedFinding> {
    let entries = fs::read_dir(data).ok()?.flatten();
    let newest = entries
        .filter_map(|entry| {
            let modified = entry.metadata().ok()?.modified().ok()?;
            Some((Timestamp::try_from(modified).ok()?, entry.path()))
        })
        .max()?;
    (newest.0 > now + FAR).then(|| {
        UnnamedFinding::error(
            format!(
                "it is {now:.0}, but {} was written at {:.0}: the clock is behind, or was ahead",
                newest.1.display(),
                newest.0
            ),
            SYNCHRONISE,
        )
    })
}

/// Returns the URL of a server that Galley sends requests to anyway, with the file of its root certificate if a custom
/// one is configured.
fn reference(examined: &ExaminedSite) -> Option<(String, Option<PathBuf>)> {
    let config = &examined.config;
    let authority = config.https.as_ref().and_then(|https| match &https.source {
        CertificateSource::Acme(options) => Some((options.directory.clone(), options.root.clone())),
        CertificateSource::Files { .. } => None,
    });
    authority
        .or_else(|| Some((config.upgrade_url.as_ref()?.to_string(), None)))
        .or_else(|| Some((config.front_end.external()?.url("/"), None)))
}

/// Returns the time of the server at `url`.
fn time_at(url: &str, root: Option<&Path>) -> Result<Timestamp, String> {
    let root = root.map(fs::read).transpose();
    let root = root.map_err(|error| format!("its root certificate cannot be read: {error}"))?;
    let client = DirectClient::new(root.as_deref()).map_err(|error| error.to_string())?;
    let request = Request::get(url).body(Vec::new());
    let request = request.map_err(|error| error.to_string())?;
    let response = client.send(request).map_err(|error| error.to_string())?;
    let date = response.headers().get(DATE);
    let date = date.and_then(|date| date.to_str().ok());
    let date = date.and_then(|date| httpdate::parse_http_date(date).ok());
    let date = date.ok_or("its response has no date")?;
    Timestamp::try_from(date).map_err(|error| error.to_string())
}

fn compared(now: Timestamp, time: Timestamp, url: &str) -> UnnamedFinding {
    let difference = now.duration_since(time);
    let seconds = difference.as_secs();
    let distance = difference.unsigned_abs();
    let direction = if seconds < 0 { "behind" } else { "ahead of" };
    let message = format!("{} s {direction} that of {url}", distance.as_secs());
    if distance >= FAR {
        UnnamedFinding::error(message, SYNCHRONISE)
    } else if distance >= NOTICEABLE {
        UnnamedFinding::warning(message, SYNCHRONISE)
    } else {
        UnnamedFinding::ok(format!("the same as that of {url}"))
    }
}
