//! `{{ghost_head}}`: everything in the head of a page except what the theme itself writes.

use super::{
    code::injected,
    description::description,
    fonts::FontChoice,
    icon::{icon_type, icon_url},
    images::PageImages,
    page::{Page, text},
    schema, scripts, structured,
    tags::HeadTags,
    title::MetadataKind,
    toolbar,
};
use crate::{
    front_end::{PageState, public_files},
    templates::{Call, HelperResult, Value, escape},
};

/// The generator that pages name: the version of Ghost that they are equivalent to.
const GENERATOR: &str = "Ghost 6.65";

/// `{{ghost_head}}`; `exclude` lists the parts to omit, separated by commas without spaces.
pub(super) fn ghost_head(call: &mut Call<PageState>) -> HelperResult {
    // Ghost logs these errors and writes nothing (6.65, recorded).
    let is_list = |excluded: &Value| !excluded.is_some() || matches!(excluded, Value::Text(_));
    if !call.arguments().is_empty() || !call.option("exclude").is_none_or(is_list) {
        return Ok(Value::Undefined);
    }
    let page = Page {
        state: call.state(),
        root: call.root(),
    };
    if page.state.status >= 500 {
        return Ok(Value::Undefined);
    }
    let excluded = call.option("exclude").and_then(text).unwrap_or_default();
    let is_excluded = |part: &str| excluded.split(',').any(|name| name == part);
    let mut head = HeadTags::default();
    // The page for a failed template has metadata too, but without records (Ghost 6.65).
    if page.state.status < 400 || page.first_context().is_some() {
        add_metadata(&page, &is_excluded, &mut head);
    }
    head.add_meta("generator", GENERATOR);
    add_feed(&page, &mut head);
    add_scripts(&page, &is_excluded, &mut head);
    if let Some(colour) = text(&call.data("site").get("accent_color")) {
        head.add_to_last_script(&format!(
            "<style>:root {{--ghost-accent-color: {};}}</style>",
            escape(&colour)
        ));
    }
    for code in injected(&page, "codeinjection_head") {
        head.add(code);
    }
    if let Some(fonts) = FontChoice::of(&page) {
        head.add(fonts.head());
    }
    Ok(Value::html(head.joined()))
}

fn add_metadata(page: &Page, is_excluded: &impl Fn(&str) -> bool, head: &mut HeadTags) {
    if !is_excluded("metadata") {
        add_description(page, head);
    }
    for relation in ["prev", "next"] {
        if let Some(url) = paginated_url(page, relation) {
            head.add_link(relation, &url);
        }
    }
    let (has_social_data, has_schema) = (!is_excluded("social_data"), !is_excluded("schema"));
    if page.is("paged") || !(has_social_data || has_schema) {
        return;
    }
    let images = PageImages::of(page);
    if has_social_data {
        head.add("");
        // Empty parts are the blank lines of Ghost's output.
        structured::add(page, &images, head);
        head.add("");
    }
    if let Some(script) = has_schema.then(|| schema::script(page, &images)).flatten() {
        head.add(script);
    }
}

fn add_description(page: &Page, head: &mut HeadTags) {
    if let Some(description) = description(page, page.root, MetadataKind::Search) {
        head.add_meta("description", &description);
    }
    if page.setting("icon").is_some() {
        let url = icon_url(page.state);
        head.add(format!(
            "<link rel=\"icon\" href=\"{url}\" type=\"{}\">",
            icon_type(&url)
        ));
    }
    let canonical = page.canonical_url();
    head.add_link("canonical", &canonical);
    if let Some(url) = markdown_url(page, &canonical) {
        head.add(format!(
            "<link rel=\"alternate\" type=\"text/markdown\" href=\"{}\">",
            escape(&url)
        ));
    }
    if page.is("preview") {
        head.add_meta("robots", "noindex,nofollow");
        head.add_meta("referrer", "same-origin");
    } else {
        head.add_meta("referrer", "no-referrer-when-downgrade");
    }
}

