//! Posts and pages as Markdown, and `llms.txt` with their list, for programs that read sites (Ghost 6.65, recorded).

use std::sync::Arc;

use super::Publication;
use crate::{
    api::content::{bodies::RenderedFormat, served_body::TextBody},
    catalog::post_orders::Listing,
    clock::written_time,
    domain::post::{Post, PostKind, Visibility},
    error::Result,
    render::html_to_markdown::to_markdown,
};

/// The path of the list of all pages and posts.
pub(super) const LLMS: &str = "/llms.txt";

/// The path of the document with the texts of pages and posts.
pub(super) const LLMS_FULL: &str = "/llms-full.txt";

/// Longest [`LLMS`], in bytes.
const LIST_BYTES_MAX: usize = 50 << 10;

/// Longest [`LLMS_FULL`], in bytes.
const FULL_BYTES_MAX: usize = 5 << 20;

/// Most pages in either document.
const PAGES_MAX: usize = 20;

/// Most posts in [`LLMS_FULL`].
const POSTS_MAX: usize = 500;

/// Number of posts whose texts are read together.
const BATCH: usize = 100;

/// Longest description in a list, in characters.
const DESCRIPTION_MAX: usize = 300;

/// The text of a section without entries.
const EMPTY: &str = "_Nothing is published yet._";

/// Returns the path of the Markdown of a page.
pub(in crate::api) fn markdown_path(path: &str) -> String {
    format!("{}.md", path.strip_suffix('/').unwrap_or(path))
}

