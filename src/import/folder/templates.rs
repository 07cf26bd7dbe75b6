//! Tags of templates in texts: Liquid, as in Jekyll and Eleventy, and the shortcodes of Hugo.
//!
//! What leads to another text becomes an address, what marks code becomes fenced code, pictures and films become HTML.
//! Everything else stays as it is written and is told. Generators read such tags in code too, so this does. Line breaks
//! stay where they are.

use super::remark::{Remark, Remarks};

/// Longest tag, in bytes. What goes on longer is taken for plain text.
const TAG_BYTES_MAX: usize = 10_000;

/// Which tags a text may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `{% tag %}` and `{{ value }}`.
    Liquid,
    /// `{{< shortcode >}}` and `{{% shortcode %}}`.
    Shortcodes,
}

/// Returns a text, whose first line has the number `first_line`, with its tags worked out as far as they can be, and those
/// that could not. `find` returns the path of the text or the file that a tag names.
pub fn work_out<'t>(
    text: &'t str,
    first_line: usize,
    dialect: Dialect,
    find: &'t dyn Fn(&str) -> Option<String>,
) -> (String, Vec<Remark>) {
    let mut work = Work {
        place: 0,
        out: String::with_capacity(text.len()),
        remarks: Remarks::about(text, first_line),
        find,
        missing_ends: Vec::new(),
    };
    while let Some(start) = text[work.place..].find('{') {
        let start = work.place + start;
        work.out.push_str(&text[work.place..start]);
        work.place = start;
        let length = match dialect {
            Dialect::Liquid => work.liquid(&text[start..]),
            Dialect::Shortcodes => work.shortcode(&text[start..]),
        };
        if length == 0 {
            work.out.push('{');
        }
        work.place += length.max(1);
    }
    work.out.push_str(&text[work.place..]);
    (work.out, work.remarks.finish())
}

struct Work<'t> {
    place: usize,
    out: String,
    remarks: Remarks<'t>,
    find: &'t dyn Fn(&str) -> Option<String>,
    /// Ending tags that do not come any more.
    missing_ends: Vec<&'static str>,
}

impl<'t> Work<'t> {
    /// Works out the tag that `rest` begins with, and returns how long it is; 0 if it begins with none.
    fn liquid(&mut self, rest: &'t str) -> usize {
        if let Some((inside, length)) = between(rest, "{%", "%}") {
            let inside = inside.trim_matches('-').trim();
            let (name, arguments) = words(inside);
            let after = &rest[length..];
            return match name {
                "raw" => match self.end_of(after, "endraw") {
                    Some((content, more)) => self.put(content, length + more),
                    None => self.leave(rest, length, inside),
                },
                "comment" => match self.end_of(after, "endcomment") {
                    Some((content, more)) => {
                        self.line_breaks(content);
                        length + more
                    }
                    None => self.leave(rest, length, inside),
                },
                "highlight" => {
                    let language = arguments.split_whitespace().next().unwrap_or_default();
                    self.fence(language, length)
                }
                "endhighlight" => self.fence("", length),
                "post_url" | "link" => match (self.find)(arguments.trim()) {
                    Some(path) => self.put(&format!("/{path}"), length),
                    None => self.leave(rest, length, inside),
                },
                _ => self.leave(rest, length, inside),
            };
        }
        match between(rest, "{{", "}}") {
            Some((inside, length)) => {
                let inside = inside.trim_matches('-').trim();
                match address_of(inside) {
                    Some(address) => self.put(address, length),
                    None => self.leave(rest, length, inside),
                }
            }
            None => 0,
        }
    }

