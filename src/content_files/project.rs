//! Detects the generator of a folder by a few files, without executing any of them.

use std::path::Path;

use jiff::tz::TimeZone;

use crate::{
    content_files::{
        authors_file::{AuthorRecord, read_authors},
        linked_notes,
        options::ContentFiles,
        path_properties,
    },
    content_text::Diagnostic,
    generators::{
        GALLEY, GENERATORS, Generator, NamedGenerator, PLAIN, ProjectSettings, Sign, are_same,
        language, may_have_settings,
        settings::{
            folders::folders_in,
            literals::{SCRIPTS, settings_file, text_of},
        },
    },
};

/// Maximum number of levels above the given folder that are searched for settings of a generator.
const LEVELS_UP_MAX: usize = 6;
/// Maximum number of levels below the given folder that are searched for settings of a generator.
const LEVELS_DOWN_MAX: usize = 3;

/// Folders without projects, or with projects other than the site's.
const FOLDERS_WITHOUT_PROJECT: [&str; 14] = [
    "__tests__",
    "build",
    "dist",
    "e2e",
    "example",
    "examples",
    "fixtures",
    "node_modules",
    "playground",
    "public",
    "test",
    "tests",
    "themes",
    "vendor",
];

/// Usual folders for the documentation of a repository, which may contain the files of a generator.
const DOCUMENTATION: [&str; 5] = ["docs", "doc", "docs/source", "website", "site"];

/// The layout of a generator without a profile, for messages.
const PLAIN_MARKDOWN: &str = "plain Markdown";

