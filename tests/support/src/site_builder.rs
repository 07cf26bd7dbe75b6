//! Configures a [`TestSite`] before it is started.

use std::{collections::BTreeMap, fs, path::PathBuf};

use galley::{
    app::App,
    config::{Config, OPTIONS},
    progress::NoProgress,
    server::Limits,
};
use tempfile::TempDir;

use crate::{
    smtp_receiver::SmtpReceiver,
    test_database::database_of,
    test_site::{Server, TestSite},
};

/// A site that has not been started yet.
pub struct SiteBuilder {
    folder: TempDir,
    url: Option<String>,
    has_content: bool,
    is_staffed: bool,
    options: BTreeMap<&'static str, String>,
}

impl SiteBuilder {
    pub(crate) fn new() -> Self {
        Self {
            folder: memory_folder(),
            url: None,
            has_content: true,
            is_staffed: false,
            options: BTreeMap::new(),
        }
    }

    /// Writes a content file.
    pub fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        write(self.folder.path().join("content").join(path), content);
        self
    }

    /// Writes an upload. The path is below the data folder.
    pub fn upload(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        write(self.folder.path().join("data").join(path), content);
        self
    }

    /// Sets the site's public URL.
    pub fn url(mut self, url: &str) -> Self {
        self.url = Some(url.to_owned());
        self
    }

    /// Serves without a content folder.
    pub fn without_content(mut self) -> Self {
        self.has_content = false;
        self
    }

    /// Sets a configuration option by its key in `galley.toml`.
    pub fn option(mut self, key: &'static str, value: &str) -> Self {
        let known = OPTIONS.iter().any(|option| option.key == key);
        assert!(known, "there is nothing called {key} to set");
        self.options.insert(key, value.to_owned());
        self
    }

    /// Serves no pages of a theme, so that the site has only its API.
    pub fn headless(self) -> Self {
        self.option("front_end", "none")
    }

    /// Adds a signed-in owner, an integration and a mail server, and removes the default records of a new site.
    /// Sign-ins from a new device require a mailed code only with [`device_verification`](Self::device_verification).
    pub fn staffed(mut self) -> Self {
        self.is_staffed = true;
        self
    }

    /// Requires a mailed code for each new device.
    pub fn device_verification(self) -> Self {
        self.option("staff.device_verification", "true")
    }

    /// Reads the content and starts the server.
    pub fn start(mut self) -> TestSite {
        let mail = self.is_staffed.then(SmtpReceiver::start);
        if let Some(mail) = &mail {
            self = self.option("mail.url", &mail.url());
            let verifies_devices = self.options.entry("staff.device_verification");
            verifies_devices.or_insert_with(|| "false".to_owned());
        }
        let app = App::start(self.config(), &NoProgress).unwrap();
        TestSite::new(Server::InProcess(Box::new(app), self.folder), mail)
    }

    fn config(&self) -> Config {
        let content = self.folder.path().join("content");
        fs::create_dir_all(&content).unwrap();
        let data = self.folder.path().join("data");
        let store_url = database_of(&data);
        let mut options = self.options.clone();
        if store_url.is_some() {
            let uploads = || data.display().to_string();
            options.entry("uploads.folder").or_insert_with(uploads);
        }
        let read = Config::read(&options, None).unwrap();
        Config {
            store_url,
            data,
            content: self.has_content.then_some(content),
            listen: "127.0.0.1:0".parse().unwrap(),
            url: self.url.clone(),
            limits: Limits {
                threads: 1,
                ..read.limits.clone()
            },
            ..read
        }
    }
}

/// Returns a new folder, in memory if there is enough space, because sites spend more time waiting for the disk than
/// computing.
fn memory_folder() -> TempDir {
    const SHARED_MEMORY: &str = "/dev/shm";
    const ROOM_MIN: u64 = 2 << 30;
    let room = rustix::fs::statvfs(SHARED_MEMORY);
    let has_room = room.is_ok_and(|room| room.f_bavail * room.f_frsize >= ROOM_MIN);
    if has_room {
        tempfile::tempdir_in(SHARED_MEMORY).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}

/// Writes a file, creating its parent folders.
pub(crate) fn write(path: PathBuf, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}
