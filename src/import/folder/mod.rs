//! Folders of Markdown: projects of generators, Galley's own content folders, and plain folders.
//!
//! Texts become ordinary posts and pages, which no file binds: their Markdown becomes a document of the editor. Tags and
//! authors that they name come into being, and pictures that they show are copied into the data folder. Front matter is
//! read by the keys of content files; what does not count of it is reported with file and line.
//!
//! It goes twice through the texts. The first time tells what each is called, so that links between them can be followed;
//! the second converts them on all processors and saves them. A post that a text made before is changed when its text
//! changed, unless somebody edited it since.

mod addresses;
mod imported;
mod places;
mod plan;
mod project;
mod saving;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use url::Url;

use self::{
    addresses::Addresses,
    imported::ContentHash,
    places::Places,
    plan::{Planned, Planner},
    project::{Project, Text},
    saving::{ExistingRecord, Saver},
};
use super::{Options, Progress, Report, ghost::bodies};
use crate::{
    domain::{
        document::Document,
        post::{Body, Post, PostKind},
    },
    error::{Error, Kind, Result},
    id::Id,
    render::{
        active_urls::lexical_without_active_urls, body_counts::BodyCounts, lexical::DocumentError,
    },
    site::Transaction,
    sources::{
        self, Diagnostic, History,
        generator_files::{Conditions, Directory, GeneratorDocument, GeneratorReading, Named},
        git, tree,
    },
};

/// How many texts are converted before what they make is saved.
const CHUNK: usize = 64;

/// Brings in the texts of a folder, which may be a project or lie in one. Returns the files that they refer to, by the
/// places in the data folder that they are to have.
///
/// # Errors
///
/// `Validation` when the folder cannot be read or holds no texts. The transaction is not to be committed then.
pub fn import(
    transaction: &mut Transaction,
    folder: &Path,
    options: &Options,
    report: &mut Report,
    progress: &dyn Progress,
) -> Result<BTreeMap<String, PathBuf>> {
    let project = Arc::new(Project::open(folder, &options.content_files, report)?);
    let texts = project.texts(report);
    let descriptions: Vec<&str> = project.descriptions().collect();
    if texts.is_empty() && descriptions.is_empty() {
        return Err(no_texts(folder));
    }
    report.pass("texts", texts.len(), 0);
    let history = match options.history {
        true => Some(Arc::new(history_of(&project.root)?)),
        false => None,
    };
    let catalog = transaction.catalog();
    let mut work = Work {
        conditions: Conditions::of(&catalog.settings, transaction.now())
            .with_layout(Arc::clone(&project.layout))
            .with_history(history)
            .with_folder(&project.root),
        project: Arc::clone(&project),
        progress,
        done: 0,
        // Each text is read twice.
        total: texts.iter().map(|text| text.size * 2).sum(),
    };
    let planned = work.plan(transaction, texts, report)?;
    let texts: HashMap<String, sources::FileOutput> = planned
        .iter()
        .map(|planned| (planned.text.path.clone(), planned.made.clone()))
        .collect();
    let places = Arc::new(Places::of(&project, &options.data));
    let addresses = Addresses::new(Arc::clone(&project), Arc::clone(&places), texts);
    let mut saver = Saver::new(transaction, report, &project);
    saver.describe(&descriptions, &addresses, &work.conditions)?;
    let directory = saver.directory(&addresses);
    let mut planned = planned.into_iter();
    while !planned.as_slice().is_empty() {
        let chunk: Vec<(Planned, ExistingRecord)> = planned
            .by_ref()
            .take(CHUNK)
            .map(|planned| {
                let known = saver.known(&planned)?;
                Ok((planned, known))
            })
            .collect::<Result<_>>()?;
        let bytes: u64 = chunk.iter().map(|(planned, _)| planned.text.size).sum();
        let converted: Vec<Result<ConvertedText>> = chunk
            .into_par_iter()
            .map(|(planned, known)| {
                work.convert(planned, &known, &directory, &addresses, &options.site)
            })
            .collect();
        for converted in converted {
            saver.save(converted?)?;
        }
        work.advance(bytes);
    }
    Ok(places.files_at(&saver.finish()))
}

/// Returns the history of a project's files.
fn history_of(root: &Path) -> Result<History> {
    git::history_of(root).map_err(|error| {
        let message = format!("The history of {} cannot be read: {error}.", root.display());
        Error::new(Kind::Validation, message)
            .help("Import a folder of a git repository, or leave `--history` out.")
    })
}

