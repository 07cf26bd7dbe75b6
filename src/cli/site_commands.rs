//! Executes commands on a site: in the process that has the data folder open, or on the store in
//! that folder.

use std::{
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;

use crate::{
    app::{self, AppError, OpenSite},
    cli::{
        check,
        command_failure::CommandFailure,
        content_folder::{content_folder, read_content},
        repository,
    },
    clock::SystemClock,
    config::Config,
    content_files::ContentReport,
    control::{
        self, AccountCommand, Command, CommandProgress, ControlContext, ImportRequest, Reply,
        ThemeCommand,
    },
    data_folder::{DataFolder, DataFolderError, Owner, STORE, UnfinishedWork},
    error::Error,
    progress::Progress,
    site::Site,
    store::memory::MemoryStore,
};

/// Longest wait for a process that has the data folder open but accepts no commands yet: a starting
/// server, or another short command.
pub(super) const UNREADY_MAX: Duration = Duration::from_secs(10);

/// Pause between two checks.
pub(super) const UNREADY_PAUSE: Duration = Duration::from_millis(20);

/// Returns the process that has the data folder at `path` open, once it accepts commands or after
/// [`UNREADY_MAX`].
pub(super) fn ready_owner(path: &Path) -> Result<Option<Owner>, DataFolderError> {
    let end = Instant::now() + UNREADY_MAX;
    loop {
        match DataFolder::owner_of(path)? {
            Some(owner) if owner.is_starting() && Instant::now() < end => {
                thread::sleep(UNREADY_PAUSE);
            }
            owner => return Ok(owner),
        }
    }
}

/// Runs a command, through the running server if one has the data folder open, and reports its
/// progress to `progress`.
///
/// Only the commands of [`creator`] create a missing data folder. For other commands, its name is
/// assumed to be mistyped.
pub(super) fn command(
    config: &Config,
    command: &Command,
    progress: &dyn Progress,
) -> Result<Reply, CommandFailure> {
    command_of(None, config, command, progress)
}

/// Runs a command like [`command`], as a part of `work` that creates the site.
pub(super) fn command_of(
    work: Option<&UnfinishedWork>,
    config: &Config,
    command: &Command,
    progress: &dyn Progress,
) -> Result<Reply, CommandFailure> {
    let reply = match ready_owner(&config.data)? {
        Some(owner) => control::ask(
            &config.data,
            &owner,
            command,
            &mut |work: CommandProgress| {
                progress.advance(work.done, work.total);
            },
        )?,
        None => {
            let first = match work {
                Some(_) => None,
                None => first_work(config, command)?,
            };
            let open = match work.or(first.as_ref()) {
                Some(work) => Some(OpenSite::begin(config, work)?),
                None => open_site(config, command)?,
            };
            let reply = execute_on(open.as_ref(), config, command, progress);
            // The work is finished even if the command failed: only a killed process leaves
            // unfinished work.
            if let (Some(_), Some(open)) = (first, &open) {
                open.folder.finish()?;
            }
            reply?
        }
    };
    match reply {
        Reply::Failed(why) => Err(CommandFailure::Command(why)),
        reply => Ok(reply),
    }
}

/// Executes a command on a site that this process has open, or on an empty site in memory.
pub(super) fn execute_on(
    open: Option<&OpenSite>,
    config: &Config,
    command: &Command,
    progress: &dyn Progress,
) -> Result<Reply, CommandFailure> {
    let site = match open {
        Some(open) => Arc::clone(&open.site),
        None => Arc::new(new_site_in_memory(config).map_err(AppError::from)?),
    };
    let needs_whole_site = matches!(command, Command::Export(_) | Command::Build(_));
    if let Some(content) = content_folder(config).filter(|_| needs_whole_site) {
        read_content(&site, content, &config.content_files)?;
    }
    let content = match command {
        Command::Status => check::report(config, &site)?,
        Command::Sync => ContentReport {
            write_back: config.write_back,
            ..ContentReport::default()
        },
        _ => ContentReport::default(),
    };
    // The thread that follows the repository runs until this is dropped, which is after the
    // command.
    let source = match (command, &config.git) {
        (Command::Sync, Some(options)) => Some(repository::open(&site, options, config)?),
        _ => None,
    };
    let context = ControlContext {
        pulls: source.as_ref().map(|(_, pulls)| Arc::clone(pulls)),
        content: Arc::new(ArcSwap::from_pointee(content)),
        ..app::offline_context(config, site)?
    };
    Ok(control::execute(&context, command, progress))
}

/// Opens the site for a command that does not run in a server; `None` if the command needs no site.
pub(super) fn open_site(
    config: &Config,
    command: &Command,
) -> Result<Option<OpenSite>, CommandFailure> {
    match command {
        _ if command.only_reads() && DataFolder::is_on_read_only_disk(&config.data) => {
            Ok(Some(OpenSite::open_read_only(config)?))
        }
        // If the site is in a database, the folder is only a cache and is created.
        _ if config.data.is_dir()
            || config.store_url.is_some()
            || creator(config, command).is_some() =>
        {
            Ok(Some(OpenSite::open(config)?))
        }
        Command::Sync | Command::Import(ImportRequest { dry_run: true, .. }) => Ok(None),
        Command::Export(_) if content_folder(config).is_some() => Ok(None),
        _ => Err(CommandFailure::NoDataFolder(config.data.clone())),
    }
}

/// Returns the unfinished work of a command that creates a new site, also when it resumes after a
/// killed run. The site must not be served before the command has completed.
pub(super) fn first_work(
    config: &Config,
    command: &Command,
) -> Result<Option<UnfinishedWork>, CommandFailure> {
    let Some(name) = creator(config, command).filter(|_| config.store_url.is_none()) else {
        return Ok(None);
    };
    let work = UnfinishedWork::of(name, None);
    let begun = DataFolder::unfinished(&config.data)?;
    let is_first = match begun {
        Some(begun) => begun.is_like(&work),
        None => !config.data.join(STORE).exists(),
    };
    Ok(is_first.then_some(work))
}

/// Returns the name of a command that creates a missing data folder; `None` for other commands.
pub(super) fn creator(config: &Config, command: &Command) -> Option<&'static str> {
    match command {
        Command::AddKey { .. } => Some("galley key create"),
        Command::Account(AccountCommand::Add { .. }) => Some("galley user create"),
        Command::Theme(ThemeCommand::Add { .. }) => Some("galley theme add"),
        Command::Import(ImportRequest { dry_run: false, .. }) => Some("galley import"),
        Command::Sync if config.git.is_some() => Some("galley sync"),
        _ => None,
    }
}

/// Creates a new site in memory.
pub(super) fn new_site_in_memory(config: &Config) -> Result<Site, Error> {
    let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock))?;
    site.check_settings_with(Arc::new(config.themes()));
    Ok(site)
}
