//! Assigns slugs in the folder of another generator, whose URLs contain the folders of documents. Of several documents that
//! request the same slug, all but the first get the prefix of their section.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};

use crate::{
    content_files::{
        path_properties::FileKind,
        reconcile::{Conditions, FileOutput, Reconciler, read::FileReading, scan::FolderScan},
    },
    content_text::Diagnostic,
    render::{slug, slug::Kind},
};

/// The warning about a document that does not get the slug that it requests.
pub const SLUG_IS_TAKEN: &str =
    "another document has the same slug, so this one gets a different slug";

/// Returns how a slug is changed, as a detail of [`SLUG_IS_TAKEN`].
pub fn renamed(wanted: &str, slug: &str) -> String {
    format!("\"{wanted}\" becomes \"{slug}\"")
}

/// Returns the slugs that a document with the slug `wanted` in these sections may get, in order of preference.
pub fn candidates(wanted: &str, sections: &[String]) -> impl Iterator<Item = String> {
    let with_sections = (0..sections.len()).rev().map(move |first| {
        let folders = sections[first..].join("-");
        slug::from_text(Kind::Post, &format!("{folders}-{wanted}"), "")
    });
    let with_sections: Vec<String> = with_sections.filter(|slug| slug != wanted).collect();
    let last = with_sections.last().map_or(wanted, |slug| slug.as_str());
    let numbered = slug::candidates(last.to_owned()).skip(1);
    std::iter::once(wanted.to_owned())
        .chain(with_sections.clone())
        .chain(numbered)
}

impl Reconciler {
    /// Assigns the current slug to a file that requests the same slug as before.
    pub(super) fn with_known_slug(&self, mut reading: FileReading) -> FileReading {
        let known = self.output(&reading.path);
        if let (Some(output), Some(known)) = (&reading.output, known)
            && known.wanted.is_some()
            && *output.slug == *known.wanted_slug()
        {
            let settled = output.with_slug(&known.slug);
            reading.rename(settled);
        }
        reading
    }

    /// Settles the slugs of a folder of another generator by the precedence of documents. Of documents with text, the one
    /// that the generator publishes at that URL gets the requested slug, else the one in the fewest folders, and of those the
    /// first by path. The same folder therefore has the same slugs, in whatever order its files were written.
    pub(super) fn settle_slugs(
        &self,
        readings: &mut Vec<FileReading>,
        scan: &FolderScan,
        conditions: &Conditions,
    ) {
        if scan.layout.is_own() {
            return;
        }
        let read: BTreeSet<&String> = readings.iter().map(|reading| &reading.path).collect();
        let known = self
            .states
            .iter()
            .filter(|(path, _)| !scan.removed.contains(*path) && !read.contains(path))
            .filter_map(|(path, state)| Some((path.clone(), state.output.clone()?)));
        let new = readings
            .iter()
            .filter_map(|reading| Some((reading.path.clone(), reading.output.clone()?)));
        let all: Vec<(String, Arc<FileOutput>)> = known
            .chain(new)
            .filter(|(_, output)| output.namespace() == FileKind::Post)
            .collect();
        for (path, settled) in settled(&all, scan) {
            let known = readings.iter_mut().find(|reading| reading.path == path);
            if let Some(reading) = known {
                reading.rename(settled);
            } else if let Some(mut reading) = self.read_again(&path, conditions) {
                reading.rename(settled);
                readings.push(reading);
            }
        }
    }
}

/// Returns the files whose slugs change, with their new identities.
fn settled(all: &[(String, Arc<FileOutput>)], scan: &FolderScan) -> Vec<(String, FileOutput)> {
    let mut claimants: BTreeMap<&str, Vec<(&String, &Arc<FileOutput>)>> = BTreeMap::new();
    for (path, output) in all {
        claimants
            .entry(output.wanted_slug())
            .or_default()
            .push((path, output));
    }
    // No document gets a slug that another one requests.
    let mut taken: HashSet<String> = claimants.keys().map(|slug| (*slug).to_owned()).collect();
    let mut changed = Vec::new();
    for (wanted, mut paths) in claimants {
        paths.sort_by_key(|(path, output)| output.precedence(path));
        for (index, (path, output)) in paths.into_iter().enumerate() {
            let slug = match index {
                0 => wanted.to_owned(),
                _ => {
                    let published = output.aliases.first().map(|path| &**path);
                    let sections = scan.layout.distinction_of(path, published);
                    let mut free = candidates(wanted, &sections).skip(1);
                    let slug = free.find(|slug| !taken.contains(slug));
                    // The candidates are infinite.
                    slug.unwrap_or_default()
                }
            };
            taken.insert(slug.clone());
            if *slug != *output.slug {
                changed.push((path.clone(), output.with_slug(&slug)));
            }
        }
    }
    changed
}

impl FileReading {
    /// Assigns a slug, and reports it if it is not the requested slug.
    fn rename(&mut self, output: FileOutput) {
        if output.wanted.is_some() {
            let diagnostic = Diagnostic::about_file(
                &self.path,
                SLUG_IS_TAKEN,
                "give one of the two another `slug`",
            );
            let diagnostic = diagnostic.with_detail(renamed(output.wanted_slug(), &output.slug));
            self.diagnostics.push(diagnostic.into_warning());
        }
        self.output = Some(Arc::new(output));
    }
}