/// A project in a folder of the content folder.
type FolderProject = (String, &'static dyn Generator);

/// The help for a folder with several projects.
const ADJACENT_HELP: &str =
    "serve or import one of these folders alone to have its URLs and settings only";

/// Returns whether a folder of this name cannot contain the site's project.
pub(super) fn has_no_project(name: &str) -> bool {
    FOLDERS_WITHOUT_PROJECT.contains(&name)
}

/// A detected project.
#[derive(Clone, Debug)]
pub struct Project {
    /// The generator.
    pub generator: &'static dyn Generator,
    /// The path of the project in the folder: empty, or with a trailing slash.
    pub folder: String,
    /// The path of the folder in the project: empty, or with a trailing slash.
    pub base: String,
    /// Its settings.
    pub settings: ProjectSettings,
    /// The authors in its author files.
    pub authors: Vec<AuthorRecord>,
}

impl Project {
    /// Detects the project of the content folder `root`, which contains the files `paths`: that of a generator with signs in
    /// it, around it or below it; Galley's own layout; or else plain Markdown. A folder without documents is Galley's own.
    ///
    /// A site file makes the folder Galley's own only if it has no characteristic files of a generator. Without a site file,
    /// a folder with documents in `posts/` is Galley's own, so that its other folders remain private. Notes that link to each
    /// other by name in double brackets identify their generator, whose settings are often not in the repository.
    pub fn of_content<'a>(root: &Path, paths: impl Iterator<Item = &'a str> + Clone) -> Self {
        let has_own_documents = paths.clone().any(is_in_own_folder);
        let is_own_tree = paths.clone().all(is_own_or_no_document);
        let has_site_file = has_any_sign(GALLEY, root);
        if !has_site_file
            && let Some(named) =
                NamedGenerator::with_signs_of_others().find(|named| is_of(named, root))
        {
            return Self::named_only(&named, root);
        }
        let generator = match (has_site_file, is_own_tree) {
            (false, _) => recognised(root),
            (true, true) => recognised_by_files(root),
            (true, false) => recognised_by_settings(root),
        };
        if let Some(generator) = generator {
            return Self::named(generator, root);
        }
        let has_own_folders = has_folders_of_galley_alone(root);
        if !has_site_file
            && !has_own_folders
            && let Some(project) = Self::around(root)
        {
            return project;
        }
        let is_own = has_own_documents || has_site_file && is_own_tree;
        let may_be_below = !has_own_folders && !is_own;
        if may_be_below && let Some(mut project) = Self::below(root) {
            if let Some(named) = named_only(root) {
                let above = "../".repeat(project.folder.matches('/').count());
                let as_what = format!("those of {}", project.generator.profile().title);
                let warning = named.warning(root, &above, &as_what);
                project.settings.problems.push(warning);
            }
            return project;
        }
        Self::without_signs(root, paths)
    }

    /// Returns the project of a folder that is read as a whole, regardless of settings of generators in it: Galley's own
    /// layout, linked notes, or plain Markdown.
    pub(super) fn without_signs<'a>(
        root: &Path,
        paths: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        let own = || Self::named(GALLEY, root);
        if has_any_sign(GALLEY, root) || has_folders_of_galley_alone(root) {
            return own();
        }
        let mut documents = paths.clone();
        let has_own_documents = documents.any(is_in_own_folder);
        // A folder may have no document but a `README` in each of its folders.
        let is_own_tree = paths.clone().all(is_own_or_no_document)
            && (has_document(paths.clone()) || !paths.clone().any(is_readme_below));
        match named_only(root) {
            Some(named) => Self::named_only(&named, root),
            None if is_own_tree || has_own_documents => own(),
            None => {
                let mut project = Self::named(of_linked_notes(root, paths).unwrap_or(PLAIN), root);
                project.settings.problems.extend(named_below(root));
                project
            }
        }
    }

    /// Returns the parent folders of a file, the nearest first, up to the root of its repository.
    pub fn folders_above(file: &Path) -> impl Iterator<Item = &Path> {
        let mut is_past = false;
        let above = file.ancestors().skip(1);
        above.take_while(move |folder| {
            // The folder with `.git` itself is the last one.
            !std::mem::replace(&mut is_past, folder.join(".git").exists())
        })
    }

    /// Returns the project of the configured generator in the folder `root` with the files `paths`; the detected one if none is
    /// configured.
    pub fn configured_or_detected<'a>(
        options: &ContentFiles,
        root: &Path,
        paths: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        let named = options.generator.as_deref();
        match named.and_then(|name| {
            GENERATORS
                .iter()
                .copied()
                .find(|generator| generator.profile().name == name)
        }) {
            Some(generator) => Self::named(generator, root),
            None => Self::of_content(root, paths),
        }
    }

    /// Returns the project in `root` of a generator that Galley knows by name only: plain Markdown, with a warning.
    fn named_only(named: &NamedGenerator, root: &Path) -> Self {
        let mut project = Self::named(PLAIN, root);
        let warning = named.warning(root, "", PLAIN_MARKDOWN);
        project.settings.problems.push(warning);
        project
    }

    /// Returns the project of a named generator in the folder `root`.
    pub fn named(generator: &'static dyn Generator, root: &Path) -> Self {
        Self::at(generator, root, String::new(), String::new())
    }

    /// Detects the project around `root`: `root` is its folder of documents, or contains its folders of documents, one for each
    /// language.
    fn around(root: &Path) -> Option<Self> {
        // A relative path has no parents above the current folder.
        let root = root.canonicalize().ok()?;
        root.ancestors()
            .skip(1)
            .take(LEVELS_UP_MAX)
            .find_map(|project| {
                let base = format!("{}/", root.strip_prefix(project).ok()?.to_str()?);
                let generator = recognised(project)?;
                let roots = ProjectSettings::read(generator, project).roots_of(generator.profile());
                let holds_texts = roots
                    .iter()
                    .any(|texts| format!("{texts}/").starts_with(&base));
                holds_texts.then(|| Self::at(generator, project, String::new(), base))
            })
    }

    /// Detects the project that the folder `root` is a part of, by settings in the parent folders, up to the root of the
    /// repository.
    pub fn containing(root: &Path) -> Option<Self> {
        let root = root.canonicalize().ok()?;
        // The search starts at a file in the folder, so that it also stops if the folder itself is the root of a repository.
        let file = root.join("file");
        let above = Self::folders_above(&file).skip(1).take(LEVELS_UP_MAX);
        let (project, generator) = above
            .filter_map(|folder| Some((folder, recognised_by_settings(folder)?)))
            .next()?;
        let base = format!("{}/", root.strip_prefix(project).ok()?.to_str()?);
        Some(Self::at(generator, project, String::new(), base))
    }

    /// Detects the project in a folder below `root`, or several adjacent projects.
    pub(super) fn below(root: &Path) -> Option<Self> {
        let mut level = vec![String::new()];
        for depth in 0..LEVELS_DOWN_MAX {
            let mut next = Vec::new();
            for folder in &level {
                next.extend(folders_in(root, folder, has_no_project));
            }
            // Deep in a repository, usual folder names are not a sufficient sign.
            let recognised = if depth < LEVELS_DOWN_MAX - 1 {
                recognised
            } else {
                recognised_by_settings
            };
            let projects: Vec<FolderProject> = next
                .iter()
                .filter_map(|folder| Some((folder.clone(), recognised(&root.join(folder))?)))
                .collect();
            if let Some(project) = adjacent(root, &projects) {
                return Some(project);
            }
            level = next;
        }
        None
    }

    pub(super) fn at(
        generator: &'static dyn Generator,
        root: &Path,
        folder: String,
        base: String,
    ) -> Self {
        Self {
            generator,
            folder,
            base,
            settings: ProjectSettings::read(generator, root),
            authors: authors_in(generator, root),
        }
    }

    /// Returns whether the file at `path`, by content or existence, may affect the detection.
    pub fn depends_on(path: &str) -> bool {
        let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.trim_start_matches('.').split('.').next();
        let is_deep = folders.split('/').count() > LEVELS_DOWN_MAX + 2;
        let is_text = path_properties::is_markdown(file);
        let is_of_folder = file.contains(".11tydata.")
            || file.ends_with("_versions.json")
            || stem.is_some_and(|stem| folders.ends_with(stem) && file.ends_with(".json"));
        // A section of Hugo may set values for its documents.
        let is_section = stem == Some("_index");
        is_section || !is_text && (is_of_folder || !is_deep && stem.is_some_and(may_have_settings))
    }
}

