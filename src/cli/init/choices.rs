//! The choices of `galley init`: from flags, from questions on the terminal, or by default.

use std::{
    io::{self, BufRead},
    path::{self, Path, PathBuf},
};

use clap::Args;

use super::super::terminal::Output;
use crate::{
    api::front_end::FrontEnd, cli::command_failure::CommandFailure, config, delivery::MailServer,
    domain::email, repository::RepositoryUrl, site_urls::SiteUrls,
};

/// Default title of a new site.
const TITLE: &str = "My site";

/// The choice for a new content folder.
const NEW: &str = "new";

/// The choice for the content files in the site's folder.
const HERE: &str = "here";

/// The flags for the questions.
#[derive(Args)]
pub struct Questions {
    /// The title [default: that of the content; of a new site "My site"]
    #[arg(long)]
    title: Option<String>,
    /// The site's public URL [default: the listen address]
    #[arg(long, value_name = "URL", conflicts_with = "domain")]
    url: Option<String>,
    /// The site's name in the DNS, such as example.com: `galley serve` obtains its certificate and serves it over https
    #[arg(long, value_name = "NAME")]
    domain: Option<String>,
    /// The content: `new` for a first post and page, `here` for the files in DIR, the URL of a git
    /// repository, or a Ghost export
    #[arg(long, value_name = "new|here|URL|FILE")]
    from: Option<String>,
    /// The pages of the site: `theme` for those of the active theme, `none` for the API alone, or the URL of your own front end
    /// [default: theme]
    #[arg(long, value_name = "theme|none|URL")]
    front_end: Option<String>,
    /// The mail server, as smtp://user:password@host:587 [default: mails are written to the log]
    #[arg(long, value_name = "URL")]
    mail: Option<String>,
    /// The owner's e-mail address
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
}

/// The source of the content of a site.
#[derive(Debug, PartialEq, Eq)]
pub enum ContentSource {
    /// A new content folder.
    New,
    /// The content files in the site's folder.
    Here,
    /// The git repository with this URL.
    Repository(String),
    /// The Ghost export at this absolute path.
    Ghost(PathBuf),
}

/// The public URL of the site.
pub enum PublicUrl {
    /// A URL at which a proxy or a static host serves the site.
    Url(String),
    /// A domain name for which Galley obtains the certificate.
    Domain(String),
}

/// The choices.
pub struct Choices {
    /// The title; `None` to use the title of the content.
    pub title: Option<String>,
    /// The public URL; `None` for the listen address.
    pub url: Option<PublicUrl>,
    /// The source of the content.
    pub source: ContentSource,
    /// The front end, as written in `galley.toml`.
    pub front_end: String,
    /// The mail server's URL.
    pub mail: Option<String>,
    /// The owner's e-mail address; `None` if the imported export may contain an owner.
    pub email: Option<String>,
}

impl Questions {
    /// Returns the choices from the flags. The others are asked for if `is_asked`, and have their default otherwise.
    ///
    /// # Errors
    ///
    /// If a choice is invalid, or the e-mail address is missing.
    pub fn choices(&self, folder: &Path, is_asked: bool) -> Result<Choices, CommandFailure> {
        let usual = if has_documents(folder) { HERE } else { NEW };
        let source = Question {
            flag: "from",
            text: "Content: `new`, `here` for the files of this folder, the URL of a git repository, or a Ghost export",
            usual,
        };
        let source = source.choose(self.from.as_deref(), is_asked, content_source)?;
        let is_new = source == ContentSource::New;
        let title = Question {
            flag: "title",
            text: if is_new {
                "Title"
            } else {
                "Title, if not that of the content"
            },
            usual: if is_new { TITLE } else { "" },
        };
        let mail = Question {
            flag: "mail",
            text: "Mail server, as smtp://user:password@host:587; without one, mails are written to the log",
            usual: "",
        };
        let is_export = matches!(source, ContentSource::Ghost(_));
        let owner = Question {
            flag: "email",
            text: if is_export {
                "Your e-mail address, if the export has no owner"
            } else {
                "Your e-mail address, to sign in"
            },
            usual: "",
        };
        let optional = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Ok(Choices {
            title: title.choose(self.title.as_deref(), is_asked, |text| Ok(optional(text)))?,
            url: self.public_url(is_asked)?,
            front_end: FRONT_END.choose(self.front_end.as_deref(), is_asked, |text| {
                let parsed = text.parse::<FrontEnd>();
                parsed
                    .map(|_| text.to_owned())
                    .map_err(|error| error.to_string())
            })?,
            mail: mail.choose(self.mail.as_deref(), is_asked, |text| match text {
                "" => Ok(None),
                url => url
                    .parse::<MailServer>()
                    .map(|_| optional(url))
                    .map_err(|error| error.to_string()),
            })?,
            email: owner.choose(self.email.as_deref(), is_asked, |text| match text {
                "" if is_export => Ok(None),
                text if email::is_address(text) => Ok(optional(text)),
                _ => Err("the owner needs an e-mail address, such as ada@example.com".to_owned()),
            })?,
            source,
        })
    }

