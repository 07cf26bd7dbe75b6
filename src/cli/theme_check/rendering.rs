//! Renders every page of the sample site for each kind of reader.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::Timestamp;

use super::sample_site;
use crate::{
    api::{
        files::FileRoots,
        static_pages::{StaticPage, StaticPages},
        static_renderer::StaticRenderer,
    },
    domain::{member::Member, reading_member::ReadingMember},
    error::{Error, Result},
    front_end::{Theme, pages::ThemeProblem},
    id::Id,
    site_urls::SiteUrls,
};

/// The URL of the sample site.
const URL: &str = "https://sample.example";

/// Memory limit for resizing images. The sample site has none.
const IMAGE_MEMORY_BYTES: u64 = 1 << 20;

/// Longest time for all pages.
const TIME_MAX: Duration = Duration::from_secs(120);

/// Maximum number of problems that are collected.
const PROBLEMS_MAX: usize = 100;

/// The result of rendering all pages.
#[derive(Default)]
pub(super) struct Rendered {
    /// The number of rendered pages: each page counts once for each reader.
    pub pages: usize,
    /// The problems, each with the first page on which it occurs.
    pub problems: BTreeMap<ThemeProblem, WherePage>,
}

/// A page of the sample site, as rendered for a reader.
pub(super) struct WherePage {
    /// Its path.
    pub page: String,
    /// Its reader.
    pub reader: &'static str,
}

/// Renders all pages of the sample site with a theme. The files of the site are in `folder`.
///
/// # Errors
///
/// If the sample site cannot be created.
pub(super) fn render(theme: Theme, folder: &Path) -> Result<Rendered> {
    let site_urls = SiteUrls::new(URL).map_err(Error::internal)?;
    let site = sample_site::create(&theme, &site_urls, folder)?;
    let snapshot = site.current();
    let now = site.now();
    let reader = StaticRenderer::new(
        &snapshot,
        site_urls.with_routes_of(&snapshot.catalog),
        FileRoots::in_data(folder),
        None,
        IMAGE_MEMORY_BYTES,
        now,
    );
    let pages = StaticPages::new(&reader, Arc::new(theme), "ghost", None);
    let mut rendered = Rendered::default();
    let started = Instant::now();
    for (name, member) in readers(now) {
        for page in pages.paths() {
            let paths = [page.path.clone(), page.of_page(2)];
            let count = if page.is_list { 2 } else { 1 };
            for path in paths.into_iter().take(count) {
                match pages.page(&path, member.clone()) {
                    StaticPage::Page(page) if !page.is_missing => {
                        rendered.add(&path, name, page.problem);
                    }
                    // The error page is rendered below.
                    StaticPage::Page(_) | StaticPage::Redirect { .. } | StaticPage::None => {}
                }
                if started.elapsed() > TIME_MAX || rendered.problems.len() >= PROBLEMS_MAX {
                    rendered.stop(&path, name);
                    return Ok(rendered);
                }
            }
        }
        for (path, page) in pages.other_pages(member.as_ref()) {
            rendered.add(&path, name, page.problem);
        }
    }
    Ok(rendered)
}

impl Rendered {
    fn add(&mut self, path: &str, reader: &'static str, problem: Option<ThemeProblem>) {
        self.pages += 1;
        if let Some(problem) = problem {
            self.problems.entry(problem).or_insert_with(|| WherePage {
                page: path.to_owned(),
                reader,
            });
        }
    }

    fn stop(&mut self, path: &str, reader: &'static str) {
        let message = "the check ended here: it found too many problems, or took too long";
        self.add(path, reader, Some(ThemeProblem::new(message)));
    }
}

/// Returns the readers, with their names.
fn readers(now: Timestamp) -> [(&'static str, Option<ReadingMember>); 3] {
    let member = |name: &str, pays| {
        let member = Member {
            pays,
            name: Some(name.into()),
            ..Member::new(Id::derive("member", name), "reader@sample.example", now)
        };
        Some(ReadingMember::new(Arc::new(member), now))
    };
    [
        ("an anonymous reader", None),
        ("a free member", member("Fred Free", false)),
        ("a paying member", member("Pia Paid", true)),
    ]
}