/// Combines the projects in folders of `root`: a single project, or several of one generator as one site, with a warning that
/// names them. Of several generators only the first is used, with a warning.
fn adjacent(root: &Path, projects: &[FolderProject]) -> Option<Project> {
    let (first, generator) = projects.first()?;
    let same = projects
        .iter()
        .filter(|(_, other)| are_same(*generator, *other));
    let same: Vec<&str> = same.map(|(folder, _)| folder.as_str()).collect();
    let mut project = match same.as_slice() {
        [folder] => one_in_folder(root, folder, *generator),
        folders => several_as_one(root, folders, *generator),
    };
    let others = projects
        .iter()
        .filter(|(_, other)| !are_same(*generator, *other));
    for (folder, other) in others {
        let message = format!(
            "the project of {} in {folder}/ is ignored; the project of {} in {first}/ is used",
            other.profile().title,
            generator.profile().title
        );
        // Paths of problems are relative to the project.
        let above = "../".repeat(project.folder.matches('/').count());
        let warning = Diagnostic::about_file(format!("{above}{folder}"), message, ADJACENT_HELP);
        project.settings.problems.push(warning.into_warning());
    }
    Some(project)
}

/// Returns the project in a folder. If its documents are in a folder next to it, the project is moved to the top of the content
/// folder.
fn one_in_folder(root: &Path, folder: &str, generator: &'static dyn Generator) -> Project {
    let project = Project::at(
        generator,
        &root.join(folder),
        format!("{folder}/"),
        String::new(),
    );
    let roots = project.settings.roots_of(generator.profile());
    let is_beside = roots.iter().any(|path| path.starts_with("../"));
    if !is_beside {
        return project;
    }
    Project {
        folder: String::new(),
        settings: project
            .settings
            .clone()
            .moved_into(folder, generator.profile()),
        ..project
    }
}

/// Returns the site of several projects.
fn several_as_one(root: &Path, folders: &[&str], generator: &'static dyn Generator) -> Project {
    let mut site = Project::at(generator, root, String::new(), String::new());
    // Adjacent vaults are one site; projects in folders of languages are one site in several languages.
    let mut signs = generator.profile().signs.iter();
    let is_vault = signs.any(|sign| matches!(sign, Sign::LinkedNotes));
    if is_vault
        || folders
            .iter()
            .all(|folder| language::is_tag(name_of(folder)))
    {
        return site;
    }
    let mut settings: Option<ProjectSettings> = None;
    for folder in folders {
        let project = Project::at(generator, &root.join(folder), String::new(), String::new());
        site.authors.extend(project.authors);
        let moved = project.settings.moved_into(folder, generator.profile());
        match &mut settings {
            Some(settings) => settings.add_project(moved),
            None => settings = Some(moved),
        }
    }
    let Some(mut settings) = settings else {
        return site;
    };
    let named: Vec<String> = folders.iter().map(|folder| format!("{folder}/")).collect();
    let title = generator.profile().title;
    let message = format!(
        "the folder has several projects of {title}, which are read as one site with the Markdown dialect and the URL of the first: {}",
        named.join(", ")
    );
    let first = folders.first().copied().unwrap_or_default();
    let warning = Diagnostic::about_file(first, message, ADJACENT_HELP);
    settings.problems.push(warning.into_warning());
    site.settings = settings;
    site
}