    /// Returns the domain or the URL. The URL is asked for if neither is given.
    fn public_url(&self, is_asked: bool) -> Result<Option<PublicUrl>, CommandFailure> {
        if let Some(name) = &self.domain {
            let invalid = || {
                CommandFailure::Command(format!(
                    "--domain: {name} is not a name such as example.com"
                ))
            };
            let name = config::domain_name(name.trim()).ok_or_else(invalid)?;
            return Ok(Some(PublicUrl::Domain(name)));
        }
        URL.choose(self.url.as_deref(), is_asked, |text| match text {
            "" => Ok(None),
            url => SiteUrls::new(url)
                .map(|_| Some(PublicUrl::Url(url.to_owned())))
                .map_err(|error| error.to_string()),
        })
    }
}

/// A question and its flag.
struct Question<'a> {
    flag: &'static str,
    text: &'a str,
    usual: &'a str,
}

const URL: Question<'static> = Question {
    flag: "url",
    text: "Public URL, such as https://example.com, if there is one already",
    usual: "",
};

const FRONT_END: Question<'static> = Question {
    flag: "front-end",
    text: "Front end: `theme` for pages that the active theme renders, `none` for the API alone, or the URL of your own",
    usual: "theme",
};

impl Question<'_> {
    /// Returns the parsed flag. Without the flag, asks until the choice is valid.
    fn choose<T>(
        &self,
        given: Option<&str>,
        is_asked: bool,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T, CommandFailure> {
        if !is_asked || given.is_some() {
            let choice = given.map_or(self.usual, str::trim);
            let invalid = |why| CommandFailure::Command(format!("--{}: {why}", self.flag));
            return parse(choice).map_err(invalid);
        }
        loop {
            let mut out = Output::standard();
            match self.usual {
                "" => out.part(format_args!("{}: ", self.text))?,
                usual => out.part(format_args!("{} [{usual}]: ", self.text))?,
            }
            out.flush()?;
            let mut line = String::new();
            if io::stdin().lock().read_line(&mut line)? == 0 {
                let message = "the questions were not answered; nothing was written";
                return Err(CommandFailure::Command(message.to_owned()));
            }
            let choice = match line.trim() {
                "" => self.usual,
                choice => choice,
            };
            match parse(choice) {
                Ok(choice) => return Ok(choice),
                Err(why) => writeln!(out, "  {why}")?,
            }
        }
    }
}

/// Parses the source of the content. The path of a local repository becomes absolute.
fn content_source(text: &str) -> Result<ContentSource, String> {
    match text {
        NEW => return Ok(ContentSource::New),
        HERE => return Ok(ContentSource::Here),
        _ => {}
    }
    let path = path::absolute(text).map_err(|error| error.to_string())?;
    if path.is_file() {
        return Ok(ContentSource::Ghost(path));
    }
    // `.git` is a file in work trees of git. A bare repository has its `HEAD` at the top.
    let is_repository = path.join(".git").exists() || path.join("HEAD").is_file();
    if path.is_dir() {
        return if is_repository {
            Ok(ContentSource::Repository(
                path.to_string_lossy().into_owned(),
            ))
        } else {
            Err(format!(
                "{text} is a folder, not a git repository. To use its files, name it as the folder of the site and choose `here`"
            ))
        };
    }
    if !text.contains(':') {
        return Err(format!("there is no file {text}"));
    }
    let parsed = text.parse::<RepositoryUrl>();
    parsed
        .map(|_| ContentSource::Repository(text.to_owned()))
        .map_err(|error| error.to_string())
}

/// Returns whether a folder contains Markdown files, up to two levels below it.
fn has_documents(folder: &Path) -> bool {
    let files = walkdir::WalkDir::new(folder).max_depth(3).into_iter();
    let mut files = files.flatten().map(walkdir::DirEntry::into_path);
    files.any(|path| path.extension().is_some_and(|extension| extension == "md"))
}
