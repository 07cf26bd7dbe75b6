//! The pages of a build.

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::percent_decode_str;

use super::{
    BuildError, BuildOptions, error::listed, folder::Folder, links::PageLinks,
    manifest::ManifestEntry, server_features::UsedFeatures,
};
use crate::{
    api::{
        static_pages::{StaticPage, StaticPages},
        static_renderer::StaticRenderer,
    },
    domain::post::{PostKind, Visibility},
    front_end::pages::{RenderedPage, ThemeProblem},
    render::urls::visit_paths,
    routing::PagePath,
    static_site::failed_page::FailedPage,
};

/// The file of the page for paths that do not exist, relative to the site.
pub const MISSING_PAGE: &str = "404.html";

/// The path for which this page is rendered. Records without a page link to it.
pub const MISSING_PATH: &str = "/404/";

/// The media type of pages, which hosts recognise by the file name.
const HTML: &str = "text/html; charset=utf-8";

/// The status of a successfully rendered page.
const OK: u16 = 200;

/// A redirect from the path of a record or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRedirect {
    /// The path on the site.
    pub from: String,
    /// A path on the site or a URL.
    pub to: String,
    /// Whether the redirect is permanent, so that clients may cache it.
    pub is_permanent: bool,
}

/// The pages of a build. All pages are rendered once to find the files and links in them, and changed pages are rendered again to
/// be written, because a large site does not fit into memory.
pub struct SitePages<'a> {
    pages: &'a StaticPages<'a>,
    /// The pages, by the path of the file relative to the site.
    files: BTreeMap<String, PageFile>,
    /// The paths of pages that are not HTML, with their media types.
    pub other_types: BTreeMap<String, String>,
    /// The pages that cannot be rendered.
    pub failed: Vec<FailedPage>,
    /// The paths of lists with a page that cannot be rendered, so that their number of pages is unknown.
    pub failed_lists: Vec<String>,
    /// The redirects in place of pages.
    pub redirects: Vec<PageRedirect>,
    /// The links of the pages.
    pub links: PageLinks<'a>,
    /// The files of the site that pages refer to: paths below `/content/`, as written.
    pub named_files: BTreeSet<String>,
    /// The features of pages that need a server.
    pub features: UsedFeatures,
    has_search: bool,
    /// Upper bound of the number of pages of a list.
    pages_max: usize,
}

struct PageFile {
    /// The path of the page on the site.
    path: String,
    entry: ManifestEntry,
}

impl<'a> SitePages<'a> {
    /// Renders all pages.
    pub fn of(
        site: &'a StaticRenderer<'a>,
        pages: &'a StaticPages<'a>,
        order: &BuildOptions,
    ) -> Self {
        let mut all = Self {
            pages,
            files: BTreeMap::new(),
            other_types: BTreeMap::new(),
            failed: Vec::new(),
            failed_lists: Vec::new(),
            redirects: Vec::new(),
            links: PageLinks::new(site.site_urls()),
            named_files: BTreeSet::new(),
            features: UsedFeatures::default(),
            has_search: order.has_search || order.has_api,
            pages_max: site.snapshot().catalog.posts.listed(PostKind::Post).len(),
        };
        // Absolute URLs of the site contain this path, too, so both forms are found.
        let files_at = format!("{}/content/", site.site_urls().subdirectory());
        for first in pages.paths() {
            all.add_all(&first, &files_at);
        }
        let missing = pages.missing_page(MISSING_PATH);
        all.add_page(MISSING_PATH, MISSING_PAGE.to_owned(), &missing, &files_at);
        all
    }

    /// Adds a page and, for a list, its further pages.
    fn add_all(&mut self, first: &PagePath, files_at: &str) {
        match self.pages.page(&first.path, None) {
            StaticPage::Page(page) if page.status == OK => {
                self.add_page(&first.path, file_of(&first.path), &page, files_at);
            }
            StaticPage::Page(page) => return self.add_failed(first, &first.path, page),
            StaticPage::Redirect {
                location,
                is_permanent,
            } => {
                return self.redirects.push(PageRedirect {
                    from: first.path.clone(),
                    to: location,
                    is_permanent,
                });
            }
            StaticPage::None => return,
        }
        if !first.is_list {
            return;
        }
        // The number of pages is not known in advance: the theme decides the number of posts on a
        // page. No list has more pages than there are posts.
        for number in 2..=self.pages_max {
            let path = first.of_page(number);
            match self.pages.page(&path, None) {
                StaticPage::Page(page) if page.status == OK => {
                    self.add_page(&path, file_of(&path), &page, files_at);
                }
                StaticPage::Page(page) if !page.is_missing => {
                    return self.add_failed(first, &path, page);
                }
                // A redirect of the owner replaces this page.
                StaticPage::Redirect { .. } => {}
                // This is the end of the list.
                StaticPage::Page(_) | StaticPage::None => return,
            }
        }
    }

