//! `galley build`

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use tracing::Level;
use tracing_subscriber::filter::LevelFilter;

use super::{
    check,
    content_folder::required_content_folder,
    exec,
    progress_bar::Bar,
    temporary_site,
    terminal::{self, Output},
};
use crate::{
    atomic_file,
    cli::{
        command_failure::CommandFailure, common_arguments::CommonArguments, site_commands::command,
    },
    config::Config,
    control::{self, Command, Reply, named_here},
    data_folder::DataFolder,
    progress::{NoProgress, Progress},
    static_site::{BuildOptions, BuildReport, PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX},
};

/// The arguments of `build`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley build --site public --url https://example.com\n  galley build --site public --search --strict\n  \
                  galley build public --url https://example.com\n  galley build public --strict --json\n\n\
                  Any static host can serve the folder at the URL of --url. With --site, it has the pages of the site, rendered by\n\
                  the active theme, with all that they load; without it, the Content API. Clients read that as they read the server,\n\
                  but filter, order, fields, limit and formats are ignored: each list contains all of its records, and the same\n\
                  again in pages at posts/page/1/ and so on. Only changed files are written; files that no build wrote are not\n\
                  touched. The exit code is 1 if a page cannot be rendered."
)]
pub struct BuildArguments {
    /// The folder to write to; it is created if necessary
    dir: PathBuf,
    /// Write the pages of the site in place of the Content API
    #[arg(long)]
    site: bool,
    /// Write the Content API, too
    #[arg(long, requires = "site")]
    api: bool,
    /// The folder of a theme for the pages [default: that of galley.toml, else the active theme]
    #[arg(long, value_name = "DIR", requires = "site")]
    theme: Option<PathBuf>,
    /// The folder of content files [default: content]
    #[arg(long, value_name = "DIR")]
    content: Option<PathBuf>,
    /// The site's public URL, which the files contain [default: that of galley.toml or site.toml]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Write nothing if the content files have an error or a warning, a page cannot be rendered, or a link opens nothing
    #[arg(long)]
    strict: bool,
    /// Records on a page of a list of the Content API [default: 15]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..=PAGE_RECORDS_MAX as u64))]
    page_size: Option<u64>,
    /// Write an index for full-text search in browsers, too, and what the search of themes reads
    #[arg(long)]
    search: bool,
    /// Replace files that no build wrote
    #[arg(long)]
    force: bool,
    /// Print the report as a JSON object
    #[arg(long)]
    json: bool,
}

/// The Content API key in the pages of a site that is built without a data folder.
const PLACEHOLDER_KEY: &str = "0123456789abcdef0123456789";

