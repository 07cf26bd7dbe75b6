//! Reads the settings of a project, and reports settings files that cannot be used.

use std::path::Path;

use super::{
    generator::Generator,
    profile::Sign,
    settings::{
        ProjectSettings,
        literals::{SCRIPTS, read_text, settings_file, text_of, unused_file},
    },
};
use crate::{
    confined_folder::RefusedLink,
    content_text::{Diagnostic, document},
};

impl ProjectSettings {
    /// Reads the settings of the project `root` of a generator.
    pub(crate) fn read(generator: &dyn Generator, root: &Path) -> Self {
        let mut settings = generator.read_settings(root);
        settings.problems.extend(malformed_files(generator, root));
        // They are separate from other problems, because the scan of the content
        // folder also reports the links inside it.
        settings.refused_links = refused_links(generator, root);
        settings
    }
}

/// Returns a warning for each settings file that cannot be parsed and is therefore ignored.
fn malformed_files(generator: &dyn Generator, root: &Path) -> Vec<Diagnostic> {
    let stems = generator.settings_files().iter();
    let malformed = stems.filter_map(|stem| {
        let (path, language) = settings_file(root, stem)?;
        let text = text_of(root, &path);
        let malformed = document::parse(language, &text, 0).err()?;
        Some(unused_file(&path, &text, malformed))
    });
    malformed.collect()
}

fn refused_links(generator: &dyn Generator, root: &Path) -> Vec<Diagnostic> {
    const ADVICE: &str = "put a copy of the file in the project";
    let stems = generator.settings_files().iter();
    let data = stems.filter_map(|stem| settings_file(root, stem));
    let scripts = generator
        .profile()
        .signs
        .iter()
        .filter_map(|sign| match sign {
            Sign::Script(stem) => Some(SCRIPTS.map(|extension| format!("{stem}.{extension}"))),
            _ => None,
        });
    let files = data.map(|(path, _)| path).chain(scripts.flatten());
    let refused = files.filter_map(|path| {
        let error = read_text(root, &path).err()?;
        let message = RefusedLink::of(&error)?.to_string();
        Some(Diagnostic::about_file(&path, message, ADVICE).into_warning())
    });
    refused.collect()
}
