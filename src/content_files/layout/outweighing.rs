//! Chooses between layouts of a folder by the documents that each of them publishes.

use std::path::Path;

use crate::{
    content_files::{
        layout::Layout,
        path_properties::{self, FileKind},
        project::{Competitor, Project, competitors, has_no_project, own_files},
    },
    content_text::Diagnostic,
    generators::PLAIN,
};

/// The content folder in messages, if it is itself a folder of documents.
const FOLDER_ITSELF: &str = "the folder itself";

/// Maximum number of folders of documents that are named in the reason for a file outside of them.
const FOLDERS_SHOWN: usize = 3;

impl Layout {
    /// Returns this detected layout of the folder `root`, or a layout that publishes more documents: that of another generator
    /// with settings in the same project, which is reported; or that of the whole folder, if more documents are outside of
    /// the project than in it, such as notes around an example.
    pub(super) fn or_outweighing<'a>(
        self,
        root: &Path,
        paths: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        if self.options.generator.is_some() || self.is_own() || !self.base.is_empty() {
            return self;
        }
        if !self.folder.is_empty() && self.is_outweighed(paths.clone()) {
            let project = Project::without_signs(root, paths.clone());
            return Self::new(project, self.options, paths);
        }
        let project = root.join(&self.folder);
        let found = competitors(self.generator, &project);
        if found.is_empty() {
            return self;
        }
        self.among(found, &project, paths)
    }

    /// Returns whether more documents are outside of the project, which is in a subfolder, than the project publishes.
    fn is_outweighed<'a>(&self, paths: impl Iterator<Item = &'a str> + Clone) -> bool {
        let is_outside = |path: &&str| {
            let mut folders = path.split('/');
            let is_about = path_properties::is_about_the_folder(path);
            path_properties::is_markdown(path)
                && !path.starts_with(&self.folder)
                && !is_about
                && !folders.any(has_no_project)
                && self.kind_of(path).is_none()
        };
        let outside = paths.clone().filter(is_outside).count();
        outside > paths.filter(|path| self.publishes(path)).count()
    }

    /// Returns the layout of the competitor that publishes the most documents that this layout leaves out, if they are more
    /// than this layout publishes; otherwise this layout. Warns about each generator that is not chosen.
    fn among<'a>(
        self,
        competitors: Vec<Competitor>,
        project: &Path,
        paths: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        let own = paths.clone().filter(|path| self.publishes(path)).count();
        let mut signs = Vec::new();
        let mut best: Option<(usize, Self)> = None;
        for Competitor { generator, sign } in competitors {
            let of_other = Project::at(generator, project, self.folder.clone(), String::new());
            let other = Self::new(of_other, self.options.clone(), paths.clone());
            // Documents that both publish are no reason to choose the other generator.
            let is_more = |path: &&str| other.publishes(path) && !self.publishes(path);
            let more = paths.clone().filter(is_more).count();
            signs.push((generator.profile(), sign));
            if more > own && best.as_ref().is_none_or(|(most, _)| more > *most) {
                best = Some((more, other));
            }
        }
        let first = self.generator.profile();
        let first_sign = own_files(self.generator, project).into_iter().next();
        let mut taken = best.map_or(self, |(_, other)| other);
        let profile = taken.generator.profile();
        let others = signs
            .into_iter()
            .filter(|(other, _)| other.name != profile.name);
        let replaced =
            (first.name != profile.name).then(|| (first, first_sign.unwrap_or_default()));
        for (other, sign) in others.chain(replaced) {
            let message = format!(
                "the folder is read as a project of {}; it also has settings of {}",
                profile.title, other.title
            );
            let advice = format!(
                "set `generator = \"{}\"` below `[content_files]` in galley.toml or site.toml to switch to that generator, or \"{}\" to confirm the current one",
                other.name, profile.name
            );
            let problem = Diagnostic::about_file(sign, message, advice);
            taken.settings.problems.push(problem.into_warning());
        }
        taken
    }

    fn publishes(&self, path: &str) -> bool {
        matches!(self.kind_of(path), Some(FileKind::Post | FileKind::Page))
    }

    /// Returns the name of the project for messages, such as `MkDocs`; `None` for Galley's own layout and plain Markdown.
    pub fn project_name(&self) -> Option<String> {
        if self.is_own() || self.profile().name == PLAIN.profile().name {
            return None;
        }
        let title = self.profile().title;
        Some(match self.folder.as_str() {
            "" => title.to_owned(),
            folder => format!("{title} in {folder}"),
        })
    }

    /// Returns the reason that a folder with the files `paths` has no documents: it names the detected project, the project's
    /// folders of documents, and the Markdown files elsewhere. `None` if the folder is not a project of a generator.
    pub fn absence<'a>(&self, paths: impl Iterator<Item = &'a str>) -> Option<String> {
        let name = self.project_name()?;
        let folders = self.document_folders();
        let mut texts = paths.filter(|path| path_properties::is_markdown(path));
        let elsewhere = match (texts.next(), texts.count()) {
            (None, _) => "there are no Markdown files".to_owned(),
            (Some(first), 0) => format!("the only Markdown file is {first}"),
            (Some(first), more) => {
                format!(
                    "there are {} Markdown files elsewhere, such as {first}",
                    more + 1
                )
            }
        };
        Some(format!(
            "it is read as a project of {name}, whose documents are in {}; {elsewhere}. Set `generator` below `[content_files]`, for example to \"plain\", to read it otherwise",
            folders.join(", ")
        ))
    }

    /// Returns the reason that no rule applies to the Markdown file at `path`: the folders of documents, if the file is outside
    /// of them.
    pub(super) fn outside_reason(&self, path: &str) -> String {
        if self.is_own() {
            return "documents are in posts/ and pages/".to_owned();
        }
        let title = self.profile().title;
        let folders = self.document_folders();
        let contains = |folder: &String| folder == FOLDER_ITSELF || path.starts_with(folder);
        if folders.iter().any(contains) {
            return format!("no rule of {title} applies to it");
        }
        let shown = folders.len().min(FOLDERS_SHOWN);
        let more = match folders.len() - shown {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let shown = folders[..shown].join(", ");
        format!("the documents of {title} are in {shown}{more}")
    }

    /// Returns the folders of documents, as messages show them.
    fn document_folders(&self) -> Vec<String> {
        let roots = self.roots.iter().filter_map(|root| self.in_content(root));
        let folders = roots.map(|root| match root.trim_end_matches('/') {
            "" => FOLDER_ITSELF.to_owned(),
            root => format!("{root}/"),
        });
        folders.collect()
    }
}
