//! `galley init`

mod choices;
mod first_files;
mod new_files;

use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, IsTerminal},
    path::{self, Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use clap::Args;
use serde_json::json;

use self::{
    choices::{Choices, ContentSource, Questions},
    first_files::{FIRST_FOLDERS, FirstAuthor},
    new_files::NewFiles,
};
use super::{
    content_folder::{content_folder, read_content},
    progress_bar::Bar,
    terminal::Output,
    user::NewPassword,
};
use crate::{
    admin::set_up::{self, SetUp},
    app::{self, AppError, OpenSite},
    cli::{
        command_failure::CommandFailure, common_arguments::CommonArguments,
        site_commands::command_of,
    },
    config::{Config, FILE, HttpsConfig},
    control::{Command, ImportRequest, Reply},
    data_folder::{DataFolder, UnfinishedWork},
    domain::password::Password,
    error::Error,
    progress::Progress,
};

/// The command as typed.
const COMMAND: &str = "galley init";

/// The extension of the options file until the site is complete.
const DRAFT: &str = "new";

/// The arguments of `init`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley init my-site\n  galley init my-site --title \"My site\" --email ada@example.com\n  \
                  galley init /srv/site --from https://git.example.com/ada/site.git --url https://example.com --email ada@example.com\n  \
                  galley init /srv/site --from my-site.ghost.2026-01-31.json\n\n\
                  On a terminal, it asks for the settings without a flag. It writes galley.toml and a first content folder, creates the data\n\
                  folder and the owner, and replaces nothing: if one of them exists, or anything fails, all is as before. If it is\n\
                  killed, run it again."
)]
pub struct InitArguments {
    /// The folder of the site, created if it does not exist
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    questions: Questions,
    /// The owner's name [default: the e-mail address up to the @]
    #[arg(long)]
    name: Option<String>,
    /// Read the owner's password from standard input: its first line
    #[arg(long)]
    password_stdin: bool,
}

impl InitArguments {
    /// Returns the owner, if one is created.
    fn owner<'a>(&'a self, choices: &'a Choices) -> Option<FirstAuthor<'a>> {
        let email = choices.email.as_deref()?;
        let local_part = email.split('@').next().unwrap_or_default();
        let name = self.name.as_deref().unwrap_or(local_part);
        Some(FirstAuthor { name, email })
    }
}

/// Creates a site in a folder.
pub fn run(
    common: &CommonArguments,
    arguments: &InitArguments,
) -> Result<ExitCode, CommandFailure> {
    let file = common.config.as_deref().unwrap_or(Path::new(FILE));
    let file = path::absolute(arguments.folder.join(file))?;
    refuse_existing(&file)?;
    let draft = file.with_added_extension(DRAFT);
    remove_unfinished(&arguments.folder, &draft)?;
    let is_interactive = !arguments.password_stdin && io::stdin().is_terminal();
    let choices = arguments
        .questions
        .choices(&arguments.folder, is_interactive)?;
    let password = NewPassword::get(arguments.password_stdin)?;
    let data = common.data.as_deref().map(path::absolute).transpose()?;

    let mut files = NewFiles::default();
    files.create_folder(&path::absolute(&arguments.folder)?)?;
    // From here on, paths are resolved as by `galley serve` in the folder of the site.
    env::set_current_dir(&arguments.folder)?;
    files.create_private(&draft, &first_files::options(&choices, data.as_deref()))?;
    // While this process holds the lock, no other process treats the files as abandoned.
    let running = fs::File::open(&draft)?;
    running.try_lock().map_err(io::Error::from)?;
    let config = CommonArguments {
        config: Some(draft.clone()),
        ..CommonArguments::default()
    };
    let config = config.configuration(BTreeMap::new())?;
    app::url_sources(&config).map_err(AppError::from)?;
    let content = match choices.source {
        ContentSource::New => first_files::content(&choices, arguments.owner(&choices).as_ref())?,
        _ => BTreeMap::new(),
    };
    // The options file is created last: the site exists once the file does.
    let work = UnfinishedWork::of(COMMAND, Some(file.clone())).creating(content);
    files.create_data(&config.data, &work)?;
    if choices.source == ContentSource::New {
        add_first_content(&mut files, work.created())?;
    }
    fetch(common, &config, &choices, &work)?;
    let owner = set_up_owner(&config, arguments, &choices, &password, &work)?;
    files.complete(&draft, &file)?;
    // The options file exists now, so the work is complete, and opening the folder removes its
    // description.
    drop(DataFolder::open(&config.data)?);
    print(&mut Output::standard(), arguments, &config, &owner)?;
    Ok(ExitCode::SUCCESS)
}

/// Removes the files of a killed `galley init`, whose options are in `draft`, before the folder is
/// examined. The data folder remains, marked as one without a site.
fn remove_unfinished(folder: &Path, draft: &Path) -> Result<(), CommandFailure> {
    let lock = match fs::File::open(draft) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        lock => lock?,
    };
    if lock.try_lock().is_err() {
        return Err(CommandFailure::Command(format!(
            "another `galley init` is running in this folder, which has {}",
            draft.display()
        )));
    }
    let config = CommonArguments {
        config: Some(draft.to_owned()),
        ..CommonArguments::default()
    };
    // If the options are incomplete, nothing else had been written.
    if let Ok(config) = config.configuration(BTreeMap::new()) {
        let data = folder.join(&config.data);
        let init = UnfinishedWork::of(COMMAND, None);
        let unfinished = DataFolder::unfinished(&data)?;
        if let Some(unfinished) = unfinished.filter(|unfinished| unfinished.is_like(&init)) {
            new_files::remove_unfinished(&data, &unfinished);
        }
    }
    Ok(fs::remove_file(draft)?)
}

