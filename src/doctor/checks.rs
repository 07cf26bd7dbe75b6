//! The table of checks, and the functions that run them.

use std::{
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    backups, certificates, clock, configuration, data_folder, database, domains,
    examined_site::{ExaminedSite, NameService},
    finding::{Finding, UnnamedFinding},
    front_end, mail_server, ports, releases, repository, sender_records, sites, uploads, webhooks,
};
use crate::config::{Config, ConfigError};

/// Time limit of a check that waits for other machines.
const ELSEWHERE: Duration = Duration::from_secs(40);

/// Time limit of a check that runs several programs, or lists a bucket.
const LONG: Duration = Duration::from_secs(75);

/// Time limit of a check of this machine. Verifying a store takes a second for each gigabyte.
const HERE: Duration = Duration::from_secs(900);

/// A check.
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// The description of the check.
    pub about: &'static str,
    deadline: Duration,
    run: fn(&ExaminedSite) -> Vec<UnnamedFinding>,
}

/// The name of the check of the configuration. If it fails, the other checks are skipped.
const CONFIGURATION: &str = "configuration";

const fn check(
    name: &'static str,
    deadline: Duration,
    run: fn(&ExaminedSite) -> Vec<UnnamedFinding>,
    about: &'static str,
) -> Check {
    Check {
        name,
        about,
        deadline,
        run,
    }
}

/// All checks, in the order of their findings. Those up to `site` run before the others.
pub const CHECKS: &[Check] = &[
    check(
        CONFIGURATION,
        HERE,
        configuration::check,
        "`galley.toml`, variables and flags, with all errors",
    ),
    check(
        "data folder",
        HERE,
        data_folder::check,
        "it exists; rights, free space, kind of file system",
    ),
    check(
        "site",
        HERE,
        sites::check,
        "the server responds; without a server, the store is intact",
    ),
    check(
        "uploads",
        ELSEWHERE,
        uploads::check,
        "their folder or bucket can be read and written",
    ),
    check(
        "database",
        ELSEWHERE,
        database::check,
        "the database of `store.url` can be reached, and accepts changes",
    ),
    check(
        "clock",
        ELSEWHERE,
        clock::check,
        "the time is plausible, and agrees with another server",
    ),
    check(
        "ports",
        ELSEWHERE,
        ports::check,
        "the listen addresses are free, or the server has them",
    ),
    check(
        "domains",
        ELSEWHERE,
        domains::check,
        "each name has addresses, and each address reaches this site",
    ),
    check(
        "certificates",
        ELSEWHERE,
        certificates::check,
        "each name has one that is valid and will be renewed",
    ),
    check(
        "mail server",
        ELSEWHERE,
        mail_server::check,
        "it can be reached, encrypts, and accepts the sign-in",
    ),
    check(
        "mail sender",
        ELSEWHERE,
        sender_records::check,
        "SPF, DKIM and DMARC of the sender's domain",
    ),
    check(
        "webhooks",
        ELSEWHERE,
        webhooks::check,
        "the last delivery of each succeeded",
    ),
    check(
        "repository",
        LONG,
        repository::check,
        "it can be read, and written if edits are pushed",
    ),
    check(
        "backups",
        LONG,
        backups::check,
        "there is one, and it is not too old",
    ),
    check(
        "front end",
        ELSEWHERE,
        front_end::check,
        "the site at `front_end` responds",
    ),
    check(
        "release",
        ELSEWHERE,
        releases::check,
        "the newest one, if `upgrade.url` is set",
    ),
];

/// Runs all checks, and returns their findings in the order of [`CHECKS`]. Ends within the time limits of the checks
/// even if other machines do not respond.
pub fn examine(config: Result<Config, ConfigError>, name_service: NameService) -> Vec<Finding> {
    let config = match config {
        Ok(config) => config,
        Err(error) => return of_invalid_configuration(&error),
    };
    let examined = Arc::new(ExaminedSite::new(config, name_service));
    let (here, elsewhere) = CHECKS.split_at(first_elsewhere());
    let mut findings = Vec::new();
    // One after the other, because the last one finds the site that the checks after it examine.
    for check in here {
        findings.extend(run_together(&examined, std::slice::from_ref(check)));
    }
    findings.extend(run_together(&examined, elsewhere));
    findings
}