/// Writes the whole site or its Content API to a folder.
pub fn run(
    common: &CommonArguments,
    arguments: &BuildArguments,
) -> Result<ExitCode, CommandFailure> {
    let mut flags = BTreeMap::new();
    if let Some(content) = &arguments.content {
        flags.insert("content", content.to_string_lossy().into_owned());
    }
    if let Some(url) = &arguments.url {
        flags.insert("url", url.clone());
    }
    let config = common.configuration(flags)?;
    common.start_log(&config, LevelFilter::WARN);
    let has_api = arguments.api || !arguments.site;
    let page_size = arguments.page_size.map(|size| size as usize);
    if page_size.is_some() && !has_api {
        let message = "--page-size is for the Content API: add --api. The theme says how many posts are on a page";
        return Err(CommandFailure::Command(message.to_owned()));
    }
    let options = BuildOptions {
        // The path must be absolute: a running server has a different working folder.
        target: named_here(&arguments.dir)?,
        url: config.url.clone(),
        page_size: page_size.unwrap_or(PAGE_RECORDS_DEFAULT),
        has_pages: arguments.site,
        has_api,
        has_search: arguments.search,
        is_strict: arguments.strict,
        theme: arguments.theme.as_deref().map(theme_folder).transpose()?,
        content_key: None,
        overwrites: arguments.force,
    };
    let is_stored = config.data.is_dir() || DataFolder::owner_of(&config.data)?.is_some();
    let reply = if is_stored {
        build_stored_site(common, arguments, &config, options)?
    } else {
        build_from_files(common, arguments, config, options)?
    };
    match reply {
        Reply::Built(report) => {
            let is_refused = arguments.strict && report.has_problems();
            print(
                &arguments.dir,
                &report,
                arguments.json,
                common.quiet || is_refused,
            )?;
            if is_refused {
                let message = "nothing is written, because of --strict";
                return Err(CommandFailure::Command(message.to_owned()));
            }
            Ok(if report.failed_pages.is_empty() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            })
        }
        Reply::Failed(why) => Err(CommandFailure::Command(why)),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Returns the absolute path of the folder of a theme.
fn theme_folder(folder: &Path) -> Result<PathBuf, CommandFailure> {
    if folder.is_dir() {
        return Ok(named_here(folder)?);
    }
    Err(CommandFailure::Command(format!(
        "there is no folder {} with a theme",
        folder.display()
    )))
}

/// Builds the site of a data folder, including everything written and uploaded through the API.
fn build_stored_site(
    common: &CommonArguments,
    arguments: &BuildArguments,
    config: &Config,
    options: BuildOptions,
) -> Result<Reply, CommandFailure> {
    if arguments.strict
        && let Reply::Status(status) = command(config, &Command::Status, &NoProgress)?
    {
        for problem in check::summary(&status.problems) {
            terminal::complain_in_lines(Level::WARN, format_args!("{problem}\n"));
        }
        check::refuse_problems(&status.problems, "nothing is written")?;
    }
    let bar = Bar::new("building", !common.quiet);
    let reply = command(config, &Command::Build(options), &bar);
    bar.finish();
    reply
}

/// Builds the site of the content files, and leaves nothing but the build behind.
fn build_from_files(
    common: &CommonArguments,
    arguments: &BuildArguments,
    config: Config,
    options: BuildOptions,
) -> Result<Reply, CommandFailure> {
    if config.git.is_none() {
        required_content_folder(&config)?;
    }
    let folder = atomic_file::temporary_folder("galley-build-")?;
    // Before anything is written to the folder, because a signal would end the process without
    // removing it.
    let signals = exec::SignalHandling::begin(folder.path())?;
    let progress = Bar::of_files(!common.quiet);
    let app = temporary_site::serve(config, folder.path(), false, &progress)?;
    if arguments.strict {
        check::refuse_problems(&app.content_report().problems, "nothing is written")?;
    }
    let options = BuildOptions {
        // The keys of a temporary site are random, and a static host checks none.
        content_key: Some(PLACEHOLDER_KEY.to_owned()),
        ..options
    };
    let bar = Bar::new("building", !common.quiet);
    let reply = control::execute(app.control_context(), &Command::Build(options), &bar);
    bar.finish();
    // The order matters: the server writes to the folder until it has stopped.
    drop(app);
    drop(signals);
    folder.close()?;
    Ok(reply)
}

fn print(target: &Path, report: &BuildReport, as_json: bool, is_quiet: bool) -> io::Result<()> {
    let mut out = Output::standard();
    if as_json {
        return out.json(report);
    }
    for remark in &report.remarks {
        terminal::complain(Level::WARN, remark);
    }
    for dead in &report.dead_links {
        terminal::complain(Level::WARN, format_args!("warning: {dead}"));
    }
    for failed in &report.failed_pages {
        terminal::complain(Level::ERROR, format_args!("error: {failed}"));
    }
    if is_quiet {
        return Ok(());
    }
    writeln!(
        out,
        "{}: {} written ({} bytes), {} unchanged, {} removed",
        target.display(),
        report.written,
        report.bytes_written,
        report.unchanged,
        report.removed
    )
}