    /// The same for a shortcode.
    fn shortcode(&mut self, rest: &'t str) -> usize {
        let found = between(rest, "{{<", ">}}").or_else(|| between(rest, "{{%", "%}}"));
        let Some((inside, length)) = found else {
            return 0;
        };
        // Between marks of a comment a shortcode stands for itself.
        if let Some(shown) = inside
            .strip_prefix("/*")
            .and_then(|shown| shown.strip_suffix("*/"))
        {
            let (open, close) = (&rest[..3], &rest[length - 3..length]);
            return self.put(&format!("{open}{shown}{close}"), length);
        }
        let inside = inside.trim().trim_end_matches('/').trim();
        let (name, arguments) = words(inside);
        match name {
            "ref" | "relref" => match self.reference(&Arguments::of(arguments)) {
                Some(address) => self.put(&address, length),
                None => self.leave(rest, length, inside),
            },
            "highlight" => {
                let language = arguments.split_whitespace().next().unwrap_or_default();
                self.fence(language.trim_matches('"'), length)
            }
            "/highlight" => self.fence("", length),
            "figure" => self.put(&figure(&Arguments::of(arguments)), length),
            "youtube" | "vimeo" => match Arguments::of(arguments).get_or_first("id") {
                Some(id) => self.put(&film(name, id), length),
                None => self.leave(rest, length, inside),
            },
            _ => self.leave(rest, length, inside),
        }
    }

    /// The address of the text that a reference names, with its fragment.
    fn reference(&self, arguments: &Arguments<'_>) -> Option<String> {
        let target = arguments.get_or_first("path")?;
        let (path, fragment) = target.split_at(target.find('#').unwrap_or(target.len()));
        match path {
            "" => Some(fragment.to_owned()),
            path => Some(format!("/{}{fragment}", (self.find)(path)?)),
        }
    }

    /// What stands before the tag `{% name %}`, and how long it is with the tag.
    fn end_of(&mut self, text: &'t str, name: &'static str) -> Option<(&'t str, usize)> {
        if self.missing_ends.contains(&name) {
            return None;
        }
        let mut place = 0;
        while let Some(found) = text[place..].find("{%") {
            let start = place + found;
            match between(&text[start..], "{%", "%}") {
                Some((inside, length)) if inside.trim_matches('-').trim() == name => {
                    return Some((&text[..start], start + length));
                }
                _ => place = start + 2,
            }
        }
        self.missing_ends.push(name);
        None
    }

    fn put(&mut self, text: &str, length: usize) -> usize {
        self.out.push_str(text);
        length
    }

    /// A line of more backticks than code has as a rule.
    fn fence(&mut self, language: &str, length: usize) -> usize {
        self.put(&format!("````{language}"), length)
    }

    fn leave(&mut self, rest: &str, length: usize, inside: &str) -> usize {
        let tag = inside.lines().next().unwrap_or_default();
        self.remarks
            .add(self.place, format!("`{tag}` is not worked out"));
        self.put(&rest[..length], length)
    }

    fn line_breaks(&mut self, text: &str) {
        let breaks = text.bytes().filter(|byte| *byte == b'\n');
        self.out.extend(breaks.map(char::from));
    }
}

/// What stands between two marks at the start of a text, and how long it is with them.
fn between<'t>(rest: &'t str, open: &str, close: &str) -> Option<(&'t str, usize)> {
    let inside = rest.strip_prefix(open)?;
    let window = &inside[..inside.floor_char_boundary(TAG_BYTES_MAX)];
    let end = window.find(close)?;
    Some((&inside[..end], open.len() + end + close.len()))
}

/// The first word of a tag, and what stands behind it.
fn words(inside: &str) -> (&str, &str) {
    let end = inside.find(char::is_whitespace).unwrap_or(inside.len());
    (&inside[..end], inside[end..].trim())
}

/// The address that a value of Liquid is: nothing for the site's own, and a quoted path with a filter that only puts the
/// site's address in front.
fn address_of(value: &str) -> Option<&str> {
    const OF_SITE: [&str; 4] = ["site.baseurl", "site.url", "site.github.url", "baseurl"];
    const FILTERS: [&str; 6] = [
        "relative_url",
        "absolute_url",
        "url",
        "prepend: site.baseurl",
        "prepend: site.url",
        "prepend:site.baseurl",
    ];
    if OF_SITE.contains(&value) {
        return Some("");
    }
    let mut parts = value.split('|').map(str::trim);
    let first = parts.next()?;
    let path = ['"', '\'']
        .into_iter()
        .find_map(|quote| first.strip_prefix(quote)?.strip_suffix(quote))?;
    parts
        .all(|filter| FILTERS.contains(&filter))
        .then_some(path)
}

