//! Checks of the tags in HTML that Galley generates. They must be complete, with every value in
//! double quotes.

/// Elements without an end tag (HTML, section 13.1.2).
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// Elements that are harmful in an e-mail and never needed in one.
const HARMFUL: [&str; 7] = [
    "script", "iframe", "object", "embed", "form", "input", "base",
];

/// Prefixes of URLs that run code.
const ACTIVE_SCHEMES: [&str; 3] = ["javascript:", "vbscript:", "data:text/html"];

/// A tag.
struct Tag<'h> {
    is_end: bool,
    name: &'h str,
    attributes: Vec<(&'h str, &'h str)>,
}

/// Panics unless every element has an end tag, and elements are nested correctly.
pub fn assert_nested(html: &str) {
    let mut open = Vec::new();
    for tag in tags(html) {
        match tag.is_end {
            true => assert_eq!(open.pop(), Some(tag.name), "{html:?}"),
            false if VOID.contains(&tag.name) => {}
            false => open.push(tag.name),
        }
    }
    assert!(open.is_empty(), "{open:?} {html:?}");
}

/// Panics if HTML contains scripts, forms, embedded pages, or attributes or URLs that run code.
pub fn assert_harmless(html: &str) {
    for tag in tags(html) {
        assert!(!HARMFUL.contains(&tag.name), "<{}> {html:?}", tag.name);
        assert_passive_attributes(&tag, html);
    }
}

/// Panics if an attribute or a URL of HTML runs code.
pub fn assert_passive(html: &str) {
    for tag in tags(html) {
        assert_passive_attributes(&tag, html);
    }
}

fn assert_passive_attributes(tag: &Tag<'_>, html: &str) {
    for (name, value) in &tag.attributes {
        assert!(!name.starts_with("on"), "{name}={value:?} {html:?}");
        let url: String = value
            .chars()
            .filter(|character| *character > ' ')
            .collect::<String>()
            .to_ascii_lowercase();
        let runs = ACTIVE_SCHEMES.iter().any(|scheme| url.starts_with(scheme));
        let is_url = matches!(*name, "href" | "src" | "background");
        assert!(!(is_url && runs), "{name}={value:?} {html:?}");
    }
}

/// Returns all tags. Panics if a tag has no end or cannot be distinguished from the text around it.
fn tags(html: &str) -> impl Iterator<Item = Tag<'_>> {
    let mut rest = html;
    std::iter::from_fn(move || {
        loop {
            let (_, after) = rest.split_once('<')?;
            if let Some(comment) = after.strip_prefix("!--") {
                rest = comment.split_once("-->").map_or("", |(_, after)| after);
                continue;
            }
            if let Some(declaration) = after.strip_prefix('!') {
                rest = declaration.split_once('>').map_or("", |(_, after)| after);
                continue;
            }
            if let Some(instruction) = after.strip_prefix('?') {
                rest = instruction.split_once("?>").map_or("", |(_, after)| after);
                continue;
            }
            let (tag, after) = tag(after);
            rest = after;
            return Some(tag);
        }
    })
}

/// Parses a tag after its `<`. Returns the tag, and the text after it.
fn tag(text: &str) -> (Tag<'_>, &str) {
    let is_end = text.starts_with('/');
    let text = text.trim_start_matches('/');
    let name_end = text
        .find(|character: char| !character.is_ascii_alphanumeric() && character != '-')
        .unwrap_or_else(|| panic!("a tag has no end: {text:?}"));
    let (name, mut rest) = text.split_at(name_end);
    assert!(!name.is_empty(), "a tag has no name: {text:?}");
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start_matches([' ', '\n', '/']);
        if let Some(after) = rest.strip_prefix('>') {
            let tag = Tag {
                is_end,
                name,
                attributes,
            };
            return (tag, after);
        }
        let name_end = rest
            .find(['=', ' ', '>', '\n'])
            .unwrap_or_else(|| panic!("a tag has no end: {text:?}"));
        let (name, after) = rest.split_at(name_end);
        let Some(value) = after.strip_prefix("=\"") else {
            attributes.push((name, ""));
            rest = after;
            assert!(!rest.starts_with('='), "a value has no quotes: {text:?}");
            continue;
        };
        let (value, after) = value
            .split_once('"')
            .unwrap_or_else(|| panic!("a value has no end: {text:?}"));
        attributes.push((name, value));
        rest = after;
    }
}

/// Elements of SVG images that run code or embed something.
const ACTIVE_IN_SVG: [&str; 9] = [
    "script",
    "foreignObject",
    "handler",
    "listener",
    "iframe",
    "object",
    "embed",
    "audio",
    "video",
];

/// Panics if an SVG image runs code or loads something from elsewhere.
pub fn assert_harmless_svg(svg: &str) {
    for tag in tags(svg) {
        let name = tag.name;
        assert!(!ACTIVE_IN_SVG.contains(&name), "<{name}> {svg:?}");
        for (name, value) in &tag.attributes {
            let name = name.rsplit(':').next().unwrap_or_default();
            assert!(!name.starts_with("on"), "{name}={value:?} {svg:?}");
            if matches!(name, "href" | "src") {
                let is_outside = value.contains(':') || value.starts_with("//");
                let is_image = value.starts_with("data:image/");
                assert!(!is_outside || is_image, "{name}={value:?} {svg:?}");
            }
        }
    }
}
