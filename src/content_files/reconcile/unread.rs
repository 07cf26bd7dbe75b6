//! Documents that are not served: outside the folders of the layout, or left out by it.

use std::{borrow::Cow, collections::BTreeMap, path::Path};

use crate::{content_files::layout::Layout, content_text::Diagnostic, generators::Role};

const ADVICE: &str = "assign them with `posts` or `pages` below `[content_files]` in galley.toml or site.toml, or move posts to posts/ and pages to pages/";
const ADVICE_LEFT_OUT: &str =
    "change the rules below `[content_files]` in galley.toml or site.toml to serve them";
const ADVICE_MARKUP: &str = "convert them to Markdown to serve them";
const ADVICE_TEMPLATES: &str = "leave them to the front end, or write their content as Markdown; `ignore` below `[content_files]` silences this warning";

/// The files of one folder that are not content for the same reason.
struct OmittedFiles<'a> {
    first: &'a str,
    count: usize,
    outcome: &'static str,
    is_unassigned: bool,
    advice: &'static str,
}

/// Returns the warnings about the project's settings: about settings that are not used, and about folders of documents that
/// are outside the content folder.
pub fn project_problems(layout: &Layout) -> Vec<Diagnostic> {
    let folders = layout.folders_outside().map(|folder| {
        Diagnostic::about_file(
            format!("{folder}/"),
            format!(
                "the settings of {} name this folder of documents, which is outside of the content folder and is not served",
                layout.profile().title
            ),
            "serve or import the folder that contains both: the project is detected in it",
        )
        .into_warning()
    });
    layout.settings_problems().chain(folders).collect()
}

/// Returns a warning for each reason and each top-level folder with documents among `paths` that are not content, and a
/// warning for all templates from which the generator builds pages. Each warning names the first file and states the number
/// of files.
pub fn unread_files<'a>(
    root: &Path,
    layout: &Layout,
    paths: impl Iterator<Item = &'a str>,
) -> Vec<Diagnostic> {
    let mut folders: BTreeMap<(&str, Cow<'static, str>), OmittedFiles<'_>> = BTreeMap::new();
    let mut templates: Option<(&str, usize)> = None;
    for path in paths {
        // The role first: `builds_page` reads the file.
        if layout.reason(path).role == Role::Template && layout.builds_page(root, path) {
            templates.get_or_insert((path, 0)).1 += 1;
            continue;
        }
        let Some(omission) = layout.omission_of(path).filter(|found| !found.is_expected) else {
            continue;
        };
        let folder = path.split_once('/').map_or("", |(folder, _)| folder);
        let advice = if omission.is_other_markup {
            ADVICE_MARKUP
        } else if omission.is_unassigned {
            ADVICE
        } else {
            ADVICE_LEFT_OUT
        };
        let files = OmittedFiles {
            first: path,
            count: 0,
            outcome: omission.outcome(),
            is_unassigned: omission.is_unassigned,
            advice,
        };
        let group = folders.entry((folder, omission.reason));
        group.or_insert(files).count += 1;
    }
    let of_templates = templates.map(|(first, count)| {
        let title = layout.profile().title;
        let message = match count {
            1 => format!("a file is a template of {title} and is not served"),
            _ => format!("{count} files are templates of {title} and are not served"),
        };
        Diagnostic::about_file(first, message, ADVICE_TEMPLATES).into_warning()
    });
    let warnings = folders.into_iter().map(|((folder, reason), files)| {
        let location = match folder {
            "" => "at the top of the content folder".to_owned(),
            folder => format!("in {folder}/"),
        };
        let kind = if files.is_unassigned {
            "Markdown file"
        } else {
            "document"
        };
        let message = match files.count {
            1 => format!("a {kind} {location} is {}: {reason}", files.outcome),
            count => format!("{count} {kind}s {location} are {}: {reason}", files.outcome),
        };
        Diagnostic::about_file(files.first, message, files.advice).into_warning()
    });
    warnings.chain(of_templates).collect()
}

/// Returns a line for each reason and each top-level folder with documents among `paths` from which the generator itself
/// builds no pages.
pub fn ignored_files<'a>(layout: &Layout, paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut folders: BTreeMap<(&str, Cow<'static, str>), (&str, usize)> = BTreeMap::new();
    for path in paths {
        if let Some(omission) = layout.omission_of(path).filter(|found| found.is_expected) {
            let folder = path.split_once('/').map_or(path, |(folder, _)| folder);
            let group = folders.entry((folder, omission.reason));
            group.or_insert((path, 0)).1 += 1;
        }
    }
    let lines = folders
        .into_iter()
        .map(|((folder, reason), (first, count))| match count {
            1 => format!("ignored: {first}: {reason}"),
            _ => format!("ignored: {count} documents in {folder}/: {reason}"),
        });
    lines.collect()
}
