//! Expands the tags of Pelican's plugin `liquid_tags`: `{% img left /images/a.png 300 %}`, `{% youtube ID %}`.

use crate::generators::{
    pelican::settings,
    syntax::{
        ExpandedText, ExpansionScope,
        arguments::{Arguments, Notation},
        catalogue::{self, TagRendering},
        code::{Code, ends_paragraph},
        escape::html,
        writer::ExpansionWriter,
    },
};

/// Maximum length of a tag, in bytes. Longer ones are text.
const TAG_BYTES_MAX: usize = 4_000;

/// The extensions of images.
const IMAGES: [&str; 7] = ["png", "jpg", "jpeg", "gif", "svg", "webp", "avif"];

/// The names of tags that the shared catalogue renders.
const KNOWN: [&str; 4] = ["gist", "vimeo", "youtube", "tweet"];

/// The names of template tags, which the plugin leaves unchanged.
const OF_TEMPLATES: [&str; 10] = [
    "block", "else", "endblock", "endfor", "endif", "extends", "for", "if", "include", "set",
];

/// A tag: `{% name arguments %}`.
struct LiquidTag<'t> {
    name: &'t str,
    arguments: &'t str,
    end: usize,
}

/// Expands the tags if the project has the plugin. As the plugin runs before Markdown is parsed, `literal` is also expanded
/// in code.
pub(super) fn pass(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    let mut writer = ExpansionWriter::new(text);
    if !scope.environment.site.contains_key(settings::LIQUID_TAGS) || !text.contains("{%") {
        return writer.finish();
    }
    let code = Code::of(text);
    let mut offset = 0;
    while let Some(found) = text[offset..].find("{%") {
        let start = offset + found;
        offset = start + 2;
        let Some(tag) = LiquidTag::at(text, start) else {
            continue;
        };
        // This precedes the check for code, because authors document tags in code with `literal`.
        if tag.name == "literal" {
            writer.copy_to(start);
            writer.put(&format!("{{% {} %}}", tag.arguments));
            writer.skip_to(tag.end);
            offset = tag.end;
        } else if let Some(code) = code.at(start) {
            offset = code.end;
        } else if OF_TEMPLATES.contains(&tag.name) {
            offset = tag.end;
        } else {
            writer.copy_to(start);
            writer.skip_to(tag.end);
            put(&mut writer, start, &tag, scope);
            offset = tag.end;
        }
    }
    writer.finish()
}

impl<'t> LiquidTag<'t> {
    fn at(text: &'t str, start: usize) -> Option<Self> {
        let inside_start = start + 2;
        let window_end = text.floor_char_boundary(inside_start + TAG_BYTES_MAX);
        let (inside, _) = text[inside_start..window_end].split_once("%}")?;
        let end = inside_start + inside.len() + 2;
        let inside = inside.trim();
        let length = inside.find(|character: char| !is_of_name(character));
        let (name, arguments) = inside.split_at(length.unwrap_or(inside.len()));
        (!name.is_empty()).then(|| Self {
            name,
            arguments: arguments.trim(),
            end,
        })
    }
}

fn is_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_-".contains(character)
}

/// Writes the rendering of a tag. An unknown tag is dropped and reported.
fn put(
    writer: &mut ExpansionWriter<'_>,
    start: usize,
    tag: &LiquidTag<'_>,
    scope: ExpansionScope<'_>,
) {
    let name = tag.name;
    let rendering = match name {
        "video" => video(tag.arguments),
        "include_code" => {
            put_included_code(writer, start, tag.arguments, scope);
            return;
        }
        _ if KNOWN.contains(&name) => {
            let arguments = Arguments::of(tag.arguments, Notation::Words);
            match catalogue::find(name, &arguments, None, None) {
                Some(TagRendering::Block(block)) => Some(block),
                _ => None,
            }
        }
        // A site's own plugins may define other tags for images.
        _ => image(tag.arguments),
    };
    match rendering {
        Some(rendering) => put_element(writer, &rendering),
        None => {
            writer.remark(
                start,
                format!("the tag `{name}` is not known and is left out"),
            );
        }
    }
}

/// Writes an element, as a paragraph if it is alone in its paragraph.
fn put_element(writer: &mut ExpansionWriter<'_>, element: &str) {
    let is_last = ends_paragraph(&writer.source[writer.offset()..]);
    let (prefix, is_first) = writer.line_so_far();
    if is_first && is_last && prefix.trim().is_empty() {
        writer.put_block(&format!("<p>{element}</p>"));
    } else if is_first {
        // An element at the beginning of a line would start an HTML block.
        writer.put(&format!("<span>{element}</span>"));
    } else {
        writer.put(element);
    }
}

