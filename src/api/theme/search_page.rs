//! The search page at `/search/`, unless the site has its own page at that path. It works without JavaScript.

use std::sync::LazyLock;

use askama::Template;
use http::{HeaderValue, StatusCode};
use url::form_urlencoded;

use super::pages::PageCall;
use crate::{
    api::{Api, error, html_page, params::QueryParameters, response::Response},
    domain::post::Post,
    error::{Kind, Result},
    reader_texts::ReaderTexts,
    render::search_text,
    search::{SearchResults, Searcher},
    templates::escape,
};

/// Most results on a page.
const RESULTS_MAX: usize = 20;

const STYLE: &str = concat!(
    include_str!("../html_page/base.css"),
    include_str!("../html_page/forms.css"),
    include_str!("search_page.css")
);

/// Allows only this style, and forms to the page's own origin.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| html_page::policy(STYLE, "", "'self'"));

#[derive(Template)]
#[template(path = "api/theme/search_page.html", config = "src/askama.toml")]
struct SearchPage<'q> {
    /// The texts in the language of the site.
    texts: ReaderTexts,
    site: String,
    home: &'q str,
    text: &'q str,
    /// The total number of results; `None` without a search.
    total: Option<usize>,
    results: Vec<SearchHit>,
    /// The queries of the previous and the next page.
    previous: Option<String>,
    next: Option<String>,
    refusal: Option<String>,
}

impl SearchPage<'_> {
    fn title(&self) -> String {
        match self.text {
            "" => self.texts.text("Search").to_owned(),
            text => self.texts.filled("{text}: search", &[("text", text)]),
        }
    }

    /// Returns the line with the number of results.
    fn count(&self, total: &usize) -> String {
        match total {
            0 => self.texts.text("Nothing was found.").to_owned(),
            1 => self.texts.text("1 result").to_owned(),
            total => self
                .texts
                .filled("{count} results", &[("count", &total.to_string())]),
        }
    }
}

/// A search result. Its texts are HTML, with the matching words marked.
struct SearchHit {
    url: String,
    title: String,
    text: String,
}

/// Returns whether the search page is at this path.
pub(super) fn is_at(path: &str) -> bool {
    matches!(path, "/search" | "/search/")
}

impl Api {
    /// Returns the page with the posts and pages that match `q` and that the reader may see.
    pub(super) fn search_page(&self, call: &PageCall) -> Result<Response> {
        let query = QueryParameters::parse(call.head.target.query().unwrap_or_default())?;
        let text = query.first("q").unwrap_or_default().trim();
        let number = query.first("page").and_then(|page| page.parse().ok());
        let number: usize = number.filter(|number| *number > 0).unwrap_or(1);
        let settings = &call.snapshot.catalog.settings;
        let mut page = SearchPage {
            texts: settings.reader_texts(),
            site: settings.text("title").unwrap_or_default(),
            home: call.cache.site_urls.site(),
            text,
            total: None,
            results: Vec::new(),
            previous: None,
            next: None,
            refusal: None,
        };
        let mut status = StatusCode::OK;
        if !text.is_empty() {
            match self.add_results(call, &mut page, number) {
                Ok(()) => {}
                Err(failure) if failure.kind() == Kind::Internal => return Err(failure),
                Err(failure) => {
                    status = error::status(failure.kind());
                    page.refusal = Some(page.texts.text(failure.message()).to_owned());
                }
            }
        }
        Ok(html_page::response(&page, status, POLICY.clone()))
    }

    fn add_results(&self, call: &PageCall, page: &mut SearchPage, number: usize) -> Result<()> {
        let reader = self.page_reader(call);
        let searcher = match &reader {
            Some(member) => Searcher::Member(member.clone()),
            None => Searcher::Anonymous,
        };
        let found = self
            .options
            .search
            .search(call.snapshot, page.text, None, &searcher)?;
        let state = self.page_state(call, reader);
        let first = (number - 1).saturating_mul(RESULTS_MAX);
        for post in found.posts.iter().skip(first).take(RESULTS_MAX) {
            // Only the part that this reader may read, so the result shows nothing else.
            let html = state.bodies.html(post)?.unwrap_or_default();
            let body = search_text::from_html(&html);
            page.results.push(hit(call, &found, post, &body));
        }
        page.total = Some(found.posts.len());
        let words: String = form_urlencoded::byte_serialize(page.text.as_bytes()).collect();
        let query = |number: usize| format!("?q={words}&page={number}");
        page.previous = (number > 1).then(|| query(number - 1));
        let has_more = found.posts.len() > first.saturating_add(RESULTS_MAX);
        page.next = has_more.then(|| query(number + 1));
        Ok(())
    }
}

/// Returns a result with the part of the text that contains most of the words, or otherwise the excerpt.
fn hit(call: &PageCall, found: &SearchResults, post: &Post, body: &str) -> SearchHit {
    let highlighter = found.highlighter(&call.snapshot.catalog, post);
    let excerpt = || escape(post.shown_excerpt().unwrap_or_default());
    SearchHit {
        url: call.cache.site_urls.post(post),
        title: highlighter
            .whole(&post.title)
            .unwrap_or_else(|| escape(&post.title)),
        text: highlighter.part(body).unwrap_or_else(excerpt),
    }
}
