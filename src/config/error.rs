//! Errors of the configuration, and the origins of values.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use super::options::OPTIONS;

/// An error of the configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration file {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file is not TOML.
    #[error("{position}: {message}")]
    Malformed {
        /// The position.
        position: Box<FilePosition>,
        /// The error.
        message: String,
    },
    /// The file sets an unknown option.
    #[error("{position}: unknown option \"{key}\".{}", nearest(key))]
    Unknown {
        /// The position of the name.
        position: Box<FilePosition>,
        /// The name, with its tables.
        key: String,
    },
    /// A value is invalid.
    #[error("{origin}: \"{value}\" is not {expected}")]
    Invalid {
        /// The option.
        key: String,
        /// The source of the value.
        origin: OptionOrigin,
        /// The value.
        value: String,
        /// The valid values.
        expected: String,
    },
    /// A value that must not be printed is invalid.
    #[error("{origin}: {expected}")]
    InvalidSecret {
        /// The option.
        key: String,
        /// The source of the value.
        origin: OptionOrigin,
        /// The valid values.
        expected: String,
    },
    /// An option that another one requires is missing.
    #[error("{origin} is set, but {missing} is not: set it to {expected}")]
    Missing {
        /// The option that is set.
        key: String,
        /// Its source.
        origin: OptionOrigin,
        /// The missing option.
        missing: &'static str,
        /// The valid values.
        expected: &'static str,
    },
    /// Two options are set that exclude each other.
    #[error(
        "{one} and {other} are both set, but exclude each other: remove one of them, or set it to \"\""
    )]
    Exclusive {
        /// The second option.
        key: String,
        /// The source of the first.
        one: OptionOrigin,
        /// The source of the second.
        other: OptionOrigin,
    },
    /// There are several errors.
    #[error("{} errors in the configuration:\n{}", .0.len(), lines(.0))]
    Several(Vec<ConfigError>),
}

impl ConfigError {
    /// Returns an error that contains all of `errors`, of which there must be at least one. Errors in files are sorted
    /// by position.
    pub(super) fn all(mut errors: Vec<Self>) -> Self {
        match errors.pop() {
            Some(only) if errors.is_empty() => only,
            last => {
                errors.extend(last);
                errors.sort_by(|one, other| one.position().cmp(&other.position()));
                Self::Several(errors)
            }
        }
    }

    /// Returns the errors that this one contains, or else this error itself.
    pub fn each(&self) -> &[Self] {
        match self {
            Self::Several(errors) => errors,
            one => std::slice::from_ref(one),
        }
    }

    /// Returns the option whose value is replaced by its default, so that further errors are found.
    pub(super) fn key(&self) -> Option<&str> {
        match self {
            Self::Invalid { key, .. }
            | Self::InvalidSecret { key, .. }
            | Self::Missing { key, .. }
            | Self::Exclusive { key, .. } => Some(key),
            Self::Unreadable { .. }
            | Self::Malformed { .. }
            | Self::Unknown { .. }
            | Self::Several(_) => None,
        }
    }

    /// Returns the position in a file, if the error has one.
    pub fn position(&self) -> Option<&FilePosition> {
        match self {
            Self::Malformed { position, .. }
            | Self::Unknown { position, .. }
            | Self::Invalid {
                origin: OptionOrigin::File(position, _),
                ..
            }
            | Self::InvalidSecret {
                origin: OptionOrigin::File(position, _),
                ..
            }
            | Self::Missing {
                origin: OptionOrigin::File(position, _),
                ..
            }
            | Self::Exclusive {
                one: OptionOrigin::File(position, _),
                ..
            } => Some(position),
            _ => None,
        }
    }
}

/// Returns the errors, each on a separate line.
fn lines(errors: &[ConfigError]) -> String {
    let lines = errors.iter().map(|error| format!("  {error}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// A position in a configuration file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FilePosition {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for FilePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, column } = self;
        write!(f, "{}:{line}:{column}", Path::display(path))
    }
}

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionOrigin {
    /// On the command line.
    Flag(String),
    /// In the environment.
    Variable(String),
    /// In the file.
    File(Box<FilePosition>, String),
    /// Not set: it is the default.
    Default,
}

impl OptionOrigin {
    /// Returns the position in a file, if the value is set in one.
    pub fn position(&self) -> Option<&FilePosition> {
        match self {
            Self::File(position, _) => Some(position),
            Self::Flag(_) | Self::Variable(_) | Self::Default => None,
        }
    }
}

impl fmt::Display for OptionOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "--{flag}"),
            Self::Variable(name) => f.write_str(name),
            Self::File(position, key) => write!(f, "{position}: {key}"),
            Self::Default => f.write_str("the default"),
        }
    }
}

fn nearest(key: &str) -> String {
    OPTIONS
        .iter()
        .map(|option| (strsim::damerau_levenshtein(option.key, key), option.key))
        .min()
        .filter(|(distance, _)| *distance <= 3)
        .map(|(_, known)| format!(" Did you mean \"{known}\"?"))
        .unwrap_or_default()
}