/// Renders `[classes] image.png [width] [height] [title]` or, at the end, `"title" "alternative text"`.
fn image(arguments: &str) -> Option<String> {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let index = words.iter().position(|word| is_image(word))?;
    let mut image = format!("<img src=\"{}\"", html(words[index]));
    if index > 0 {
        image.push_str(&format!(" class=\"{}\"", html(&words[..index].join(" "))));
    }
    let mut rest = words[index + 1..].iter().peekable();
    for name in ["width", "height"] {
        if let Some(size) = rest.next_if(|word| is_size(word)) {
            image.push_str(&format!(" {name}=\"{}\"", html(size)));
        }
    }
    let rest: Vec<&str> = rest.copied().collect();
    let rest = rest.join(" ");
    let quoted = Arguments::of(&rest, Notation::Words).0;
    let (title, alternative) = match quoted.as_slice() {
        [title, alternative] if title.is_quoted && alternative.is_quoted => {
            (title.value.clone(), alternative.value.clone())
        }
        [title] if title.is_quoted => (title.value.clone(), title.value.clone()),
        _ => (rest.clone(), rest),
    };
    if !title.is_empty() {
        image.push_str(&format!(" title=\"{}\"", html(&title)));
    }
    image.push_str(&format!(" alt=\"{}\">", html(&alternative)));
    Some(image)
}

fn is_image(word: &str) -> bool {
    let extension = word.rsplit_once('.').map(|(_, extension)| extension);
    let extension = extension.unwrap_or_default().to_lowercase();
    IMAGES.contains(&extension.as_str())
}

fn is_size(word: &str) -> bool {
    let number = word.trim_end_matches(['%', 'p', 'x']);
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Renders `video.mp4 [more.ogg] [width] [height] [poster.png]`.
fn video(arguments: &str) -> Option<String> {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let source = words.first().filter(|word| word.contains('.'))?;
    let mut video = format!("<video src=\"{}\"", html(source));
    let sizes = words.iter().filter(|word| is_size(word));
    for (name, size) in ["width", "height"].iter().zip(sizes) {
        video.push_str(&format!(" {name}=\"{}\"", html(size)));
    }
    if let Some(poster) = words.iter().find(|word| is_image(word)) {
        video.push_str(&format!(" poster=\"{}\"", html(poster)));
    }
    Some(format!("{video} controls></video>"))
}

/// Writes the code that `path [lang:python] [lines:2-5] [:hidefilename:] [title]` includes. Paths are relative to the folder
/// `CODE_DIR`.
fn put_included_code(
    writer: &mut ExpansionWriter<'_>,
    start: usize,
    arguments: &str,
    scope: ExpansionScope<'_>,
) {
    let mut words = arguments.split_whitespace();
    let path = words.next().unwrap_or_default();
    let folder = scope.environment.site.get(settings::CODE_FOLDER);
    let folder = folder.and_then(|folder| folder.as_str()).unwrap_or("code");
    let included = match scope.included(&format!("/{folder}/{path}")) {
        Ok(included) => included,
        Err(refusal) => {
            let message = format!("the file `{folder}/{path}` is not included: {refusal}");
            writer.remark(start, message);
            return;
        }
    };
    let (options, title): (Vec<&str>, Vec<&str>) =
        words.partition(|word| word.contains(':') && !word.ends_with(','));
    let option = |name: &str| options.iter().find_map(|option| option.strip_prefix(name));
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    let language = option("lang:").or(extension).unwrap_or_default();
    let name = path
        .rsplit('/')
        .next()
        .filter(|_| !options.contains(&":hidefilename:"));
    let title: Vec<&str> = title.into_iter().chain(name).collect();
    if !title.is_empty() && !options.contains(&":hideall:") {
        let title = html(title.join(" ").trim_matches('"'));
        writer.put_block(&format!("<div class=\"code-block-title\">{title}</div>"));
    }
    let lines = option("lines:").and_then(|lines| lines.split_once('-'));
    let (first, last) = lines.unwrap_or_default();
    let first = first.parse().unwrap_or(1_usize).saturating_sub(1);
    let last = last.parse().unwrap_or(usize::MAX);
    let code: Vec<&str> = included.text.lines().take(last).skip(first).collect();
    writer.put_fence(start, language, &code.join("\n"));
}