fn no_texts(folder: &Path) -> Error {
    let message = format!("The folder {} holds no texts to import.", folder.display());
    Error::new(Kind::Validation, message).help(
        "Name the folder of a project of Hugo, Zola, Jekyll, Eleventy, Astro, Next.js, Docusaurus or Obsidian, or one with Markdown files in it.",
    )
}

/// What all texts are read by.
struct Work<'a> {
    project: Arc<Project>,
    conditions: Conditions,
    progress: &'a dyn Progress,
    done: u64,
    total: u64,
}

/// A text as converted.
struct ConvertedText {
    planned: Planned,
    /// What it makes; `None` when it cannot be used.
    made: Option<Converting>,
    /// What is to be said of it: where, and what; whether it keeps something from being used.
    notes: Vec<Note>,
}

/// What a text makes.
struct Converting {
    post: Post,
    body: Body,
    hash: ContentHash,
    /// What the body holds in the text and in the post.
    counts: Passed,
    tags: Vec<Named>,
    authors: Vec<Named>,
    /// Who stands for its author, if it names none.
    default_author: Option<Id>,
    /// The paths of the files that it refers to.
    uploads: BTreeSet<String>,
}

/// What a body holds before it is converted, and behind.
#[derive(Clone, Copy)]
struct Passed {
    before: BodyCounts,
    after: BodyCounts,
}

impl Passed {
    fn between(before: BodyCounts, html: &str) -> Self {
        let after = BodyCounts::of_html(html);
        Self { before, after }
    }

    /// Each kind with how many there are before and behind.
    fn kinds(self) -> impl Iterator<Item = (&'static str, usize, usize)> {
        let pairs = self.before.named().into_iter().zip(self.after.named());
        pairs.map(|((kind, before), (_, after))| (kind, before, after))
    }

    /// What is to be said of what is not there as often as it was.
    fn differences(self) -> impl Iterator<Item = String> {
        let different = self.kinds().filter(|(_, before, after)| before != after);
        different.map(|(kind, before, after)| {
            let kind = kind.replace('_', " ");
            format!("the file has {before} {kind}, and the post has {after}")
        })
    }
}

/// What is to be said of a text.
struct Note {
    subject: String,
    text: String,
}

impl Note {
    fn of(diagnostic: &Diagnostic) -> Self {
        let line = diagnostic.place.as_ref().map(|place| place.line as usize);
        Self {
            subject: subject(&diagnostic.file, line),
            text: diagnostic.message.clone(),
        }
    }
}