fn name_of(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

/// Returns the authors of a project's author files. Invalid values are ignored.
fn authors_in(generator: &dyn Generator, root: &Path) -> Vec<AuthorRecord> {
    if generator.profile().author_files.is_empty() {
        return Vec::new();
    }
    let mut authors = Vec::new();
    for path in generator.profile().author_files {
        if root.join(path).is_file() {
            let text = text_of(root, path);
            let read = read_authors(path, text.as_bytes(), &TimeZone::UTC);
            authors.extend(read.map(|file| file.authors).unwrap_or_default());
        }
    }
    authors
}

/// Returns whether the folder has folders that only Galley's own layout uses.
fn has_folders_of_galley_alone(root: &Path) -> bool {
    let mut names = ["authors", "tiers", "newsletters"].iter();
    names.any(|name| root.join(name).is_dir())
}

/// Returns whether a file is a document in `posts/`, a folder that only Galley's own layout uses.
fn is_in_own_folder(path: &str) -> bool {
    path.starts_with("posts/")
        && path_properties::is_markdown(path)
        && path_properties::kind_of(path).is_some()
}

/// Returns whether a file is a document of Galley's own layout, or not a document in any layout.
fn is_own_or_no_document(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    !path_properties::is_markdown(path)
        || file.starts_with("_index.")
        || path_properties::is_about_the_folder(path)
        || path_properties::kind_of(path).is_some()
}

/// Returns whether a document of Galley's own layout is among these files.
fn has_document<'a>(mut paths: impl Iterator<Item = &'a str>) -> bool {
    paths.any(|path| path_properties::kind_of(path).is_some())
}

/// Returns whether a file is a `README` in a folder of the content folder.
fn is_readme_below(path: &str) -> bool {
    path.contains('/')
        && path_properties::is_markdown(path)
        && path_properties::is_about_the_folder(path)
}

/// Returns the generator with signs in `root`, except Galley itself.
pub(super) fn recognised(root: &Path) -> Option<&'static dyn Generator> {
    let others = || {
        let all = GENERATORS.iter().copied();
        all.filter(|generator| !are_same(*generator, GALLEY))
    };
    recognised_by_settings(root)
        .or_else(|| others().find(|generator| has_any_sign(*generator, root)))
}

/// Returns the generator with signs in `root` other than names that projects of several generators share.
pub(super) fn recognised_by_settings(root: &Path) -> Option<&'static dyn Generator> {
    let is_sure = |generator: &&'static dyn Generator| {
        let mut signs = generator.profile().signs.iter();
        signs.any(|sign| !matches!(sign, Sign::Habit(_)) && has_sign(sign, root))
    };
    let mut all = GENERATORS.iter().copied();
    all.find(|generator| !are_same(*generator, GALLEY) && is_sure(generator))
}

/// Returns the generator with characteristic files in `root`. Folders are not sufficient, because an editor may create its
/// folder in any project.
fn recognised_by_files(root: &Path) -> Option<&'static dyn Generator> {
    let is_file = |sign: &Sign| match sign {
        Sign::Entry(name) => root.join(name).is_file(),
        Sign::All(signs) => signs.iter().any(|sign| !matches!(sign, Sign::Entry(_))),
        _ => true,
    };
    recognised_by_settings(root).filter(|generator| {
        let mut signs = generator.profile().signs.iter();
        signs.any(|sign| is_file(sign) && !matches!(sign, Sign::Habit(_)) && has_sign(sign, root))
    })
}

/// A generator with a sign in a project that is read as a project of another generator.
pub(super) struct Competitor {
    /// The generator.
    pub generator: &'static dyn Generator,
    /// The path of the sign in the project.
    pub sign: String,
}