/// Returns the index of the first check that runs concurrently with others.
fn first_elsewhere() -> usize {
    let last_here = CHECKS.iter().position(|check| check.name == "site");
    last_here.map_or(0, |index| index + 1)
}

fn of_invalid_configuration(error: &ConfigError) -> Vec<Finding> {
    let errors = configuration::errors(error).into_iter();
    let errors = errors.map(|outcome| outcome.of(CONFIGURATION));
    let others = CHECKS.iter().filter(|check| check.name != CONFIGURATION);
    let skipped = || UnnamedFinding::skipped("the configuration is invalid");
    errors
        .chain(others.map(|check| skipped().of(check.name)))
        .collect()
}

/// Runs checks concurrently.
fn run_together(examined: &Arc<ExaminedSite>, checks: &'static [Check]) -> Vec<Finding> {
    let begun = Instant::now();
    let running: Vec<_> = checks.iter().map(|check| start(examined, check)).collect();
    let mut findings = Vec::new();
    for (check, outcomes) in checks.iter().zip(running) {
        let left = (begun + check.deadline).saturating_duration_since(Instant::now());
        let outcomes = outcomes.and_then(|outcomes| {
            outcomes.recv_timeout(left).map_err(|error| match error {
                RecvTimeoutError::Timeout => UnnamedFinding::error(
                    format!("no result in {} s", check.deadline.as_secs()),
                    "Something that this check needs does not respond: the disk, a name server, or another machine.",
                ),
                RecvTimeoutError::Disconnected => UnnamedFinding::error(
                    "the check itself failed",
                    "This is a fault of Galley: report it, with the message above.",
                ),
            })
        });
        let outcomes = outcomes.unwrap_or_else(|failure| vec![failure]);
        findings.extend(outcomes.into_iter().map(|outcome| outcome.of(check.name)));
    }
    findings
}

/// Starts a check on a thread, which is abandoned at the time limit.
fn start(
    examined: &Arc<ExaminedSite>,
    check: &'static Check,
) -> Result<Receiver<Vec<UnnamedFinding>>, UnnamedFinding> {
    let (sender, outcomes) = mpsc::channel();
    let examined = Arc::clone(examined);
    let thread = thread::Builder::new().name(format!("check of {}", check.name));
    let started = thread.spawn(move || {
        // The receiver may have stopped waiting.
        let _ = sender.send((check.run)(&examined));
    });
    match started {
        // It may be in a system call that cannot be cancelled, such as a read from a lost disk.
        Ok(_) => Ok(outcomes),
        Err(error) => Err(UnnamedFinding::error(
            format!("the system refuses a thread: {error}"),
            "Raise the limit of processes (`ulimit -u`, or TasksMax= of the service).",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Verdict;

    static FAULTY: [Check; 3] = [
        check(
            "endless",
            Duration::from_millis(50),
            |_| {
                loop {
                    thread::park();
                }
            },
            "it never ends",
        ),
        check(
            "panicking",
            HERE,
            |_| panic!("as the test says"),
            "it panics",
        ),
        check(
            "quick",
            HERE,
            |_| vec![UnnamedFinding::ok("done")],
            "it works",
        ),
    ];

    #[test]
    fn check_that_does_not_end_or_panics_is_an_error_and_stops_no_other() {
        let config = Config::read(&Default::default(), None).unwrap();
        let examined = Arc::new(ExaminedSite::new(config, NameService::System));

        let findings = run_together(&examined, &FAULTY);

        let verdicts: Vec<_> = findings
            .iter()
            .map(|found| (found.check, found.verdict))
            .collect();
        let expected = [
            ("endless", Verdict::Error),
            ("panicking", Verdict::Error),
            ("quick", Verdict::Ok),
        ];
        assert_eq!(verdicts, expected);
    }

    #[test]
    fn names_of_checks_differ() {
        let mut names: Vec<_> = CHECKS.iter().map(|check| check.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CHECKS.len());
    }
}
