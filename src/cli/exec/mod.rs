//! `galley exec`: runs a command together with a server that lives as long as the command.

mod child;
pub mod variables;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use tracing::Level;
use tracing_subscriber::filter::LevelFilter;

pub use self::child::SignalHandling;
use self::variables::VariableValues;
use super::{
    check, content_folder::required_content_folder, progress_bar::Bar, temporary_site, terminal,
};
use crate::{
    app::App,
    atomic_file,
    cli::{command_failure::CommandFailure, common_arguments::CommonArguments},
    config::Config,
};

/// The arguments of `exec`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley exec -- npx @11ty/eleventy\n  galley exec --content ~/site --url https://example.com -- npm run build\n  \
                  galley exec --strict -- sh -c 'curl -s \"$GHOST_URL/ghost/api/content/posts/?key=$GHOST_CONTENT_API_KEY\"'\n\n\
                  The command finds the server in GHOST_URL, GHOST_API_URL and others, and its key in GHOST_CONTENT_API_KEY and\n\
                  others. The exit code is the command's; 1 if the server could not start, 126 or 127 if the command is not a program."
)]
pub struct ExecArguments {
    /// The folder of content files [default: content]
    #[arg(long, value_name = "DIR")]
    content: Option<PathBuf>,
    /// The site's public URL, which responses contain [default: that of site.toml, else the
    /// server's own]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Use the server's own URL in responses, as starters need that cut GHOST_API_URL off URLs or
    /// fetch images
    #[arg(long)]
    local_urls: bool,
    /// Do not run the command if the content files have an error or a warning
    #[arg(long)]
    strict: bool,
    /// The command and its arguments
    #[arg(trailing_var_arg = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Runs a command together with a server that is discarded when the command ends.
pub fn run(
    common: &CommonArguments,
    arguments: &ExecArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = configuration(common, arguments)?;
    common.start_log(&config, LevelFilter::WARN);
    let folder = atomic_file::temporary_folder("galley-exec-")?;
    // Before anything is written to the folder, because a signal would end the process without
    // removing it.
    let signals = SignalHandling::begin(folder.path())?;
    let progress = Bar::of_files(!common.quiet);
    let app = temporary_site::serve(config, folder.path(), arguments.local_urls, &progress)?;
    // The log already contains the problems themselves.
    let report = app.content_report();
    if arguments.strict {
        check::refuse_problems(&report.problems, "the command is not run")?;
    }
    if !common.quiet && !report.problems.is_empty() {
        terminal::complain(
            Level::WARN,
            format_args!("galley: {}", check::counts(&report)),
        );
    }
    let environment = environment(&app, arguments, folder.path());
    let code = signals.run(&arguments.command, &environment)?;
    // The order matters: the server writes to the folder until it has stopped.
    drop(app);
    folder.close()?;
    Ok(code)
}

fn configuration(
    common: &CommonArguments,
    arguments: &ExecArguments,
) -> Result<Config, CommandFailure> {
    let mut flags = BTreeMap::new();
    if let Some(content) = &arguments.content {
        flags.insert("content", content.to_string_lossy().into_owned());
    }
    if let Some(url) = &arguments.url {
        flags.insert("url", url.clone());
    }
    let config = common.configuration(flags)?;
    if config.git.is_none() {
        required_content_folder(&config)?;
    }
    Ok(config)
}

fn environment(app: &App, arguments: &ExecArguments, folder: &Path) -> Vec<(OsString, OsString)> {
    let snapshot = app.site().current();
    let integration = snapshot.catalog.integrations().next();
    let own = format!("http://{}", app.address());
    let subdirectory = if arguments.local_urls {
        String::new()
    } else {
        app.site_urls().subdirectory().to_owned()
    };
    let values = VariableValues {
        url: format!("{own}{subdirectory}"),
        content_key: integration
            .map(|integration| integration.content_key.secret.to_string())
            .unwrap_or_default(),
        admin_key: integration
            .map(|integration| integration.admin_key_text())
            .unwrap_or_default(),
        public_url: app
            .configured_urls()
            .map(|site_urls| site_urls.base().to_owned()),
    };
    let mut environment = variables::of(&values, |name| std::env::var_os(name).is_some());
    environment.extend(variables::proxy_exceptions(|name| std::env::var(name).ok()));
    let mut environment: Vec<(OsString, OsString)> = environment
        .into_iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    // `galley status` and other commands that the command runs send their requests to this server.
    environment.push(("GALLEY_DATA".into(), folder.into()));
    environment
}
