//! Helpers for URLs and links: `url`, `page_url`, `link`, `link_class`, `content_api_url`, `content_api_key`.

use url::{Position, Url};

use super::{
    HelperRow,
    coercion::{has_all, is_post, is_space, spelled},
    escape, takes,
};
use crate::{
    front_end::PageState,
    site_urls::SiteUrls,
    templates::{Call, HelperResult, RenderError, Value},
};

/// The helpers of this family.
pub const HELPERS: &[HelperRow] = &[
    HelperRow::inline("content_api_key", content_api_key),
    HelperRow::inline("content_api_url", content_api_url),
    HelperRow::block("link", link),
    HelperRow::inline("link_class", link_class),
    HelperRow::inline("page_url", page_url),
    HelperRow::inline("url", url),
];

/// Returns the path, query and fragment of a URL on the site; other URLs unchanged.
pub fn relative(urls: &SiteUrls, text: &str) -> String {
    // The URLs of most records and images are plain, so parsing would not change them.
    if let Some(path) = text.strip_prefix(urls.base())
        && path.starts_with('/')
        && path.bytes().all(is_plain)
        && !path.contains("/.")
    {
        return [urls.subdirectory(), path].concat();
    }
    let Ok(parsed) = Url::parse(text) else {
        return text.to_owned();
    };
    let site = urls.url();
    let is_own = parsed.host() == site.host()
        && parsed.port_or_known_default() == site.port_or_known_default()
        && parsed.path().starts_with(site.path());
    if is_own {
        parsed[Position::BeforePath..].to_owned()
    } else {
        text.to_owned()
    }
}

/// Returns whether a byte is a character that parsing never changes in a path, except in segments of one or two dots.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.')
}

/// Returns the absolute URL of a path on the site; other URLs unchanged.
fn absolute(urls: &SiteUrls, text: &str) -> String {
    if text.starts_with("//") || !text.starts_with('/') {
        return text.to_owned();
    }
    format!("{}{}", urls.base(), urls.path_on_site(text))
}

/// Returns the URL of a path on the site; other URLs unchanged.
fn of_path(urls: &SiteUrls, path: &str, is_absolute: bool) -> String {
    let is_other =
        path.contains("://") || path.starts_with("//") || path.starts_with('#') || has_scheme(path);
    if is_other {
        return path.to_owned();
    }
    let path = if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("/{path}")
    };
    if is_absolute {
        absolute(urls, &path)
    } else {
        urls.public_path(&path)
    }
}