/// Returns the other generators with characteristic files in `root`, which is a project of `taken`. Files that both generators
/// use, such as `_config.yml`, do not count. Vaults do not count either, because an editor may create one in any project.
pub(super) fn competitors(taken: &dyn Generator, root: &Path) -> Vec<Competitor> {
    let known = own_files(taken, root);
    let others = GENERATORS.iter().copied().filter(|generator| {
        let is_vault = generator
            .profile()
            .signs
            .iter()
            .any(|sign| matches!(sign, Sign::LinkedNotes));
        !is_vault && !are_same(*generator, GALLEY) && !are_same(*generator, taken)
    });
    let competitors = others.filter_map(|generator| {
        let mut files = own_files(generator, root).into_iter();
        let sign = files.find(|file| !known.contains(file))?;
        Some(Competitor { generator, sign })
    });
    competitors.collect()
}

/// Returns the files and folders in `root` that identify a generator.
pub(super) fn own_files(generator: &dyn Generator, root: &Path) -> Vec<String> {
    let signs = generator.profile().signs.iter();
    let signs = signs.filter(|sign| !matches!(sign, Sign::Habit(_)) && has_sign(sign, root));
    signs.flat_map(|sign| files_of(sign, root)).collect()
}

/// Returns the files of a sign in `root`; for a combination of signs, its settings files.
fn files_of(sign: &Sign, root: &Path) -> Vec<String> {
    match sign {
        Sign::Entry(name) | Sign::Mentions(name, _) => vec![(*name).to_owned()],
        Sign::Script(stem) => {
            let names = SCRIPTS
                .iter()
                .map(|extension| format!("{stem}.{extension}"));
            names.filter(|name| root.join(name).is_file()).collect()
        }
        Sign::Settings(stem) | Sign::SettingsWith(stem, _) => settings_file(root, stem)
            .map(|(path, _)| path)
            .into_iter()
            .collect(),
        Sign::All(signs) => {
            let settings = signs.iter().filter(|sign| !matches!(sign, Sign::Entry(_)));
            settings.flat_map(|sign| files_of(sign, root)).collect()
        }
        Sign::Habit(_) | Sign::LinkedNotes => Vec::new(),
    }
}

/// Returns the generator of notes that link to each other by name, if the notes at `paths` do so.
fn of_linked_notes<'a>(
    root: &Path,
    paths: impl Iterator<Item = &'a str> + Clone,
) -> Option<&'static dyn Generator> {
    let is_of_notes = |generator: &&'static dyn Generator| {
        let mut signs = generator.profile().signs.iter();
        signs.any(|sign| matches!(sign, Sign::LinkedNotes))
    };
    let generator = GENERATORS.iter().copied().find(is_of_notes);
    generator.filter(|_| linked_notes::are_in(root, paths))
}

/// Returns the generator without a profile whose files are in `root`.
fn named_only(root: &Path) -> Option<NamedGenerator> {
    NamedGenerator::all().find(|named| is_of(named, root))
}

/// Returns the warning about the generator without a profile whose files are in a usual folder for documentation in `root`.
fn named_below(root: &Path) -> Option<Diagnostic> {
    DOCUMENTATION.iter().find_map(|folder| {
        let named = named_only(&root.join(folder))?;
        Some(named.warning(&root.join(folder), &format!("{folder}/"), PLAIN_MARKDOWN))
    })
}

fn is_of(named: &NamedGenerator, root: &Path) -> bool {
    named.signs.iter().any(|sign| has_sign(sign, root))
}

pub(super) fn has_any_sign(generator: &dyn Generator, root: &Path) -> bool {
    generator
        .profile()
        .signs
        .iter()
        .any(|sign| has_sign(sign, root))
}

fn has_sign(sign: &Sign, root: &Path) -> bool {
    match sign {
        Sign::Entry(name) | Sign::Habit(name) => root.join(name).exists(),
        // This sign requires reading documents, so it is checked separately, after all others.
        Sign::LinkedNotes => false,
        Sign::Script(stem) => SCRIPTS
            .iter()
            .any(|extension| root.join(format!("{stem}.{extension}")).is_file()),
        Sign::Settings(stem) => settings_file(root, stem).is_some(),
        Sign::Mentions(file, text) => text_of(root, file).contains(text),
        Sign::SettingsWith(stem, words) => {
            let Some((path, _)) = settings_file(root, stem) else {
                return false;
            };
            let text = text_of(root, &path);
            let begins = |line: &str| {
                words.iter().any(|word| {
                    line.strip_prefix(word)
                        .is_some_and(|rest| rest.trim_start().starts_with(['=', ':']))
                })
            };
            text.lines().any(begins)
        }
        Sign::All(signs) => signs.iter().all(|sign| has_sign(sign, root)),
    }
}