impl Work<'_> {
    fn advance(&mut self, bytes: u64) {
        self.done += bytes;
        self.progress.advance(self.done.min(self.total), self.total);
    }

    /// Reads a text of the project.
    fn read(&self, text: &Text) -> GeneratorReading {
        match tree::read(&self.project.root, &text.path) {
            Ok(bytes) => GeneratorDocument::read(&text.path, &bytes, &self.conditions),
            Err(problem) => GeneratorReading::Failed(vec![problem]),
        }
    }

    /// Which post each text becomes. What cannot be read is reported.
    fn plan(
        &mut self,
        transaction: &Transaction,
        mut texts: Vec<Text>,
        report: &mut Report,
    ) -> Result<Vec<Planned>> {
        // Of several that ask for one slug the same text has it as where the folder is served.
        texts.sort_by_cached_key(|text| (text.path.matches('/').count(), text.path.clone()));
        let mut planner = Planner::new(transaction, &self.project);
        let mut all = Vec::with_capacity(texts.len());
        let mut texts = texts.into_iter();
        while !texts.as_slice().is_empty() {
            let chunk: Vec<Text> = texts.by_ref().take(CHUNK).collect();
            let bytes = chunk.iter().map(|text| text.size).sum();
            let read: Vec<(Text, GeneratorReading)> = chunk
                .into_par_iter()
                .map(|text| {
                    let reading = self.read(&text);
                    (text, reading)
                })
                .collect();
            for (text, reading) in read {
                all.extend(plan_one(&mut planner, text, reading, report)?);
            }
            self.advance(bytes);
        }
        all.sort_by(|one, other| one.text.path.cmp(&other.text.path));
        Ok(all)
    }

    /// What a text makes. `known` counts where it does not say so itself.
    fn convert(
        &self,
        planned: Planned,
        known: &ExistingRecord,
        directory: &Directory,
        addresses: &Addresses,
        site: &Url,
    ) -> Result<ConvertedText> {
        let path = &planned.text.path;
        let (mut text, diagnostics) = match self.read(&planned.text) {
            GeneratorReading::Text(text, diagnostics) => (text, diagnostics),
            // It was another text when it was planned.
            GeneratorReading::LeftOut(_) => return Ok(ConvertedText::failed(planned, &[])),
            GeneratorReading::Failed(problems) => {
                return Ok(ConvertedText::failed(planned, &problems));
            }
        };
        let mut notes: Vec<Note> = diagnostics.iter().map(Note::of).collect();
        if let Some(date) = known.date.filter(|_| !text.is_dated()) {
            if text.kind() == PostKind::Post && !text.is_draft() {
                notes.push(Note {
                    subject: path.clone(),
                    text: "it has no date; the time when the file was last written stands instead"
                        .to_owned(),
                });
            }
            text.set_date(date);
        }
        let mut foreign = match text.convert(planned.id, &planned.slug, directory, &self.conditions)
        {
            Ok(foreign) => foreign,
            Err(problems) => return Ok(ConvertedText::failed(planned, &problems)),
        };
        if let Some(author) = known.default_author.filter(|_| foreign.names_no_author) {
            foreign.post.authors = vec![author];
            foreign.authors = vec![Named::Known(author)];
        }
        notes.extend(foreign.diagnostics.iter().map(Note::of));
        let uploads = foreign.addresses.iter();
        let uploads = uploads.filter_map(|written| addresses.upload(path, written));
        let (body, removed) = match rendered(&foreign.post, &foreign.lexical, site) {
            Ok(rendered) => rendered,
            Err(error) => {
                notes.push(Note {
                    subject: path.clone(),
                    text: format!("it cannot be imported: {error}"),
                });
                return Ok(ConvertedText {
                    planned,
                    made: None,
                    notes,
                });
            }
        };
        let hash = ContentHash::of(&foreign.post, body.html.as_deref(), body.lexical.as_deref())?;
        notes.extend(removed.iter().map(|url| Note {
            subject: path.clone(),
            text: bodies::removal(url),
        }));
        let counts = Passed::between(foreign.counts, body.html.as_deref().unwrap_or_default());
        notes.extend(counts.differences().map(|text| Note {
            subject: path.clone(),
            text,
        }));
        let made = Converting {
            counts,
            uploads: uploads.collect(),
            default_author: (foreign.names_no_author)
                .then(|| foreign.post.authors.first().copied())
                .flatten(),
            post: foreign.post,
            tags: foreign.tags,
            authors: foreign.authors,
            body,
            hash,
        };
        Ok(ConvertedText {
            planned,
            made: Some(made),
            notes,
        })
    }
}

/// Returns the post that a text becomes; `None` when it cannot be used, which is reported.
fn plan_one(
    planner: &mut Planner,
    text: Text,
    reading: GeneratorReading,
    report: &mut Report,
) -> Result<Option<Planned>> {
    let problems = match reading {
        GeneratorReading::Text(read, _) => {
            let wanted = read.made().slug;
            let planned = planner.plan(text, &read)?;
            if *planned.slug != *wanted {
                let message = format!(
                    "the slug \"{wanted}\" is taken; it has \"{}\"",
                    planned.slug
                );
                report.change(planned.text.path.clone(), message);
            }
            return Ok(Some(planned));
        }
        GeneratorReading::LeftOut(reason) => vec![reason],
        GeneratorReading::Failed(problems) => problems,
    };
    for note in problems.iter().map(Note::of) {
        report.leave_out(note.subject, note.text);
    }
    Ok(None)
}

impl ConvertedText {
    fn failed(planned: Planned, problems: &[Diagnostic]) -> Self {
        Self {
            planned,
            made: None,
            notes: problems.iter().map(Note::of).collect(),
        }
    }
}

/// Returns where a problem is, as reports name it: `posts/ferry.md:12`.
fn subject(path: &str, line: Option<usize>) -> String {
    match line {
        Some(line) => format!("{path}:{line}"),
        None => path.to_owned(),
    }
}

/// The body that is this document, as it shows on the site at `site`, and the URLs that were taken out.
fn rendered(
    post: &Post,
    lexical: &str,
    site: &Url,
) -> std::result::Result<(Body, Vec<String>), DocumentError> {
    let mut removed = Vec::new();
    let lexical = lexical_without_active_urls(lexical, &mut removed).into_owned();
    let document = Document::rendered(lexical, site)?;
    let has_feature_image = post.feature_image.is_some();
    let body = Body::new(document.html, post.is_closed(), has_feature_image)
        .with_lexical(document.lexical);
    Ok((body, removed))
}