/// What stands behind the name of a shortcode: words, and words with names.
struct Arguments<'t>(Vec<(Option<&'t str>, &'t str)>);

impl<'t> Arguments<'t> {
    fn of(text: &'t str) -> Self {
        let mut arguments = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let name_end = rest
                .find(|letter: char| letter.is_whitespace() || "=\"`".contains(letter))
                .unwrap_or(rest.len());
            let name = rest[name_end..]
                .starts_with('=')
                .then_some(&rest[..name_end]);
            let value = match name {
                Some(_) => &rest[name_end + 1..],
                None => rest,
            };
            let (word, after) = quoted(value);
            arguments.push((name, word));
            rest = after.trim_start();
        }
        Self(arguments)
    }

    fn get(&self, name: &str) -> Option<&'t str> {
        let mut named = self.0.iter();
        named
            .find(|(known, _)| *known == Some(name))
            .map(|(_, value)| *value)
    }

    fn get_or_first(&self, name: &str) -> Option<&'t str> {
        let first = || self.0.first().filter(|(name, _)| name.is_none());
        self.get(name).or_else(|| first().map(|(_, value)| *value))
    }
}

/// The word that a text begins with, without its quotation marks, and what stands behind it.
fn quoted(text: &str) -> (&str, &str) {
    for quote in ['"', '`'] {
        if let Some(inside) = text.strip_prefix(quote) {
            return inside.split_once(quote).unwrap_or((inside, ""));
        }
    }
    // A character is taken in any case, so that reading comes to an end.
    let first = text.chars().next().map_or(0, char::len_utf8);
    let end = text[first..]
        .find(char::is_whitespace)
        .map_or(text.len(), |end| first + end);
    text.split_at(end)
}

/// The shortcode `figure` as HTML.
fn figure(arguments: &Arguments<'_>) -> String {
    let source = arguments.get_or_first("src").unwrap_or_default();
    let alt = arguments.get("alt").or(arguments.get("caption"));
    let mut picture = format!(
        "<img src=\"{}\" alt=\"{}\">",
        escaped(source),
        escaped(alt.unwrap_or_default())
    );
    if let Some(link) = arguments.get("link") {
        picture = format!("<a href=\"{}\">{picture}</a>", escaped(link));
    }
    let caption: Vec<&str> = ["title", "caption", "attr"]
        .into_iter()
        .filter_map(|name| arguments.get(name))
        .collect();
    match caption.is_empty() {
        true => format!("<figure>{picture}</figure>"),
        false => format!(
            "<figure>{picture}<figcaption>{}</figcaption></figure>",
            escaped(&caption.join(" "))
        ),
    }
}