impl Publication<'_> {
    /// Returns a post or page as Markdown, as anonymous readers see it.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, and `Busy` if there is no memory for the text.
    pub fn markdown(&self, post: &Arc<Post>) -> Result<String> {
        let text = self.texts(&[post], RenderedFormat::Html)?.pop();
        let body = to_markdown(&text.unwrap_or_default());
        let mut lines = vec![
            "> The list of all pages and posts is at:".to_owned(),
            format!("> {}", self.link(LLMS)),
            String::new(),
            format!("# {}", post.title),
        ];
        lines.extend(self.facts(post));
        lines.push(String::new());
        let has_body = !body.is_empty();
        if has_body {
            lines.push(body);
        }
        if let Some(notice) = self.notice(post) {
            if has_body {
                lines.extend(["", "---", ""].map(str::to_owned));
            }
            let subscribe = self.link("/#/portal/signup");
            lines.extend([
                format!("_{notice}_"),
                String::new(),
                format!("Subscribe: {subscribe}"),
            ]);
        } else if !has_body {
            lines.push("_It has no text._".to_owned());
        }
        Ok(lines.join("\n"))
    }

    /// Returns the lines with the URL and the metadata of a post.
    fn facts(&self, post: &Post) -> Vec<String> {
        let catalog = &self.snapshot.catalog;
        let author = catalog.users.all(&post.authors).into_iter().next();
        let tags = catalog.tags.all(&post.tags).into_iter();
        let tags: Vec<&str> = tags.map(|tag| &*tag.name).collect();
        let excerpt = post.custom_excerpt.as_deref().map(one_line);
        [
            Some(format!("- URL: {}", self.url_of(post))),
            post.published_at
                .map(|time| format!("- Published: {}", written_time(time))),
            Some(format!("- Updated: {}", written_time(post.updated_at))),
            excerpt.map(|excerpt| format!("- Description: {excerpt}")),
            author.map(|author| format!("- Author: {}", author.name)),
            (!tags.is_empty()).then(|| format!("- Tags: {}", tags.join(", "))),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Returns the sentence that names the readers of a gated post; `None` for a public post.
    fn notice(&self, post: &Post) -> Option<String> {
        let kind = match post.kind {
            PostKind::Post => "post",
            PostKind::Page => "page",
        };
        let readers = match post.visibility {
            Visibility::Public => return None,
            Visibility::Members => "subscribers only".to_owned(),
            Visibility::Paid => "paying subscribers only".to_owned(),
            Visibility::Tiers => {
                let tiers = post.tiers.iter();
                let tiers = tiers.filter_map(|id| self.snapshot.catalog.tiers.get(*id));
                let names: Vec<&str> = tiers.map(|tier| &*tier.name).collect();
                match names.split_last() {
                    None => "paying subscribers only".to_owned(),
                    Some((name, [])) => format!("subscribers on the {name} tier only"),
                    Some((last, others)) => {
                        format!(
                            "subscribers on the {} and {last} tiers only",
                            others.join(", ")
                        )
                    }
                }
            }
        };
        Some(format!("This {kind} is for {readers}."))
    }

    /// Returns the list of pages and posts.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, and `Busy` if there is no memory for the texts.
    pub(super) fn llms(&self) -> Result<String> {
        let mut text = self.llms_head();
        let mut pages = self.pages();
        pages.sort_by_key(|page| self.url_of(page));
        text.push_str("## Pages\n");
        self.push_list(&mut text, &pages)?;
        text.push_str("\n## Posts\n");
        let posts = self.snapshot.catalog.posts.listed(PostKind::Post);
        self.push_list(&mut text, &self.with_pages(posts))?;
        text.push_str("\n## More\n");
        if self.site_urls.routes().has_feed_of_site() {
            text.push_str(&format!("- [RSS feed]({})\n", self.link("/rss/")));
        }
        text.push_str(&format!("- [Sitemap]({})\n", self.link("/sitemap.xml")));
        text.push_str(&format!("- [All texts]({})\n", self.link(LLMS_FULL)));
        Ok(text)
    }

    /// Returns the texts of pages and posts, the newest posts first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, and `Busy` if there is no memory for the texts.
    pub(super) fn llms_full(&self) -> Result<String> {
        let mut text = self.llms_head();
        text.push_str("## Pages\n");
        let mut is_whole = self.push_texts(&mut text, &self.pages())?;
        text.push_str("\n## Posts\n");
        let posts = self.snapshot.catalog.posts.listed(PostKind::Post);
        let mut posts = self.with_pages(posts);
        is_whole &= posts.len() <= POSTS_MAX;
        posts.truncate(POSTS_MAX);
        is_whole &= self.push_texts(&mut text, &posts)?;
        if !is_whole {
            let sitemap = self.link("/sitemap.xml");
            text.push_str(&format!(
                "\n_This file is truncated. The sitemap lists all pages: {sitemap}_\n"
            ));
        }
        Ok(text)
    }

    /// Returns the heading of both documents: the title and the description of the site.
    fn llms_head(&self) -> String {
        let settings = &self.snapshot.catalog.settings;
        let set = |key| settings.text(key).filter(|text| !text.is_empty());
        let title = set("title").unwrap_or_default();
        let mut text = format!("# {}\n", one_line(&title));
        if let Some(description) = set("meta_description").or_else(|| set("description")) {
            text.push_str(&format!("> {}\n", one_line(&description)));
        }
        text.push_str(
            "\nAppend `.md` to the URL of a page or post to get its text as Markdown.\n\n",
        );
        text
    }

    fn pages(&self) -> Vec<Arc<Post>> {
        let pages = self.snapshot.catalog.posts.listed(PostKind::Page);
        let mut pages = self.with_pages(pages);
        pages.sort_by_key(|page| page.id);
        pages.truncate(PAGES_MAX);
        pages
    }

    /// Returns the posts that have a URL on the site.
    fn with_pages(&self, posts: &Listing) -> Vec<Arc<Post>> {
        let posts = posts.iter().filter(|post| {
            let path = self.site_urls.routes().post_path(post);
            path.is_some()
        });
        posts.cloned().collect()
    }

    /// Appends a line for each post, up to the limit of the list.
    fn push_list(&self, text: &mut String, posts: &[Arc<Post>]) -> Result<()> {
        if posts.is_empty() {
            text.push_str(&format!("{EMPTY}\n"));
        }
        // Batches leave texts beyond the limit of the document unread.
        for batch in posts.chunks(BATCH) {
            let batch: Vec<_> = batch.iter().collect();
            let texts = self.texts(&batch, RenderedFormat::Plaintext)?;
            for (post, body) in batch.iter().zip(texts) {
                let own = post.custom_excerpt.as_deref().unwrap_or(&body);
                let path = markdown_path(&self.site_urls.post_path(post));
                let mut line = format!("- [{}]({})", one_line(&post.title), self.link(&path));
                let description = shortened(&one_line(own));
                if !description.is_empty() {
                    line.push_str(&format!(" - {description}"));
                }
                if text.len() + line.len() > LIST_BYTES_MAX {
                    return Ok(());
                }
                text.push_str(&line);
                text.push('\n');
            }
        }
        Ok(())
    }

    /// Appends the texts of posts, up to the limit of the document. Returns whether all posts fit.
    fn push_texts(&self, text: &mut String, posts: &[Arc<Post>]) -> Result<bool> {
        if posts.is_empty() {
            text.push_str(&format!("{EMPTY}\n"));
        }
        // Batches leave texts beyond the limit of the document unread.
        for batch in posts.chunks(BATCH) {
            let batch: Vec<_> = batch.iter().collect();
            let bodies = self.texts(&batch, RenderedFormat::Html)?;
            for (post, body) in batch.iter().zip(bodies) {
                let mut parts = vec![to_markdown(&body)];
                parts.extend(self.notice(post).map(|notice| format!("_{notice}_")));
                parts.retain(|part| !part.is_empty());
                let entry = format!(
                    "### {}\nURL: {}\nLast updated: {}\n{}\n",
                    one_line(&post.title),
                    self.url_of(post),
                    written_time(post.updated_at),
                    parts.join("\n\n")
                );
                if text.len() + entry.len() > FULL_BYTES_MAX {
                    return Ok(false);
                }
                text.push_str(&entry);
            }
        }
        Ok(true)
    }

    fn url_of(&self, post: &Post) -> String {
        self.link(&self.site_urls.post_path(post))
    }

    /// Returns the texts of posts as anonymous readers see them.
    fn texts(&self, posts: &[&Arc<Post>], format: RenderedFormat) -> Result<Vec<Arc<str>>> {
        let bodies = self
            .bodies
            .of::<TextBody>(self.snapshot, posts, format, None, self.memory)?;
        let texts = bodies.iter().map(|body| body.text().cloned());
        Ok(texts.map(Option::unwrap_or_default).collect())
    }
}

/// Replaces all white space in a text with single spaces.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Truncates a text to [`DESCRIPTION_MAX`] characters.
fn shortened(text: &str) -> String {
    if text.chars().count() <= DESCRIPTION_MAX {
        return text.to_owned();
    }
    // One character is left for the ellipsis.
    let start: String = text.chars().take(DESCRIPTION_MAX - 1).collect();
    format!("{}…", start.trim_end())
}
