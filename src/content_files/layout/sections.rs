//! The folders of a document below the folder of documents.

use crate::{
    content_files::{layout::Layout, path_properties::GeneratorRole},
    generators::Readme,
};

impl Layout {
    /// Returns the folders of a document below the folder of documents, the outermost first.
    pub fn sections_of(&self, path: &str) -> Vec<String> {
        let properties = self.properties_of(path);
        let generator = properties.and_then(|properties| properties.generator);
        let sections = generator
            .map(|generator| generator.sections)
            .unwrap_or_default();
        let file = path.rsplit('/').next().unwrap_or(path);
        let is_readme = self.profile().readme == Readme::Index && file.starts_with("README.");
        let mut names = ["index.", "_index.", "page."].iter();
        let is_index = is_readme || names.any(|name| file.starts_with(name));
        // The folder of an index file gives the document its name, so it is not a section.
        let own = usize::from(is_index).min(sections.len());
        let sections = sections[..sections.len() - own].iter();
        let sections =
            sections.filter(|section| !["_posts", "_drafts", ".."].contains(&section.as_str()));
        let sections = sections.map(|section| section.trim_start_matches('_').to_owned());
        sections.collect()
    }

    /// Returns words that distinguish a document from others with the same slug: its folders, or else those of its
    /// published path, without dates.
    pub fn distinction_of(&self, path: &str, published: Option<&str>) -> Vec<String> {
        let sections = self.sections_of(path);
        if !sections.is_empty() {
            let names = sections.iter();
            let names = names.map(|section| self.generator.name_of_folder(section).to_owned());
            return names.collect();
        }
        let folders = published.and_then(|published| published.rsplit_once('/'));
        let folders = folders.map_or("", |(folders, _)| folders).split('/');
        let is_number = |folder: &str| folder.bytes().all(|byte| byte.is_ascii_digit());
        folders
            .filter(|folder| !is_number(folder))
            .map(str::to_owned)
            .collect()
    }

    /// Returns the URL path of the list page whose document is the file at `path`: `/docs/` of `content/docs/_index.md`.
    pub fn section_of(&self, path: &str) -> Option<String> {
        let generator = self.properties_of(path)?.generator?;
        let is_section = generator.role == GeneratorRole::Section;
        let folders = generator
            .sections
            .iter()
            .map(|section| format!("/{section}"));
        is_section.then(|| format!("{}/", folders.collect::<String>()))
    }
}