fn has_scheme(text: &str) -> bool {
    let is_scheme = |scheme: &str| {
        !scheme.is_empty()
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    text.split_once(':')
        .is_some_and(|(scheme, _)| is_scheme(scheme))
}

/// Returns the URL of a navigation item. A URL on the site is a path, unless it is stored as an absolute URL.
fn of_item(urls: &SiteUrls, url: &str, is_absolute: bool) -> String {
    let site = urls.site();
    let host = site.split_once("//").map_or("", |(_, host)| host);
    match url.split_once(host) {
        Some((scheme, path))
            if !scheme.contains('.') && !scheme.contains("mailto:") && !path.starts_with(':') =>
        {
            of_path(urls, path, true)
        }
        _ => of_path(urls, url, is_absolute),
    }
}

/// Returns whether an option is given and is neither empty nor the string `false`.
pub fn is_on(option: Option<&Value>) -> bool {
    option.is_some_and(|option| match option {
        Value::Text(text) => !matches!(&**text, "" | "false"),
        other => other.is_true(),
    })
}

/// Writes the URL of the current record; outside of a record, the URL of the page or the site.
fn url(call: &mut Call<PageState>) -> HelperResult {
    takes(call, 0)?;
    let is_absolute = is_on(call.option("absolute"));
    let urls = &call.state().site_urls;
    let this = call.this();
    let own = || call.property("url").to_string();
    let is_hidden = |url: &str| {
        url.ends_with("/404/") && call.property("status").as_text() != Some("published")
    };
    let of_record = |url: &str| {
        if is_absolute {
            absolute(urls, url)
        } else {
            relative(urls, url)
        }
    };
    let url = if is_post(this) {
        match own() {
            // A draft has no URL yet; its preview has the UUID.
            url if is_hidden(&url) => {
                of_path(urls, &format!("/p/{}/", call.property("uuid")), is_absolute)
            }
            url => of_record(&url),
        }
    } else if is_tag_or_author(this) {
        of_record(&own())
    } else if has_all(this, &["label", "url", "slug", "current"]) {
        of_item(urls, &own(), is_absolute)
    } else {
        let path = call.property("relativeUrl");
        of_path(
            urls,
            path.as_text()
                .filter(|path| !path.is_empty())
                .unwrap_or("/"),
            is_absolute,
        )
    };
    // `decodeURI` throws for an invalid escape, and Ghost then writes nothing.
    Ok(Value::html(escape::url(&url).unwrap_or_default()))
}

fn is_tag_or_author(value: &Value) -> bool {
    has_all(value, &["name", "slug", "description", "feature_image"])
        || has_all(value, &["bio", "website", "profile_image", "location"])
}

/// Returns the path of a page of the current list, given by number, `next` or `prev`.
fn page_url(call: &mut Call<PageState>) -> HelperResult {
    takes(call, 1)?;
    let pagination = call.root().get("pagination");
    if !pagination.is_true() {
        return Ok(Value::Null);
    }
    let number = |value: Value| match value {
        Value::Number(number) => Some(number),
        _ => None,
    };
    let page = match call.arguments() {
        [] => Some(1.0),
        [Value::Text(text), ..] if matches!(&**text, "next" | "prev") => {
            number(pagination.get(text))
        }
        [page, ..] => number(page.clone()),
    };
    let state = call.state();
    let list = without_page(&state.path);
    Ok(page
        .map(|page| {
            let suffix = if page > 1.0 {
                format!("page/{}/", Value::from(page))
            } else {
                String::new()
            };
            state.site_urls.public_path(&format!("{list}/{suffix}"))
        })
        .into())
}

/// Returns the path of a list without its page number and without a slash at the end.
fn without_page(path: &str) -> &str {
    let page = path.rmatch_indices("/page/").find(|(position, found)| {
        let rest = &path[position + found.len()..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && rest[digits..].starts_with('/')
    });
    match page {
        Some((position, _)) => &path[..position],
        None => path.strip_suffix('/').unwrap_or(path),
    }
}

/// Writes a link to `href` around its block, with the classes of `link_class` and all other arguments as attributes.
fn link(call: &mut Call<PageState>) -> HelperResult {
    takes(call, 0)?;
    let Some(href) = call.option("href") else {
        return Err(call.error("{{#link}} needs href"));
    };
    if !call.has_block() {
        return Err(call.error("{{#link}} needs a block"));
    }
    let href = target(call, href)?;
    let attributes = call.hash().iter();
    // All attributes are copied into the tag before it is written.
    let bytes = attributes.map(|(_, value)| value.as_text().map_or(0, str::len));
    call.count_value(bytes.sum())?;
    let classes = classes(call, &href);
    let mut tag = "<a ".to_owned();
    if !classes.is_empty() {
        tag.push_str(&format!("class=\"{}\" ", classes.join(" ")));
    }
    tag.push_str(&format!("href=\"{href}\" "));
    let own = ["href", "class", "activeClass", "parentActiveClass"];
    // Handlebars builds the object of named arguments from the last one to the first.
    let attributes = call
        .hash()
        .iter()
        .rev()
        .filter(|(name, _)| !own.contains(&&**name));
    let attributes: Vec<String> = attributes
        .map(|(name, value)| format!("{name}=\"{}\"", spelled(value)))
        .collect();
    tag.push_str(&attributes.join(" "));
    tag.push('>');
    call.write(&tidy(&tag));
    let this = call.this().clone();
    call.render_block(&this, &[], &[])?;
    call.write("</a>");
    Ok(Value::Undefined)
}

/// Returns a tag in which runs of spaces are single spaces, and the first `>` has no space before it.
fn tidy(tag: &str) -> String {
    let mut single_spaced = String::with_capacity(tag.len());
    let mut characters = tag.chars().peekable();
    while let Some(character) = characters.next() {
        if is_space(character) && characters.peek().is_some_and(|next| is_space(*next)) {
            while characters.next_if(|next| is_space(*next)).is_some() {}
            single_spaced.push(' ');
        } else {
            single_spaced.push(character);
        }
    }
    let is_before_end = |(index, character): &(usize, char)| {
        is_space(*character) && single_spaced[index + character.len_utf8()..].starts_with('>')
    };
    if let Some((index, _)) = single_spaced.char_indices().find(is_before_end) {
        single_spaced.remove(index);
    }
    single_spaced
}

/// Writes the classes of a link to `for`: those of `class`, and another if the link is to the current page or a parent of it.
fn link_class(call: &mut Call<PageState>) -> HelperResult {
    takes(call, 0)?;
    let Some(given) = call.option("for") else {
        return Err(call.error("{{link_class}} needs for"));
    };
    let target = target(call, given)?;
    Ok(Value::html(classes(call, &target).join(" ")))
}

/// Returns the URL that a link is to; empty if there is none.
///
/// # Errors
///
/// If the value is not a string.
fn target(call: &Call<PageState>, given: &Value) -> Result<String, RenderError> {
    match given {
        Value::Text(_) | Value::Html(_) => Ok(given.to_string()),
        other if other.is_true() => Err(call.error("the URL of a link must be a string")),
        _ => Ok(String::new()),
    }
}

fn classes(call: &Call<PageState>, href: &str) -> Vec<String> {
    let state = call.state();
    // Links of the navigation are absolute, while the path of the page is relative to the site.
    let href = href.replacen(state.site_urls.base(), "", 1);
    let class = call.option("class").filter(|class| class.is_true());
    let mut classes: Vec<String> = class
        .map(|class| class.to_string().split(' ').map(str::to_owned).collect())
        .unwrap_or_default();
    let given = |name| {
        call.option(name).map(|class| {
            if class.is_true() {
                class.to_string()
            } else {
                String::new()
            }
        })
    };
    let active = given("activeClass").unwrap_or_else(|| "nav-current".to_owned());
    let parent = given("parentActiveClass").unwrap_or_else(|| {
        format!(
            "{}-parent",
            if active.is_empty() {
                "nav-current"
            } else {
                &active
            }
        )
    });
    let (href, path) = (bare(&href), bare(&state.path));
    if href == path && !active.is_empty() {
        classes.push(active);
    } else if is_above(href, path) && !parent.is_empty() {
        classes.push(parent);
    }
    classes
}

/// Returns a path without its fragment and its first and last slash.
fn bare(path: &str) -> &str {
    let path = path.split_once('#').map_or(path, |(path, _)| path);
    let path = path.strip_prefix('/').unwrap_or(path);
    path.strip_suffix('/').unwrap_or(path)
}

/// Returns whether a path is a parent of another. Only the last segment is compared (Ghost 6.65, recorded).
fn is_above(path: &str, other: &str) -> bool {
    let own: Vec<&str> = path.split('/').collect();
    let other: Vec<&str> = other.split('/').collect();
    other.len() > own.len() && other[own.len() - 1] == own[own.len() - 1]
}

/// Writes the API key with which scripts of the page read the Content API.
fn content_api_key(call: &mut Call<PageState>) -> HelperResult {
    Ok(Value::html(call.state().content_key.as_str()))
}

/// Writes the URL of the Content API, absolute unless the option `absolute` is false.
fn content_api_url(call: &mut Call<PageState>) -> HelperResult {
    let is_absolute = match call.option("absolute") {
        None | Some(Value::Undefined | Value::Null | Value::Bool(true)) => true,
        Some(Value::Text(text)) => &**text == "true",
        Some(_) => false,
    };
    let state = call.state();
    let path = format!("/{}/api/content/", state.path_prefix);
    Ok(Value::html(of_path(&state.site_urls, &path, is_absolute)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls() -> SiteUrls {
        SiteUrls::new("http://notes.example:81/blog").expect("it is a site's URL")
    }

    #[test]
    fn own_urls_become_relative() {
        let urls = urls();
        assert_eq!(
            relative(&urls, "https://notes.example:81/blog/a/?b#c"),
            "/blog/a/?b#c"
        );
        assert_eq!(
            relative(&urls, "http://notes.example:81/other/"),
            "http://notes.example:81/other/"
        );
        assert_eq!(relative(&urls, "a b.png"), "a b.png");
        assert_eq!(
            absolute(&urls, "/blog/a/"),
            "http://notes.example:81/blog/a/"
        );
        assert_eq!(absolute(&urls, "//other.example/"), "//other.example/");
    }

    #[test]
    fn items_of_navigation_keep_other_urls() {
        let urls = urls();
        assert_eq!(of_item(&urls, "/tag/a/", false), "/blog/tag/a/");
        assert_eq!(
            of_item(&urls, "/tag/a/", true),
            "http://notes.example:81/blog/tag/a/"
        );
        assert_eq!(
            of_item(&urls, "http://notes.example:81/blog/tag/a/", false),
            "http://notes.example:81/blog/tag/a/"
        );
        for other in [
            "#/portal/",
            "mailto:a@notes.example",
            "https://out.example/",
        ] {
            assert_eq!(of_item(&urls, other, true), other);
        }
    }

    #[test]
    fn page_numbers_are_removed_from_paths() {
        assert_eq!(without_page("/tag/a/page/2/"), "/tag/a");
        assert_eq!(without_page("/page/2/"), "");
        assert_eq!(without_page("/"), "");
        assert_eq!(without_page("/page/x/"), "/page/x");
    }

    #[test]
    fn runs_of_spaces_in_tags_become_one_space() {
        assert_eq!(tidy("<a  href=\"/\" >"), "<a href=\"/\">");
    }

    #[test]
    fn last_segment_decides_whether_a_path_is_a_parent() {
        assert!(is_above("tag", "tag/letters"));
        assert!(!is_above("", "letters"));
        assert!(!is_above("tag", "tag"));
    }
}
