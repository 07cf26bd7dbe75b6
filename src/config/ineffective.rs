//! Finds options that are set but have no effect without another one, which is not set: a site that sets `backup.every` but not
//! `backup.to` is not backed up.
//!
//! They are warnings, not errors: the other option may be a secret that only the service has in its environment, or one that a
//! flag switches off for a while (`--no-content`).

use std::fmt;

use super::{
    error::{FilePosition, OptionOrigin},
    options::OPTIONS,
    start::Start,
    values::Values,
};
use crate::content_files::WriteBack;

/// An option that is set but has no effect.
#[derive(Clone, Debug)]
pub struct IneffectiveOption {
    origin: OptionOrigin,
    /// The missing condition and how to meet it, as the end of a message.
    without: &'static str,
}

impl IneffectiveOption {
    /// Returns the position in a file, if the option is set in one.
    pub fn position(&self) -> Option<&FilePosition> {
        self.origin.position()
    }
}

impl fmt::Display for IneffectiveOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, without } = self;
        write!(f, "{origin} has no effect {without}, or remove it")
    }
}

/// Options that have an effect only under a condition.
struct Dependent {
    options: &'static [&'static str],
    without: &'static str,
    is_met: fn(&Values, &Start<'_>) -> bool,
}

/// All options that have an effect only with another one.
///
/// Not among them are options that a command uses without the other one: those of a bucket for backups, and `backup.keep`, which
/// applies to `galley backup --to`; and `theme` and `reader_scripts`, which apply to `galley build` with any `front_end`.
const DEPENDENT: &[Dependent] = &[
    Dependent {
        options: &["tls.listen", "tls.hsts_s"],
        without: "without https: set domain or tls.cert",
        is_met: |_, start| start.tls_listen.is_some(),
    },
    Dependent {
        options: &["tls.acme_directory", "tls.acme_contact", "tls.acme_root"],
        without: "without a certificate from an authority: set domain, and not tls.cert",
        is_met: |values, _| is_set(values, "domain") && !is_set(values, "tls.cert"),
    },
    Dependent {
        options: &[
            "uploads.endpoint",
            "uploads.region",
            "uploads.access_key",
            "uploads.secret_key",
            "uploads.cache_mb",
        ],
        without: "without a bucket: set uploads.bucket",
        is_met: |values, _| is_set(values, "uploads.bucket"),
    },
    Dependent {
        options: &["mail.from", "mail.rate"],
        without: "without a mail server: set mail.url",
        is_met: |values, _| is_set(values, "mail.url"),
    },
    Dependent {
        options: &["backup.every", "backup.keep_days", "backup.max_loss"],
        without: "without regular backups: set backup.to",
        is_met: |values, _| is_set(values, "backup.to"),
    },
    Dependent {
        options: &["content_files.settle_ms", "content_files.rescan_s"],
        without: "without a content folder: set content",
        is_met: |_, start| start.content.is_some(),
    },
    Dependent {
        options: &[
            "content_files.generator",
            "content_files.posts",
            "content_files.pages",
            "content_files.ignore",
            "content_files.language",
            "content_files.other_languages",
            "content_files.markdown",
            "content_files.titles",
            "content_files.slugs",
            "content_files.dates",
        ],
        without: "without content files: set content or source.git.url",
        is_met: |_, start| start.content.is_some() || start.has_git,
    },
    Dependent {
        options: &[
            "source.git.branch",
            "source.git.path",
            "source.git.interval",
            "source.git.token",
            "source.git.secret",
            "source.git.history",
        ],
        without: "without a repository: set source.git.url",
        is_met: |_, start| start.has_git,
    },
    Dependent {
        options: &["source.new_posts", "source.new_pages"],
        without: "unless edits are written to files: set source.write_back",
        is_met: |_, start| start.write_back != WriteBack::Off,
    },
    Dependent {
        options: &["source.write_back_settle_s", "source.commit_message"],
        without: "unless edits are committed: set source.write_back to \"commit\" or \"push\"",
        is_met: |_, start| matches!(start.write_back, WriteBack::Commit | WriteBack::Push),
    },
    Dependent {
        options: &["source.push_branch"],
        without: "unless edits are pushed: set source.write_back to \"push\"",
        is_met: |_, start| start.write_back == WriteBack::Push,
    },
    Dependent {
        options: &["source.push_branch_after_s"],
        without: "without a branch for review: set source.push_branch",
        is_met: |values, _| is_set(values, "source.push_branch"),
    },
];

