//! MDX to Markdown: what is JavaScript goes, what it shows stays as far as that can be told.
//!
//! Statements (`import`, `export`), tags of components and expressions in braces are taken out and told; what stands
//! between the tags of a component stays. A component that shows a picture becomes a picture. Code is left as it is. Line
//! breaks stay where they are, so that the numbers of lines hold.

use std::collections::HashMap;

use super::remark::{Remark, Remarks};

/// Components that show one picture.
const PICTURES: [&str; 4] = ["Image", "Img", "Picture", "BlogImage"];

/// Deepest braces within braces; what is deeper ends the expression.
const DEPTH_MAX: usize = 100;

/// Longest tag, expression or code span, in bytes. What goes on longer is taken for plain text.
const SPAN_BYTES_MAX: usize = 10_000;

/// Returns a text, whose first line has the number `first_line`, without what is no Markdown in it, and what was taken out.
pub fn to_markdown(text: &str, first_line: usize) -> (String, Vec<Remark>) {
    let mut reader = Reader {
        text,
        place: 0,
        markdown: String::with_capacity(text.len()),
        remarks: Remarks::about(text, first_line),
        imports: HashMap::new(),
    };
    reader.read();
    (reader.markdown, reader.remarks.finish())
}

struct Reader<'t> {
    text: &'t str,
    place: usize,
    markdown: String,
    remarks: Remarks<'t>,
    /// Files by the names under which they were imported.
    imports: HashMap<&'t str, &'t str>,
}

impl<'t> Reader<'t> {
    fn read(&mut self) {
        let mut is_at_line_start = true;
        while self.place < self.text.len() {
            let rest = &self.text[self.place..];
            let taken = match is_at_line_start {
                true => self.block(rest),
                false => 0,
            };
            let taken = match taken {
                0 => self.inline(rest),
                taken => taken,
            };
            self.place += taken;
            is_at_line_start = self.text[..self.place].ends_with('\n');
        }
    }

    /// Takes what may stand at the start of a line, and returns how long it is.
    fn block(&mut self, rest: &'t str) -> usize {
        if let Some(length) = fence_length(rest) {
            self.markdown.push_str(&rest[..length]);
            return length;
        }
        if is_statement(rest) {
            let length = statement_length(rest);
            let statement = &rest[..length];
            if let Some((name, path)) = default_import(statement) {
                self.imports.insert(name, path);
            }
            let is_of_picture = default_import(statement).is_some_and(|(_, path)| !is_module(path));
            if !is_of_picture {
                self.remark(format!("`{}` is not taken", first_line(statement)));
            }
            self.leave_line_breaks(statement);
            return length;
        }
        0
    }

    /// Takes what stands in a line, and returns how long it is.
    fn inline(&mut self, rest: &'t str) -> usize {
        let window = &rest[..rest.floor_char_boundary(SPAN_BYTES_MAX)];
        match rest.as_bytes()[0] {
            b'`' => self.keep(rest, code_length(window)),
            b'\\' => {
                let escaped = rest.chars().nth(1).map_or(0, char::len_utf8);
                self.keep(rest, 1 + escaped)
            }
            b'{' => {
                let length = braces_length(window);
                let inside = rest[1..length].trim_end_matches('}').trim();
                if !inside.starts_with("/*") && !inside.is_empty() {
                    self.remark(format!("`{{{}}}` is not worked out", first_line(inside)));
                }
                self.leave_line_breaks(&rest[..length]);
                length
            }
            b'<' => match component(window) {
                Some(component) => {
                    self.component(&component, &rest[..component.length]);
                    component.length
                }
                None => self.keep(rest, 1),
            },
            _ => {
                let next = rest.find(['`', '\\', '{', '<', '\n']).unwrap_or(rest.len());
                let length = match rest[next..].starts_with('\n') {
                    true => next + 1,
                    false => next,
                };
                self.keep(rest, length.max(1))
            }
        }
    }

    fn keep(&mut self, rest: &str, length: usize) -> usize {
        self.markdown.push_str(&rest[..length]);
        length
    }

    fn component(&mut self, component: &Component<'t>, written: &str) {
        let source = component.attribute("src").map(|source| match source {
            Attribute::Text(text) => text,
            Attribute::Expression(name) => {
                let name = name.trim();
                self.imports.get(name).copied().unwrap_or(name)
            }
        });
        match source.filter(|_| PICTURES.contains(&component.name)) {
            Some(source) => {
                let alt = match component.attribute("alt") {
                    Some(Attribute::Text(alt)) => alt,
                    _ => "",
                };
                self.markdown.push_str(&format!(
                    "![{}](<{source}>)",
                    alt.replace(['[', ']', '\n'], " ")
                ));
            }
            None if component.opens => {
                self.remark(format!("the component `{}` is not taken", component.name));
            }
            None => {}
        }
        self.leave_line_breaks(written);
    }

