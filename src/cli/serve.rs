//! `galley serve`

use std::{
    collections::BTreeMap,
    io,
    net::SocketAddr,
    path::PathBuf,
    process::{self, ExitCode},
    sync::{
        Arc, Mutex, OnceLock,
        mpsc::{self, Receiver},
    },
    thread,
    time::Duration,
};

use clap::Args;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
};

use super::{browser, log, progress_bar::Bar, reload::Reloading, terminal::Output};
use crate::{
    app::{self, App},
    background,
    cli::{
        command_failure::CommandFailure,
        common_arguments::{CommonArguments, warn_of_ineffective},
    },
    config,
};

/// Time to close everything after requests in flight were aborted, in addition to the stop timeout.
const CLOSING: Duration = Duration::from_millis(500);

/// The arguments of `serve`.
#[derive(Args, Clone, Default)]
#[command(
    after_help = "Examples:\n  galley serve\n  galley serve ~/site --listen 0.0.0.0:8080 --url https://example.com/blog\n  \
                        galley serve --no-content --data /var/lib/galley\n  \
                        galley serve --git https://github.com/ada/site --git-path content\n\nThese options can also be set in galley.toml and as GALLEY_DATA, GALLEY_CONTENT, GALLEY_LISTEN, GALLEY_URL …"
)]
pub struct ServeArguments {
    /// The folder of content files [default: content, if there is one]
    #[arg(long, value_name = "DIR", conflicts_with = "no_content")]
    content: Option<PathBuf>,
    /// Serve the content of the store, without content files
    #[arg(long)]
    no_content: bool,
    /// The repository to serve and follow instead of a folder: https://…, ssh://…, user@host:path,
    /// file:///…
    #[arg(long, value_name = "URL", conflicts_with_all = ["content", "no_content"])]
    git: Option<String>,
    /// The branch to follow [default: the repository's default branch]
    #[arg(long, value_name = "NAME")]
    git_branch: Option<String>,
    /// The folder in the repository that contains the content files [default: all of it]
    #[arg(long, value_name = "PATH")]
    git_path: Option<String>,
    /// Destination of edits through the Admin API: off, folder, commit or push
    #[arg(long, value_name = "MODE")]
    write_back: Option<String>,
    /// The address to listen on [default: 127.0.0.1:2368]
    #[arg(long, value_name = "HOST:PORT", value_parser = listen_address)]
    listen: Option<SocketAddr>,
    /// The names of the site, to serve it over https: example.com, www.example.com …
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    domain: Vec<String>,
    /// The site's public URL, which may have a path [default: that of site.toml, else the listen
    /// address]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The folder of a theme to render pages with in place of the active one, while it is developed: saved files show immediately
    #[arg(long, value_name = "DIR")]
    theme: Option<PathBuf>,
    /// Limit of open files of the process, connections included [default: as many as the system
    /// allows]
    #[arg(long, value_name = "NUMBER")]
    open_files: Option<u64>,
    /// Open the site in the browser
    #[arg(long)]
    open: bool,
}

/// The arguments of `galley serve`, which also takes the folder without an option, as `check` and
/// `import` do.
#[derive(Args)]
pub struct ServeCommand {
    /// The folder of content files, as with --content
    #[arg(value_name = "FOLDER", conflicts_with_all = ["content", "no_content", "git"])]
    folder: Option<PathBuf>,
    #[command(flatten)]
    arguments: ServeArguments,
}

impl ServeCommand {
    /// Returns the arguments with the folder among them.
    ///
    /// # Errors
    ///
    /// If the folder is the folder of a site with its own options and data, not a folder of content files.
    pub fn arguments(&self) -> Result<ServeArguments, CommandFailure> {
        let Some(folder) = &self.folder else {
            return Ok(self.arguments.clone());
        };
        if config::is_site_folder(folder)? {
            return Err(CommandFailure::Command(format!(
                "{} has a {}: it is the folder of a site, not of its content files. Run `galley` in it",
                folder.display(),
                config::FILE
            )));
        }
        Ok(ServeArguments {
            content: Some(folder.clone()),
            ..self.arguments.clone()
        })
    }
}

impl ServeArguments {
    /// Returns whether any of the arguments was given.
    pub fn is_given(&self) -> bool {
        !self.flags().is_empty()
    }

