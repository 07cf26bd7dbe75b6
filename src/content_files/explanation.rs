//! Explains the role of each file of a content folder, and the rule that assigns it.

use std::{fmt, path::Path, sync::Arc};

use crate::{
    clock::{Clock, SystemClock},
    content_files::{
        conditions::Conditions, folder_files, identity::identity, layout::Layout,
        options::ContentFiles, parsed_file::ContentFile, path_properties::FileKind,
        post_file::PostFile,
    },
    domain::setting::Settings,
    escaped::Line,
    generators::Role,
};

/// The explanation of a file.
pub struct Explanation {
    /// Its path relative to the content folder.
    pub file: String,
    /// Whether the file is a document, or would be one in another folder.
    pub is_text: bool,
    what: String,
    facts: Vec<(&'static str, String)>,
}

impl Explanation {
    /// Explains the files of the content folder `root`, in the order of their paths.
    pub fn of_folder(root: &Path, options: &ContentFiles) -> Vec<Self> {
        let tree = folder_files::walk(root);
        let listed = tree.files.iter().map(|file| file.path.as_str());
        let options = options.clone().or_of_site(root);
        let layout = Arc::new(Layout::of_content(root, listed.clone(), &options));
        let conditions = Conditions::of(&Settings::default(), SystemClock.now())
            .with_layout(Arc::clone(&layout))
            .with_folder(root);
        listed
            .map(|path| Self::of(root, path, &layout, &conditions))
            .collect()
    }

    fn of(root: &Path, path: &str, layout: &Layout, conditions: &Conditions) -> Self {
        let reason = layout.reason(path);
        let rule = match reason.pattern.as_str() {
            "" => format!("the folders of {}", layout.profile().title),
            pattern => format!("`{pattern}` of {}", reason.origin),
        };
        let mut facts = vec![("rule", rule)];
        let (what, is_text) = match (layout.kind_of(path), reason.role) {
            (Some(kind), _) => match folder_files::read(root, path) {
                Ok(bytes) => (read(path, kind, &bytes, conditions, &mut facts), true),
                Err(problem) => (problem.message, true),
            },
            (None, Role::Template) if layout.builds_page(root, path) => {
                let title = layout.profile().title;
                (format!("not served: it is a template of {title}"), true)
            }
            (None, _) if let Some(omission) = layout.omission_of(path) => {
                let what = omission.outcome();
                (format!("{what}: {}", omission.reason), true)
            }
            (None, _) => (
                "not a document, but documents may refer to it".to_owned(),
                false,
            ),
        };
        Self {
            file: path.to_owned(),
            is_text,
            what,
            facts,
        }
    }
}

/// Returns the kind of a content file, or the reason that it is not used, and adds the source of
/// each value to `facts`.
fn read(
    path: &str,
    kind: FileKind,
    bytes: &[u8],
    conditions: &Conditions,
    facts: &mut Vec<(&'static str, String)>,
) -> String {
    let parsed = conditions.parse(path, bytes);
    if let Some(left_out) = parsed.left_out {
        let reason = parsed.diagnostics.first();
        let reason = reason.map_or(left_out.reason(), |reason| &reason.message);
        return format!("left out: {reason}");
    }
    let Some(file) = parsed.value else {
        return match parsed.diagnostics.first() {
            Some(problem) => format!("cannot be used: {}", problem.message),
            None => "cannot be used".to_owned(),
        };
    };
    let output = identity(&file);
    match &file {
        ContentFile::Post(post) | ContentFile::Page(post) => {
            let noun = match file {
                ContentFile::Post(_) => "a post",
                _ => "a page",
            };
            facts.extend(of_post(
                path,
                post,
                &output.slug,
                (&parsed.source, conditions),
            ));
            noun.to_owned()
        }
        _ => format!("{kind:?}").to_lowercase(),
    }
}

fn of_post(
    path: &str,
    post: &PostFile,
    slug: &str,
    (source, conditions): (&Option<crate::content_text::Source>, &Conditions),
) -> Vec<(&'static str, String)> {
    let fields = &post.fields;
    let layout = &conditions.layout;
    let text = source.as_ref().map_or("", |source| source.text());
    let head_bytes = text.len().saturating_sub(post.body.text().len());
    let head = &text[..head_bytes];
    let says = |keys: &[&str]| keys.iter().any(|key| has_key(head, key));
    let title = fields.title.as_deref().unwrap_or_default();
    let title_from = match () {
        () if says(&["title"]) => "the front matter",
        () if text.contains(&format!("# {title}")) => "the first heading",
        () => "the name of the file",
    };
    let slug_from = match &fields.slug {
        // A derived slug has no position.
        Some(written) if !written.span.eq(&Default::default()) => "the front matter".to_owned(),
        Some(_) if layout.generator().names_documents_by_url() && post.published_path.is_some() => {
            format!("its URL in {}", layout.profile().title)
        }
        _ => "the name of the file".to_owned(),
    };
    let mut facts = vec![
        ("title", format!("{title}, from {title_from}")),
        ("slug", format!("{slug}, from {slug_from}")),
    ];
    let mut date_keys = vec!["date", "publishDate", "pubDate", "published", "pubDatetime"];
    date_keys.extend(layout.settings().date_keys());
    let date = match fields.published_at {
        Some(date) if says(&date_keys) => {
            format!("{date}, from the front matter")
        }
        Some(date) => format!("{date}, from the path {path}"),
        None => "none".to_owned(),
    };
    facts.push(("date", date));
    facts
}

/// Returns whether a line of front matter sets `key`, ignoring case.
fn has_key(head: &str, key: &str) -> bool {
    head.lines().any(|line| {
        let line = line.trim_start().trim_start_matches(['"', '\'']);
        // `get`, because this length may end inside a character of the line.
        let name = line.get(..key.len()).unwrap_or_default();
        let rest = line.get(key.len()..).unwrap_or_default();
        let rest = rest.trim_start_matches(['"', '\'', ' ']);
        name.eq_ignore_ascii_case(key) && (rest.starts_with(':') || rest.starts_with('='))
    })
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", Line(&self.file), Line(&self.what))?;
        for (name, value) in &self.facts {
            writeln!(f, "  {name:<6} {}", Line(value))?;
        }
        Ok(())
    }
}