    fn leave_line_breaks(&mut self, taken: &str) {
        let breaks = taken.bytes().filter(|byte| *byte == b'\n');
        self.markdown.extend(breaks.map(char::from));
    }

    fn remark(&mut self, text: String) {
        self.remarks.add(self.place, text);
    }
}

/// The length of the fenced code that a text begins with, if it does.
fn fence_length(rest: &str) -> Option<usize> {
    let indent = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let mark = rest[indent..]
        .chars()
        .next()
        .filter(|mark| "`~".contains(*mark))?;
    let fence = |line: &str| {
        let line = line.trim_start();
        line.len() - line.trim_start_matches(mark).len()
    };
    let count = fence(rest);
    let mut lines = rest.split_inclusive('\n');
    let opening = lines.next().filter(|_| count >= 3)?;
    let mut length = opening.len();
    for line in lines {
        length += line.len();
        if fence(line) >= count && line.trim().trim_start_matches(mark).is_empty() {
            break;
        }
    }
    Some(length)
}

/// Whether a text begins with a statement of a module, and not with a sentence about imports.
fn is_statement(rest: &str) -> bool {
    let line = first_line(rest);
    let is_import = line.strip_prefix("import ").is_some_and(|rest| {
        let rest = rest.trim_start();
        rest.starts_with(['"', '\'', '{', '*'])
            || line.contains(" from ") && line.contains(['"', '\''])
    });
    let is_export = line.strip_prefix("export ").is_some_and(|rest| {
        let words = [
            "const ",
            "let ",
            "var ",
            "default ",
            "function ",
            "async ",
            "class ",
            "{",
            "*",
        ];
        words.iter().any(|word| rest.trim_start().starts_with(word))
    });
    is_import || is_export
}

/// A statement goes on to the next blank line, or to the next line that begins another one.
fn statement_length(rest: &str) -> usize {
    let mut length = 0;
    for line in rest.split_inclusive('\n') {
        if length > 0 && (line.trim().is_empty() || is_statement(line)) {
            break;
        }
        length += line.len();
    }
    length
}

/// The name and the path of `import name from "path"`.
fn default_import(statement: &str) -> Option<(&str, &str)> {
    let (name, path) = statement.strip_prefix("import ")?.split_once(" from ")?;
    let path = path.trim().trim_end_matches(';').trim_matches(['"', '\'']);
    let name = name.trim();
    let is_name = name
        .chars()
        .all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    is_name.then_some((name, path))
}

/// Whether a path leads to code rather than to a picture.
fn is_module(path: &str) -> bool {
    let pictures = ["jpg", "jpeg", "png", "gif", "webp", "avif", "svg"];
    !path
        .rsplit_once('.')
        .is_some_and(|(_, extension)| pictures.contains(&extension.to_ascii_lowercase().as_str()))
}

/// The length of the code span that a text begins with; of its backticks when the span is not closed.
fn code_length(rest: &str) -> usize {
    let count = rest.len() - rest.trim_start_matches('`').len();
    let paragraph = rest.find("\n\n").unwrap_or(rest.len());
    let mut place = count;
    while let Some(found) = rest[place..paragraph.max(place)].find('`') {
        let start = place + found;
        let length = rest[start..].len() - rest[start..].trim_start_matches('`').len();
        place = start + length;
        if length == count {
            return place;
        }
    }
    count
}

/// The length of the expression in braces that a text begins with; of the brace when it is not closed.
fn braces_length(rest: &str) -> usize {
    let mut depth = 0;
    let mut quote = None;
    for (place, character) in rest.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') if depth > 0 => quote = Some(character),
            (None, '{') => depth += 1,
            (None, '}') => {
                depth -= 1;
                if depth == 0 {
                    return place + 1;
                }
            }
            _ => {}
        }
        if depth > DEPTH_MAX {
            break;
        }
    }
    1
}

/// The tag of a component.
struct Component<'t> {
    name: &'t str,
    attributes: Vec<(&'t str, Attribute<'t>)>,
    opens: bool,
    length: usize,
}

#[derive(Clone, Copy)]
enum Attribute<'t> {
    Text(&'t str),
    Expression(&'t str),
}

impl<'t> Component<'t> {
    fn attribute(&self, name: &str) -> Option<Attribute<'t>> {
        let mut attributes = self.attributes.iter();
        attributes
            .find(|(known, _)| *known == name)
            .map(|(_, value)| *value)
    }
}