    fn flags(&self) -> BTreeMap<&'static str, String> {
        let mut flags = BTreeMap::new();
        if let Some(content) = &self.content {
            flags.insert("content", content.to_string_lossy().into_owned());
        }
        if self.no_content {
            // An empty value takes precedence over that of the file and over the default folder.
            flags.insert("content", String::new());
        }
        let of_git = [
            ("source.git.url", &self.git),
            ("source.git.branch", &self.git_branch),
            ("source.git.path", &self.git_path),
            ("source.write_back", &self.write_back),
        ];
        flags.extend(
            of_git
                .into_iter()
                .filter_map(|(key, value)| Some((key, value.clone()?))),
        );
        if let Some(listen) = &self.listen {
            flags.insert("listen", listen.to_string());
        }
        if !self.domain.is_empty() {
            flags.insert("domain", self.domain.join(","));
        }
        if let Some(url) = &self.url {
            flags.insert("url", url.clone());
        }
        if let Some(theme) = &self.theme {
            flags.insert("theme", theme.to_string_lossy().into_owned());
            // The folder has an effect only if pages are rendered with a theme.
            flags.insert("front_end", "theme".to_owned());
        }
        if let Some(files) = &self.open_files {
            flags.insert("server.open_files", files.to_string());
        }
        flags
    }
}

/// Parses the value of `--listen`.
fn listen_address(text: &str) -> Result<SocketAddr, String> {
    config::listen_address(text).map_err(|valid| format!("expected {valid}"))
}

/// Starts the thread that receives the signals to reload and to stop. When `limit` has passed after a signal to stop,
/// the process ends even if work is pending, such as a request to a server that does not respond. As with a killed
/// process, no data is lost.
fn receive_signals(limit: Duration, reloading: Arc<Reloading>) -> io::Result<Receiver<()>> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let (stop, stopped) = mpsc::channel();
    let wait = move || {
        let mut signals = signals.forever();
        while signals.next() == Some(SIGHUP) {
            // The result is logged.
            let _ = reloading.reload();
        }
        if stop.send(()).is_err() {
            return;
        }
        thread::sleep(limit);
        tracing::warn!(
            "some work did not finish in time, such as a request to another server; it is repeated after the next start"
        );
        process::exit(0);
    };
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(wait)?;
    Ok(stopped)
}

/// Serves until Ctrl-C or SIGTERM.
pub fn run(
    common: &CommonArguments,
    arguments: &ServeArguments,
) -> Result<ExitCode, CommandFailure> {
    let mut config = common.configuration(arguments.flags())?;
    config.check_bucket_keys()?;
    let reloading = Arc::new(Reloading {
        common: common.with_its_file(),
        flags: arguments.flags(),
        log: common.start_log(&config, config.log_level),
        current: Mutex::new(config.values.clone()),
        live: OnceLock::new(),
    });
    app::check_start(&config)?;
    warn_of_ineffective(&config);
    if let Some(requested) = config.open_files.arrange(&mut config.limits)? {
        tracing::warn!(
            requested,
            connections = config.limits.connections_max,
            "the limit of open files is too low for the requested number of connections; raise it with --open-files and LimitNOFILE="
        );
    }
    // Before the site is opened, which may take long: a signal also ends a process that is
    // starting.
    let stop = receive_signals(config.limits.stop_timeout + CLOSING, Arc::clone(&reloading))?;
    let app = App::start(config, &Bar::of_files(!common.quiet))?;
    // There is only one site, so the value is set once.
    let _ = reloading.live.set(Arc::downgrade(app.live_parts()));
    app.reload_with(Box::new(move || {
        reloading.reload().map_err(|error| error.to_string())
    }));
    background::lower_priority();
    if let Some(url) = app.setup_url().filter(|_| app.is_reachable()) {
        tracing::info!("Set up this site: {url}");
    }
    if !common.quiet
        && let Err(error) = greet(&app)
    {
        // The process that started this one may not read the output; the site is served nevertheless.
        tracing::debug!(%error, "the greeting could not be written");
    }
    if arguments.open {
        browser::open(app.site_urls().site())?;
    }
    // The sender is dropped only after the signal.
    let _ = stop.recv();
    drop(app);
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

/// Prints the URL of the site and an example request.
fn greet(app: &App) -> io::Result<()> {
    let snapshot = app.site().current();
    let catalog = &snapshot.catalog;
    let title = catalog.settings.text("title").unwrap_or_default();
    let key = catalog
        .integrations()
        .next()
        .map(|integration| integration.content_key.secret.clone());
    let key = key.unwrap_or_default();
    let mut out = Output::standard();
    let origin = match app.https_address() {
        Some(_) => app.site_urls().origin(),
        None => format!("http://{}", app.address()),
    };
    let api = format!("{origin}{}", app.content_api_path());
    out.bold(&title)?;
    out.part(" is at ")?;
    out.bold(app.site_urls().site())?;
    writeln!(out)?;
    out.part("Content API key: ")?;
    out.bold(&key)?;
    writeln!(out)?;
    writeln!(out, "Try it:")?;
    writeln!(
        out,
        "  curl '{api}/posts/?key={key}&limit=3&fields=title,url'"
    )?;
    if !log::is_in_journal() {
        writeln!(out, "Ctrl-C stops it.")?;
    }
    out.flush()
}
