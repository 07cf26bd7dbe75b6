//! The systemd unit of a site: the unit of the Debian package, with the paths, the user and the rights that the
//! configuration needs.

use std::{
    env, io,
    path::{Path, PathBuf},
};

use crate::{backup::Destination, config::Config};

/// The first line of each unit that `galley service install` writes.
pub const MARK: &str =
    "# Written by `galley service install`, which replaces this file. `systemctl edit` adds to it.";

/// The unit of the Debian package, for one site whose user and folders are called `galley`.
const PACKAGED: &str = include_str!("galley.service");

/// The subcommand that a service runs.
pub const SERVE: &str = "serve";

/// The folder in which systemd creates the data folder of a service, owned by the user of the service.
const STATE: &str = "/var/lib";

/// Settings that hide folders from the service: the setting, the hidden folders, and a value that does not hide them.
const HIDING: [(&str, &[&str], &str); 2] = [
    ("ProtectHome", &["/home", "/root", "/run/user"], "read-only"),
    ("PrivateTmp", &["/tmp", "/var/tmp"], "no"),
];

/// The user that a service runs as.
pub enum ServiceUser {
    /// A user of the system.
    Named(String),
    /// A user that systemd creates for the service.
    Dynamic,
}

/// The settings of a unit. All paths are absolute.
pub struct ServiceUnit {
    /// The name, without `.service`.
    pub name: String,
    /// The user.
    pub user: ServiceUser,
    /// The folder that relative paths of the configuration are resolved against.
    pub folder: PathBuf,
    /// The program, [`SERVE`] and its arguments.
    pub command: Vec<String>,
    /// The data folder.
    pub data: PathBuf,
    /// Other folders that the service writes to.
    pub writes: Vec<PathBuf>,
    /// True if the service listens on a port below 1024.
    pub has_low_port: bool,
}

impl ServiceUnit {
    /// Returns the folders besides the data folder that a site with this configuration writes to.
    pub fn folders_written(config: &Config, folder: &Path) -> Vec<PathBuf> {
        let backups = config.backups.as_ref().map(|backups| &backups.destination);
        let backups = match backups {
            Some(Destination::Folder(path)) => Some(path),
            _ => None,
        };
        let uploads = config.uploads_folder.as_ref();
        let paths = config.content.iter().chain(uploads).chain(backups);
        paths.map(|path| folder.join(path)).collect()
    }

    /// Returns whether a site with this configuration listens on a privileged port for which systemd does not hold the
    /// socket. `has_socket` returns whether the socket unit with a name is enabled.
    pub fn needs_low_port(config: &Config, has_socket: impl Fn(&str) -> bool) -> bool {
        let https = config.https.as_ref().map(|https| https.listen);
        let listeners = [
            (Some(config.listen), Some("http")),
            (https, Some("https")),
            (config.metrics_listen, None),
        ];
        listeners.into_iter().any(|(address, socket)| {
            let is_low = address.is_some_and(|address| (1..1024).contains(&address.port()));
            is_low && !socket.is_some_and(&has_socket)
        })
    }

    /// Returns the data folder relative to [`STATE`], if systemd creates it.
    pub fn state_folder(data: &Path) -> Option<&Path> {
        let below = data.strip_prefix(STATE).ok()?;
        (!below.as_os_str().is_empty()).then_some(below)
    }

    /// Returns whether a path or a name has a control character, such as a line break.
    pub fn has_control_characters(&self) -> bool {
        let paths = [&self.folder, &self.data].into_iter().chain(&self.writes);
        let mut words: Vec<_> = paths.map(|path| path.to_string_lossy()).collect();
        words.extend(self.command.iter().map(Into::into));
        if let ServiceUser::Named(name) = &self.user {
            words.push(name.into());
        }
        words.iter().any(|word| word.contains(char::is_control))
    }