/// A film elsewhere as HTML.
fn film(host: &str, id: &str) -> String {
    let address = match host {
        "vimeo" => "https://player.vimeo.com/video/",
        _ => "https://www.youtube.com/embed/",
    };
    format!(
        "<iframe width=\"560\" height=\"315\" src=\"{address}{}\" allowfullscreen></iframe>",
        escaped(id)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn worked_out(text: &str, dialect: Dialect) -> (String, Vec<String>) {
        let find = |name: &str| match name {
            "2015-03-05-ferry" | "ferry.md" | "ferry" => Some("texts/ferry.md".to_owned()),
            _ => None,
        };
        let (text, remarks) = work_out(text, 1, dialect, &find);
        let told = remarks
            .iter()
            .map(|remark| format!("{}: {}", remark.line, remark.text))
            .collect();
        (text, told)
    }

    #[test]
    fn liquid_that_leads_somewhere_becomes_an_address() {
        for (text, expected) in [
            (
                "[a]({% post_url 2015-03-05-ferry %})",
                "[a](/texts/ferry.md)",
            ),
            (
                "[a]({{ site.baseurl }}{%- link ferry.md -%}#x)",
                "[a](/texts/ferry.md#x)",
            ),
            ("![b]({{ \"/a.png\" | relative_url }})", "![b](/a.png)"),
            (
                "{{ '/a.png' | prepend: site.baseurl | prepend: site.url }}",
                "/a.png",
            ),
        ] {
            assert_eq!(
                worked_out(text, Dialect::Liquid),
                (expected.to_owned(), vec![])
            );
        }
    }

    #[test]
    fn liquid_that_marks_text_is_taken_for_what_it_means() {
        let text = "{% highlight ruby linenos %}\nputs 1\n{% endhighlight %}\n{% raw %}{{ a }}{% endraw %}{% comment %}\nb\n{% endcomment %}.";
        let expected = "````ruby\nputs 1\n````\n{{ a }}\n\n.";
        assert_eq!(
            worked_out(text, Dialect::Liquid),
            (expected.to_owned(), vec![])
        );
    }

    #[test]
    fn other_liquid_stays_and_is_told() {
        let text = "a\n{% include note.html x=1 %}\n{{ page.title }} {% post_url gone %} { {% open";
        let (worked, told) = worked_out(text, Dialect::Liquid);
        assert_eq!(worked, text);
        assert_eq!(
            told,
            [
                "2: `include note.html x=1` is not worked out",
                "3: `page.title` is not worked out",
                "3: `post_url gone` is not worked out",
            ]
        );
    }

    #[test]
    fn shortcodes_that_are_known_become_markdown_and_html() {
        for (text, expected) in [
            (
                "[a]({{< ref \"ferry.md#deck\" >}})",
                "[a](/texts/ferry.md#deck)",
            ),
            ("[a]({{% relref path=\"ferry\" %}})", "[a](/texts/ferry.md)"),
            ("[a]({{< ref \"#deck\" >}})", "[a](#deck)"),
            (
                "{{< figure src=\"a.png\" alt=\"A \\ b\" caption=\"C & d\" link=\"/x\" >}}",
                "<figure><a href=\"/x\"><img src=\"a.png\" alt=\"A \\ b\"></a><figcaption>C &amp; d</figcaption></figure>",
            ),
            (
                "{{< youtube dQw4 >}}",
                "<iframe width=\"560\" height=\"315\" src=\"https://www.youtube.com/embed/dQw4\" allowfullscreen></iframe>",
            ),
            (
                "{{< highlight go >}}\nx\n{{< /highlight >}}",
                "````go\nx\n````",
            ),
            ("{{</* ref \"x\" */>}}", "{{< ref \"x\" >}}"),
        ] {
            assert_eq!(
                worked_out(text, Dialect::Shortcodes),
                (expected.to_owned(), vec![])
            );
        }
    }

    #[test]
    fn other_shortcodes_stay_and_are_told() {
        let text = "{{< gallery dir=\"x\" />}}\n{{ .Title }} {% raw %}{{< ref \"gone.md\" >}}{{<";
        let (worked, told) = worked_out(text, Dialect::Shortcodes);
        assert_eq!(worked, text);
        assert_eq!(
            told,
            [
                "1: `gallery dir=\"x\"` is not worked out",
                "2: `ref \"gone.md\"` is not worked out",
            ]
        );
    }

    proptest! {
        #[test]
        fn whatever_there_is_is_read_to_its_end(text in "(\\{%|%\\}|\\{\\{|<|>\\}\\}|raw|endraw|comment|endcomment|highlight|figure|ref|src=|[\n{}%\"`é/* -])*") {
            for dialect in [Dialect::Liquid, Dialect::Shortcodes] {
                let (worked, _) = worked_out(&text, dialect);
                prop_assert!(worked.matches('\n').count() <= text.matches('\n').count());
            }
        }
    }
}