fn refuse_existing(file: &Path) -> Result<(), CommandFailure> {
    if file.symlink_metadata().is_err() {
        return Ok(());
    }
    Err(CommandFailure::Command(format!(
        "there is a site already: {} exists, and `galley init` replaces nothing. `galley serve` in that folder serves it",
        file.display()
    )))
}

/// Writes these files of the content folder.
fn add_first_content(
    files: &mut NewFiles,
    content: &BTreeMap<PathBuf, String>,
) -> Result<(), CommandFailure> {
    for folder in FIRST_FOLDERS {
        files.create_content_folder(folder)?;
    }
    let here = env::current_dir()?;
    content.iter().try_for_each(|(path, text)| {
        let path = path.strip_prefix(&here).unwrap_or(path);
        files.create_content(&path.to_string_lossy(), text)
    })
}

/// Imports the export or pulls the repository, if the content comes from one.
fn fetch(
    common: &CommonArguments,
    config: &Config,
    choices: &Choices,
    work: &UnfinishedWork,
) -> Result<(), CommandFailure> {
    let source = match &choices.source {
        ContentSource::New | ContentSource::Here => return Ok(()),
        ContentSource::Repository(_) => Command::Sync,
        ContentSource::Ghost(export) => Command::Import(ImportRequest {
            path: export.clone(),
            dry_run: false,
            url: None,
            without_events: true,
            history: false,
            content_files: Box::default(),
            email_auth_secret: None,
        }),
    };
    let bar = Bar::new("importing", !common.quiet);
    let reply = command_of(Some(work), config, &source, &bar);
    bar.finish();
    let Reply::Synced(report) = reply? else {
        return Ok(());
    };
    match (&report.git.failure, &report.git.refused) {
        (Some(failure), _) => Err(CommandFailure::Command(format!(
            "the repository cannot be pulled: {}",
            failure.message
        ))),
        (None, Some(_)) => Err(CommandFailure::Command(
            "the newest commit of the repository has errors. Clone it, and see `galley check`"
                .to_owned(),
        )),
        (None, None) => Ok(()),
    }
}

/// How the owner signs in.
struct NewOwner {
    email: Option<String>,
    /// The password, if it was generated here.
    password: Option<String>,
}

/// Reads the content files and creates the owner, unless the export contained one.
fn set_up_owner(
    config: &Config,
    arguments: &InitArguments,
    choices: &Choices,
    password: &NewPassword,
    work: &UnfinishedWork,
) -> Result<NewOwner, CommandFailure> {
    let failure = |error: Error| CommandFailure::Command(error.to_string());
    let open = OpenSite::begin(config, work)?;
    let site = &open.site;
    if let Some(content) = content_folder(config) {
        read_content(site, content, &config.content_files)?;
    }
    let snapshot = Arc::clone(&site.current());
    if let Some(owner) = snapshot.catalog.owner() {
        if let Some(title) = &choices.title {
            let title = ("title".to_owned(), json!(title));
            site.write(|transaction| transaction.edit_settings([title.clone()].into()))
                .map_err(failure)?;
        }
        return Ok(NewOwner {
            email: owner.email.as_deref().map(str::to_owned),
            password: None,
        });
    }
    let Some(FirstAuthor { name, email }) = arguments.owner(choices) else {
        return Ok(NewOwner {
            email: None,
            password: None,
        });
    };
    let sources = app::url_sources(config).map_err(AppError::from)?;
    let site_urls = sources.of(&snapshot.catalog);
    let set_up = SetUp {
        name,
        email,
        password: &Password::new(&password.text),
        site_title: choices.title.as_deref(),
        subdirectory: site_urls.url().path().trim_end_matches('/'),
        site: site_urls.url(),
    };
    set_up::set_up(site, &set_up).map_err(failure)?;
    Ok(NewOwner {
        email: Some(email.to_owned()),
        password: password.is_generated.then(|| password.text.clone()),
    })
}

fn print(
    out: &mut Output,
    arguments: &InitArguments,
    config: &Config,
    owner: &NewOwner,
) -> io::Result<()> {
    match arguments.folder.as_path() {
        here if here == Path::new(".") => writeln!(out, "The site is in this folder.")?,
        folder => writeln!(out, "The site is in {}.", folder.display())?,
    }
    match (&owner.email, &owner.password) {
        (Some(email), Some(password)) => {
            writeln!(
                out,
                "Its owner signs in as {email} with the password {password}"
            )?;
        }
        (Some(email), None) => writeln!(out, "Its owner signs in as {email}.")?,
        (None, _) => writeln!(
            out,
            "It has no owner yet: `galley user create --name NAME --email ADDRESS --role owner`."
        )?,
    }
    writeln!(out)?;
    writeln!(out, "Next:")?;
    if arguments.folder != Path::new(".") {
        writeln!(out, "  cd {}", arguments.folder.display())?;
    }
    let url = config.https.as_ref().and_then(HttpsConfig::url);
    let url = url.unwrap_or_else(|| format!("http://{}", config.listen));
    writeln!(
        out,
        "  galley serve            serves it at {url} (--open opens it in the browser)"
    )?;
    writeln!(
        out,
        "  galley admin install    installs Ghost's admin app, an editor in the browser"
    )?;
    writeln!(out, "  galley key create --name \"My front end\"")?;
    out.flush()
}