/// The tag that a text begins with, if it is that of a component or of a fragment.
fn component(rest: &str) -> Option<Component<'_>> {
    let inside = rest.strip_prefix('<')?;
    let opens = !inside.starts_with('/');
    let inside = inside.strip_prefix('/').unwrap_or(inside);
    let name_length = inside
        .find(|letter: char| !(letter.is_alphanumeric() || "._".contains(letter)))
        .unwrap_or(inside.len());
    let name = &inside[..name_length];
    let is_component = name.starts_with(|letter: char| letter.is_ascii_uppercase())
        || (name.is_empty() && inside.starts_with('>'))
        || name.contains('.');
    if !is_component {
        return None;
    }
    let mut attributes = Vec::new();
    let mut place = rest.len() - inside.len() + name_length;
    loop {
        place += rest[place..].len() - rest[place..].trim_start().len();
        let here = &rest[place..];
        let first = here.chars().next()?;
        match first {
            '>' => break,
            '{' => place += braces_length(here),
            '/' | '=' => place += 1,
            _ => {
                let (attribute, length) = attribute(here)?;
                attributes.push(attribute);
                place += length;
            }
        }
    }
    Some(Component {
        name,
        attributes,
        opens,
        length: place + 1,
    })
}

/// The attribute that a text begins with, and how long it is.
fn attribute(here: &str) -> Option<((&str, Attribute<'_>), usize)> {
    let name_length = here
        .find(|letter: char| letter.is_whitespace() || "=>/{\"'".contains(letter))
        .filter(|length| *length > 0)?;
    let (name, rest) = here.split_at(name_length);
    let Some(value) = rest.strip_prefix('=') else {
        return Some(((name, Attribute::Text("")), name_length));
    };
    let before = name_length + 1;
    match value.chars().next()? {
        quote @ ('"' | '\'') => {
            let end = value[1..].find(quote)?;
            let text = &value[1..=end];
            Some(((name, Attribute::Text(text)), before + end + 2))
        }
        '{' => {
            let length = braces_length(value);
            let expression = &value[1..length.max(2) - 1];
            Some(((name, Attribute::Expression(expression)), before + length))
        }
        _ => None,
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn converted(mdx: &str) -> String {
        to_markdown(mdx, 1).0
    }

    #[test]
    fn statements_components_and_expressions_go_and_what_they_hold_stays() {
        let mdx = "import Note from '../components/Note.astro';\nexport const a = {\n  b: 1,\n};\n\n\
                   # Hello\n\n<Note type=\"tip\" on={() => 1 > 0}>\n  Mind the **gap**.\n</Note>\n\n\
                   Now {frontmatter.title}{/* no */} <b>bold</b> <Deep.er />.\n";

        let (markdown, remarks) = to_markdown(mdx, 1);

        assert_eq!(
            markdown,
            "\n\n\n\n\n# Hello\n\n\n  Mind the **gap**.\n\n\nNow  <b>bold</b> .\n"
        );
        let told: Vec<String> = remarks
            .iter()
            .map(|remark| format!("{}: {}", remark.line, remark.text))
            .collect();
        assert_eq!(
            told,
            [
                "1: `import Note from '../components/Note.astro';` is not taken",
                "2: `export const a = {` is not taken",
                "8: the component `Note` is not taken",
                "12: `{frontmatter.title}` is not worked out",
                "12: the component `Deep.er` is not taken",
            ]
        );
    }

    #[test]
    fn a_component_that_shows_a_picture_becomes_one() {
        let mdx = "import { Image } from 'astro:assets';\nimport quay from '../../assets/quay.png';\n\n\
                   <Image src={quay} alt=\"The [old] quay\" />\n<Image src=\"/deck.jpg\"/>\n";
        assert_eq!(
            converted(mdx),
            "\n\n\n![The  old  quay](<../../assets/quay.png>)\n![](</deck.jpg>)\n"
        );
    }

    #[test]
    fn code_is_left_as_it_is() {
        let mdx = "Use `{x}` and ``<Note/> ` {y}``.\n\n```jsx\nimport a from 'b';\n<Note>{z}</Note>\n```\n\n\\{kept} 1 < 2\n";
        assert_eq!(converted(mdx), mdx);
    }

    #[test]
    fn sentences_are_no_statements() {
        let mdx = "import taxes rose\nexport of tea\n";
        assert_eq!(converted(mdx), mdx);
    }

    #[test]
    fn what_is_not_closed_stays() {
        for mdx in [
            "{ open",
            "<Note a={",
            "<Note",
            "`open {",
            "<",
            "{",
            "\\",
            "```\n{a}",
        ] {
            let (markdown, _) = to_markdown(mdx, 1);
            assert_eq!(
                markdown.matches('\n').count(),
                mdx.matches('\n').count(),
                "{mdx}"
            );
        }
    }

    proptest! {
        #[test]
        fn whatever_there_is_lines_keep_their_numbers(mdx in "(import a from '[a.]'|export const|<[A-Za]|/>|=\"|[\n{}`<>é\\\\\"' a])*") {
            let (markdown, _) = to_markdown(&mdx, 1);
            prop_assert_eq!(markdown.matches('\n').count(), mdx.matches('\n').count());
        }
    }
}