    fn add_page(&mut self, path: &str, file: String, page: &RenderedPage, files_at: &str) {
        // Hosts derive the media type from the file name, which is `index.html` for any page.
        if page.content_type != HTML {
            self.other_types
                .insert(path.to_owned(), page.content_type.clone());
        }
        if let Some(problem) = &page.problem {
            self.failed.push(FailedPage {
                page: path.to_owned(),
                problem: problem.clone(),
            });
        }
        self.links.add(path, &page.text);
        self.features.add(path, &page.text, self.has_search);
        visit_paths(page.text.as_bytes(), files_at, |file| {
            self.named_files.insert(file.to_owned());
        });
        // Only the hash is stored, not the page: see the type.
        let page = PageFile {
            path: path.to_owned(),
            entry: ManifestEntry::of(page.text.as_bytes()),
        };
        self.files.insert(file, page);
    }

    /// Adds a page at `path` that cannot be rendered. It is the page `first` or a further page of that list.
    fn add_failed(&mut self, first: &PagePath, path: &str, page: RenderedPage) {
        if first.is_list {
            self.failed_lists.push(first.path.clone());
        }
        let status = page.status;
        let unknown = || ThemeProblem::new(format!("the status of the page is {status}"));
        self.failed.push(FailedPage {
            page: path.to_owned(),
            problem: page.problem.unwrap_or_else(unknown),
        });
    }

    /// Returns the paths of the files, relative to the site.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Writes the pages, and calls `advance` after each one. `below` prepends the path of the site.
    ///
    /// # Errors
    ///
    /// `Write`, and the errors of `advance`.
    pub fn write(
        &self,
        folder: &mut Folder,
        below: impl Fn(&str) -> String,
        advance: &mut dyn FnMut() -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        for (file, page) in &self.files {
            let target = below(file);
            // Only changed pages are rendered a second time.
            if !folder.keep_same(&target, &page.entry) {
                let rendered = match file.as_str() {
                    MISSING_PAGE => self.pages.missing_page(MISSING_PATH),
                    _ => match self.pages.page(&page.path, None) {
                        StaticPage::Page(rendered) => rendered,
                        // Cannot happen, because the site is one snapshot.
                        StaticPage::Redirect { .. } | StaticPage::None => continue,
                    },
                };
                folder.put(&target, rendered.text.as_bytes())?;
            }
            advance()?;
        }
        Ok(())
    }

    /// Returns remarks on features of pages that need a server, and on gated posts.
    pub fn remarks(&self, site: &StaticRenderer<'_>) -> Vec<String> {
        let posts = site.snapshot().catalog.posts.iter();
        let gated = posts.filter(|post| post.is_listed() && post.visibility != Visibility::Public);
        let mut remarks: Vec<String> = self.features.remarks().collect();
        let with_variables = site.site_urls().routes().paths_with_variables();
        if !with_variables.is_empty() {
            remarks.push(format!(
                "routes whose path has a variable: not available without a server: {}",
                listed(&with_variables)
            ));
        }
        match gated.count() {
            0 => {}
            count => remarks.push(format!(
                "posts and pages for members: {count} of them show only the part that is public"
            )),
        }
        remarks
    }
}

/// Returns the path of the file for the page at a path, relative to the site.
pub fn file_of(path: &str) -> String {
    // Hosts decode the path of a request before they open the file.
    let path = percent_decode_str(path).decode_utf8_lossy();
    let path = path.trim_start_matches('/');
    if path.is_empty() || path.ends_with('/') {
        format!("{path}index.html")
    } else {
        path.to_owned()
    }
}