    /// Returns the text of the unit.
    pub fn text(&self) -> String {
        let mut lines = vec![MARK.to_owned()];
        for line in PACKAGED.lines() {
            match line.split_once('=') {
                Some((key, value)) if !line.starts_with('#') => {
                    lines.extend(self.setting(key, value));
                }
                _ => lines.push(line.to_owned()),
            }
        }
        lines.push(String::new());
        lines.join("\n")
    }

    /// Returns the lines that replace a setting of the packaged unit.
    fn setting(&self, key: &str, value: &str) -> Vec<String> {
        let state = Self::state_folder(&self.data);
        let capability = |key| format!("{key}=CAP_NET_BIND_SERVICE");
        let line = match (key, &self.user) {
            ("Description", _) if self.name != "galley" => format!("{key}={value}: {}", self.name),
            ("User", ServiceUser::Dynamic) => "DynamicUser=yes".to_owned(),
            ("User", ServiceUser::Named(name)) => format!("{key}={name}"),
            ("WorkingDirectory", _) => format!("{key}={}", escaped(&self.folder)),
            ("ExecStart", _) => self.command_line(key, SERVE),
            ("ExecReload", _) => self.command_line(key, "reload"),
            ("EnvironmentFile", _) => format!("{key}=-/etc/{}/secrets", self.name),
            ("StateDirectory", _) => {
                let state =
                    state.map(|state| format!("{key}={}", quoted(&state.to_string_lossy())));
                return state.into_iter().chain(self.writable()).collect();
            }
            ("StateDirectoryMode", _) if state.is_none() => return Vec::new(),
            ("CapabilityBoundingSet" | "AmbientCapabilities", _) if self.has_low_port => {
                capability(key)
            }
            // In a user namespace, a capability would not apply to the ports of the machine.
            ("PrivateUsers", _) if self.has_low_port => format!("{key}=no"),
            _ => format!("{key}={}", self.relaxed(key).unwrap_or(value)),
        };
        vec![line]
    }

    /// Returns a setting with the command, with [`SERVE`] replaced by `subcommand`.
    fn command_line(&self, key: &str, subcommand: &str) -> String {
        let words = self.command.iter().map(|word| match word.as_str() {
            SERVE => subcommand,
            word => word,
        });
        // systemd would expand a variable in the arguments.
        let words = words.map(|word| quoted(word).replace('$', "$$"));
        format!("{key}={}", words.collect::<Vec<_>>().join(" "))
    }

    /// Returns the relaxed value of a setting that would otherwise hide a folder of the site.
    fn relaxed(&self, key: &str) -> Option<&'static str> {
        let (_, hidden, value) = HIDING.iter().find(|(name, ..)| *name == key)?;
        let program = self.command.first().map(Path::new);
        let paths = [self.data.as_path(), &self.folder].into_iter();
        let mut paths = paths
            .chain(self.writes.iter().map(PathBuf::as_path))
            .chain(program);
        let is_hidden = |path: &Path| hidden.iter().any(|folder| path.starts_with(folder));
        paths.any(is_hidden).then_some(*value)
    }

    /// Returns a line for each folder that the service writes to and systemd does not create.
    fn writable(&self) -> Vec<String> {
        let data = Some(&self.data).filter(|data| Self::state_folder(data).is_none());
        let paths = data.into_iter().chain(&self.writes);
        let lines =
            // With the dash, a folder that does not exist yet does not prevent the start.
            paths.map(|path| format!("ReadWritePaths=-{}", quoted(&path.to_string_lossy())));
        lines.collect()
    }
}

/// Returns the path of the running program, for a unit.
///
/// # Errors
///
/// If the operating system does not report the path.
pub fn program() -> io::Result<String> {
    Ok(env::current_exe()?.to_string_lossy().into_owned())
}

/// Returns a word of a setting that is a list, quoted if necessary.
fn quoted(word: &str) -> String {
    // A single `%` begins a specifier of systemd.
    let word = word.replace('%', "%%");
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-:%+@,=$".contains(&byte);
    if word.bytes().all(is_plain) && !word.is_empty() {
        return word;
    }
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns a path for a setting that is a single path.
fn escaped(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%%")
}