/// Returns the options that are set to something else than nothing or their default, and have no effect.
pub(super) fn options(values: &Values, start: &Start<'_>) -> Vec<IneffectiveOption> {
    let unmet = DEPENDENT
        .iter()
        .filter(|dependent| !(dependent.is_met)(values, start));
    let options = unmet.flat_map(|dependent| {
        let origins = dependent.options.iter().filter_map(|key| {
            let default = OPTIONS.iter().find(|option| option.key == *key)?.default;
            let (value, origin) = values.given_with_origin(key)?;
            (!value.is_empty() && value != default).then(|| origin.clone())
        });
        origins.map(|origin| IneffectiveOption {
            origin,
            without: dependent.without,
        })
    });
    options.collect()
}

fn is_set(values: &Values, key: &str) -> bool {
    values.given(key).is_some_and(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, OptionType};

    /// Returns the warnings about a configuration with these values, without a content folder unless they name one.
    fn warnings(given: &[(&'static str, &str)]) -> Vec<String> {
        let given = given.iter().map(|(key, value)| (*key, (*value).to_owned()));
        let values = std::iter::once(("content", String::new())).chain(given);
        let config = Config::read(&values.collect(), None).expect("each value is valid");
        let options = config.ineffective.iter();
        options.map(ToString::to_string).collect()
    }

    /// Returns a valid value of an option that is not its default.
    fn value_of(key: &str) -> &'static str {
        let option = OPTIONS.iter().find(|option| option.key == key);
        match (key, option.expect("an option of the table").kind) {
            ("tls.acme_contact" | "mail.from", _) => "ada@example.com",
            ("tls.acme_directory" | "uploads.endpoint", _) => "https://example.com",
            ("tls.listen", _) => "127.0.0.1:8443",
            ("backup.every" | "backup.max_loss", _) => "90s",
            ("content_files.generator", _) => "hugo",
            ("content_files.markdown", _) => "github",
            ("source.new_posts" | "source.new_pages", _) => "posts/{slug}.md",
            ("source.commit_message", _) => "{action} {path}",
            (_, OptionType::Number(..)) => "61",
            (_, OptionType::Switch) => "true",
            (_, OptionType::Choice(words)) => words[1],
            _ => "posts",
        }
    }

    #[test]
    fn option_without_effect_is_named_with_what_it_needs() {
        for dependent in DEPENDENT {
            for key in dependent.options {
                let expected = format!(" has no effect {}, or remove it", dependent.without);
                let warnings = warnings(&[(*key, value_of(key))]);
                assert_eq!(warnings.len(), 1, "{key}: {warnings:?}");
                assert!(warnings[0].ends_with(&expected), "{key}: {warnings:?}");
            }
        }
    }

    #[test]
    fn option_whose_condition_is_met_is_not_named() {
        let https = ("domain", "example.com");
        let bucket = ("uploads.bucket", "s3://uploads/site");
        let git = ("source.git.url", "https://git.test/a.git");
        let push = ("source.write_back", "push");
        let commit = ("source.write_back", "commit");
        let branch = ("source.push_branch", "review");
        for given in [
            &[
                https,
                ("tls.hsts_s", "60"),
                ("tls.acme_contact", "ada@example.com"),
            ][..],
            &[bucket, ("uploads.cache_mb", "64")],
            &[("mail.url", "smtp://mail.test"), ("mail.rate", "5")],
            &[("backup.to", "/backups"), ("backup.max_loss", "5s")],
            &[("content", "/"), ("content_files.rescan_s", "5")],
            &[
                git,
                ("source.git.history", "true"),
                ("content_files.posts", "a/**"),
            ],
            &[
                commit,
                ("source.commit_message", "{path}"),
                ("source.new_posts", "{slug}.md"),
            ],
            &[git, push, branch, ("source.push_branch_after_s", "5")],
        ] {
            assert_eq!(warnings(given), Vec::<String>::new(), "{given:?}");
        }
    }

    #[test]
    fn certificate_from_files_needs_no_options_of_an_authority() {
        let files = [("tls.cert", "cert.pem"), ("tls.key", "key.pem")];
        let given = [
            &files[..],
            &[("domain", "example.com"), ("tls.acme_root", "root.pem")],
        ];
        let warnings = warnings(&given.concat());
        assert!(
            warnings[0].starts_with("--tls-acme-root has no effect"),
            "{warnings:?}"
        );
    }

    #[test]
    fn option_with_its_default_or_nothing_is_not_named() {
        let given = [
            ("tls.hsts_s", "0"),
            ("backup.every", "24h"),
            ("mail.from", ""),
        ];
        assert_eq!(warnings(&given), Vec::<String>::new());
    }
}