/// Returns the URL of the Markdown version of a public post: its canonical URL with `.md`.
fn markdown_url(page: &Page, canonical: &str) -> Option<String> {
    let settings = &page.state.snapshot.catalog.settings;
    let is_served = settings.is_on("llms_enabled") && !settings.is_on("is_private");
    let visibility = page.root.get("post").get("visibility");
    if !page.is("post") || !is_served || text(&visibility).as_deref() != Some("public") {
        return None;
    }
    let mut url = url::Url::parse(canonical).ok()?;
    let path = match url.path() {
        "" | "/" => "/index.md".to_owned(),
        path => format!("{}.md", path.strip_suffix('/').unwrap_or(path)),
    };
    url.set_path(&path);
    Some(url.into())
}

/// Returns the URL of the previous or the next page of the list.
fn paginated_url(page: &Page, relation: &str) -> Option<String> {
    // Only the context of the page counts: `{{#get}}` also returns a pagination.
    let number = page.root.get("pagination").get(relation);
    let Value::Number(number) = number else {
        return None;
    };
    let path = &page.state.path;
    let first = path
        .rfind("/page/")
        .filter(|_| page.is("paged"))
        .map_or(path.as_str(), |end| &path[..=end]);
    let base = page.state.site_urls.base();
    Some(if number > 1.0 {
        format!("{base}{first}page/{number}/")
    } else {
        format!("{base}{first}")
    })
}

fn add_feed(page: &Page, head: &mut HeadTags) {
    let title = page.setting("title").unwrap_or_default();
    let url = feed_url(page).unwrap_or_default();
    let (title, url) = (escape(&title), escape(&url));
    head.add(format!(
        "<link rel=\"alternate\" type=\"application/rss+xml\" title=\"{title}\" href=\"{url}\">"
    ));
}

/// Returns the URL of the site's feed: that of the collection at `/`, else of the first collection with a feed.
fn feed_url(page: &Page) -> Option<String> {
    let collections = &page.state.snapshot.catalog.routes.collections;
    // Not that of the page: each page names the same feed.
    let mut with_feed = collections.iter().filter(|collection| collection.posts.rss);
    let main = with_feed.clone().find(|collection| collection.path == "/");
    let path = &main.or_else(|| with_feed.next())?.path;
    Some(format!("{}{path}rss/", page.state.site_urls.base()))
}

fn add_scripts(page: &Page, is_excluded: &impl Fn(&str) -> bool, head: &mut HeadTags) {
    // The order of the elements is that of Ghost (6.65, recorded). Deferred scripts run in it.
    head.add(scripts::members(page, is_excluded));
    let own = page.state.scripts.own;
    if let Some(own) = own {
        head.add(scripts::own(page, own, is_excluded));
    } else {
        if !is_excluded("search") {
            head.add(scripts::search(page));
        }
        if !is_excluded("announcement") {
            head.add(scripts::announcement_bar(page));
        }
    }
    if page.state.staff.has_toolbar && !is_excluded("admin_toolbar") {
        head.add(toolbar::admin_toolbar(page));
    }
    let site = page.state.site_urls.site();
    head.add(format!(
        "<link href=\"{site}webmentions/receive/\" rel=\"webmention\">"
    ));
    let local = |name: &str| {
        let path = page.state.site_urls.public_path(&format!("/public/{name}"));
        let sum = public_files::sum_of(name, &page.state.theme.package)?;
        Some(format!("{path}?v={sum}"))
    };
    if !is_excluded("card_assets") {
        if let Some(url) = local("cards.min.js") {
            head.add(format!("<script defer src=\"{url}\"></script>"));
        }
        if let Some(url) = local("cards.min.css") {
            head.add(format!(
                "<link rel=\"stylesheet\" type=\"text/css\" href=\"{url}\">"
            ));
        }
    }
    let has_comments = page.setting("comments_enabled").as_deref() != Some("off");
    if let Some(url) =
        local("comment-counts.min.js").filter(|_| has_comments && !is_excluded("comment_counts"))
    {
        let api = format!("{site}members/api/comments/counts/");
        head.add(format!(
            "<script defer src=\"{url}\" data-ghost-comments-counts-api=\"{api}\"></script>"
        ));
    }
    let settings = &page.state.snapshot.catalog.settings;
    let is_tracked = page.has_members() && settings.is_on("members_track_sources");
    if let Some(url) = local("member-attribution.min.js").filter(|_| is_tracked) {
        head.add(format!("<script defer src=\"{url}\"></script>"));
    }
}
