//! The configuration file of a repository: read as data, and for the most part ignored.
//!
//! Only the listed settings are honoured: those for the conversion of the contents of files and for ignored files. Any
//! other setting has no effect, so that a setting that names a program, in this or another version of git, runs nothing.
//! Files that the configuration includes are not read.

use std::{collections::BTreeSet, io::ErrorKind, path::Path, sync::Arc};

use crate::repository::{
    GitError,
    clone::at,
    environment::Environment,
    program::{Program, TIME_TO_WORK},
};

/// The settings of a repository that are honoured in a person's work tree.
const HONOURED: [&str; 12] = [
    "core.attributesfile",
    "core.autocrlf",
    "core.checkroundtripencoding",
    "core.eol",
    "core.excludesfile",
    "core.filemode",
    "core.ignorecase",
    "core.logallrefupdates",
    "core.precomposeunicode",
    "core.safecrlf",
    "core.sharedrepository",
    "core.symlinks",
];

/// Extensions of the format that do not affect this program, or that it supports.
const HARMLESS: [&str; 7] = [
    "extensions.noop",
    "extensions.noop-v1",
    "extensions.partialclone",
    "extensions.preciousobjects",
    "extensions.relativeworktrees",
    "extensions.submodulepathconfig",
    "extensions.worktreeconfig",
];

/// Extensions of the format of objects and refs, with their values.
const FORMATS: [(&str, [&str; 2]); 2] = [
    ("extensions.objectformat", ["sha1", "sha256"]),
    ("extensions.refstorage", ["files", "reftable"]),
];

/// The settings of a file, in their order, with names as git prints them: only subsections may have capitals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositoryConfig(Vec<(String, Option<String>)>);

impl RepositoryConfig {
    /// Reads a file, without the files that it includes. A file that does not exist has no settings.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or git cannot parse it.
    pub fn read(file: &Path) -> Result<Self, GitError> {
        match file.metadata() {
            Ok(metadata) if metadata.is_file() => {}
            // Reading a pipe would wait for its other end.
            Ok(_) => return Err(at(file)(ErrorKind::InvalidData.into())),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(at(file)(error)),
        }
        let name = file.to_string_lossy();
        let arguments = ["config", "--file", &name, "--no-includes", "-z", "--list"];
        Self::listed(&Environment::without_repository(), &arguments)
    }

    /// Reads the configuration of the user that this process runs as, and that of the machine.
    ///
    /// # Errors
    ///
    /// If git cannot parse it.
    pub fn of_user() -> Result<Self, GitError> {
        Self::listed(
            &Environment::of_user(),
            &["config", "--includes", "-z", "--list"],
        )
    }

    fn listed(environment: &Environment, arguments: &[&str]) -> Result<Self, GitError> {
        let program = Program::new(environment.clone(), Arc::default());
        let listed = program.run("reading the configuration", arguments, TIME_TO_WORK)?;
        let listed = String::from_utf8_lossy(&listed);
        let settings = listed.split_terminator('\0');
        Ok(Self(
            settings
                .map(|setting| match setting.split_once('\n') {
                    Some((key, value)) => (key.to_owned(), Some(value.to_owned())),
                    // A key without `=`, which means true.
                    None => (setting.to_owned(), None),
                })
                .collect(),
        ))
    }

    /// Adds the settings of another file, which override these.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Returns the values of a setting.
    fn values(&self, key: &'static str) -> impl DoubleEndedIterator<Item = &str> {
        let settings = self.0.iter().filter(move |(name, _)| name == key);
        settings.map(|(_, value)| value.as_deref().unwrap_or("true"))
    }

    /// Returns the value of a setting: the last one in the file.
    pub fn value(&self, key: &'static str) -> Option<&str> {
        self.values(key).next_back()
    }

    /// Returns whether a setting is true.
    pub fn is_true(&self, key: &'static str) -> bool {
        let value = self.value(key).unwrap_or_default().to_ascii_lowercase();
        matches!(value.as_str(), "true" | "yes" | "on" | "1")
    }

    /// Returns the subsections of a section: the drivers of `filter`, for example.
    pub fn subsections(&self, section: &str) -> BTreeSet<String> {
        let names = self.0.iter().filter_map(|(key, _)| {
            let rest = key.strip_prefix(section)?.strip_prefix('.')?;
            // A subsection may contain dots; a key cannot.
            Some(rest.rsplit_once('.')?.0.to_owned())
        });
        names.collect()
    }

    /// Returns whether the file includes other files.
    pub fn has_includes(&self) -> bool {
        let is_include = |key: &str| key.starts_with("include.") || key.starts_with("includeif.");
        self.0.iter().any(|(key, _)| is_include(key))
    }

    /// Returns whether the user trusts a work tree that belongs to another user.
    pub fn trusts(&self, top: &Path) -> bool {
        let home = std::env::home_dir().unwrap_or_default();
        // Entries may be symbolic links, as for git.
        let resolved = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let top = resolved(top);
        let is_folder = |path: &Path| resolved(path) == top;
        let is_above = |path: &Path| {
            let above = resolved(path);
            top != above && top.starts_with(&above)
        };
        let mut is_trusted = false;
        for folder in self.values("safe.directory") {
            is_trusted = match folder {
                // An empty entry clears the entries before it.
                "" => false,
                "*" => true,
                folder => {
                    let path = match folder.strip_prefix("~/") {
                        Some(rest) => home.join(rest),
                        None => folder.into(),
                    };
                    let above = path.parent().filter(|_| path.ends_with("*"));
                    is_trusted || is_folder(&path) || above.is_some_and(is_above)
                }
            };
        }
        is_trusted
    }

    /// Returns the honoured settings, with their values.
    pub fn honoured(&self) -> Vec<(String, String)> {
        let values = HONOURED.into_iter().filter_map(|key| {
            let value = self.value(key)?;
            Some((key.to_owned(), value.to_owned()))
        });
        values.collect()
    }

    /// Returns the configuration file of a git directory for a repository of the same format.
    ///
    /// # Errors
    ///
    /// `Extension` if the format is unknown. `path` is the path of this configuration in the error.
    pub fn format(&self, path: &Path) -> Result<String, GitError> {
        let unsupported = |extension: String| GitError::Extension {
            path: path.to_owned(),
            extension,
        };
        let version = self.value("core.repositoryformatversion").unwrap_or("0");
        if !matches!(version, "0" | "1") {
            return Err(unsupported(format!("format {version}")));
        }
        // Format 1, because git ignores extensions in format 0.
        let mut file =
            "[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n".to_owned();
        for (key, _) in &self.0 {
            // In format 0, git ignores unknown extensions.
            let is_known =
                HARMLESS.contains(&key.as_str()) || FORMATS.iter().any(|(format, _)| format == key);
            if key.starts_with("extensions.") && !is_known && version == "1" {
                return Err(unsupported(key.clone()));
            }
        }
        for (key, known) in FORMATS {
            let Some(value) = self.value(key) else {
                continue;
            };
            if !known.contains(&value) {
                return Err(unsupported(format!("{key} = {value}")));
            }
            let name = key.trim_start_matches("extensions.");
            file.push_str(&format!("\t{name} = {value}\n"));
        }
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_below_a_trusted_one_are_trusted() {
        let trusted = [("safe.directory".to_owned(), Some("/srv/*".to_owned()))];
        let config = RepositoryConfig(trusted.into());
        assert!(config.trusts(Path::new("/srv/site")));
        assert!(config.trusts(Path::new("/srv/sites/one")));
        assert!(!config.trusts(Path::new("/srv")));
        assert!(!config.trusts(Path::new("/srv2/site")));
    }
}
