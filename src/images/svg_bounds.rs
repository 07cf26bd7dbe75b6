//! Limits the size of an SVG image while it is cleaned: entities are expanded at each reference,
//! each open element is held in memory, and its names are looked up in all enclosing elements.

use std::io::{self, Write};

use memchr::memmem;
use quick_xml::{Reader, events::Event};

use super::ImageError;

/// Memory that cleaning takes for each byte of the image, in bytes: texts and attribute values are
/// copied several times.
const BYTE_FACTOR: u64 = 8;

/// Memory that cleaning takes for an open element, in bytes: its name, including the namespace.
const ELEMENT_BYTES: u64 = 2 << 10;

/// Maximum length of an SVG image before and after cleaning, in bytes.
pub const SVG_BYTES_MAX: usize = 16 << 20;

/// Maximum number of elements that are open at the same time.
const DEPTH_MAX: usize = 512;

/// Maximum number of namespaces that open elements declare.
const NAMESPACES_MAX: usize = 256;

/// The beginning of a document type.
const DOCTYPE: &[u8] = b"<!DOCTYPE";

/// The beginning of the declaration of an entity.
const ENTITY: &[u8] = b"<!ENTITY";

/// The same keyword in UTF-16, in either byte order.
const WIDE_ENTITY: &[u8] = b"E\0N\0T\0I\0T\0Y";

/// The beginnings of references to a single character.
const CHARACTERS: [&[u8]; 6] = [b"#", b"amp;", b"lt;", b"gt;", b"quot;", b"apos;"];

/// The length of an image, and an upper bound for the number of its elements.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Its length in bytes.
    pub bytes: u64,
    elements: u64,
    ends_with_bracket: bool,
}

impl Extent {
    /// Returns the extent of an image.
    pub fn of(image: &[u8]) -> Self {
        let mut extent = Self::default();
        extent.add(image);
        extent
    }

    /// Returns an upper bound for the memory that cleaning the image takes, in bytes.
    pub fn memory_bytes(self) -> u64 {
        // Each element begins and ends on a separate line, indented by the number of open elements.
        // The cleaned image is copied while its buffer grows.
        let open = self.elements.min(DEPTH_MAX as u64);
        let indented = 4 * self.elements * open;
        let cleaned = (2 * self.bytes + indented).min(SVG_BYTES_MAX as u64);
        BYTE_FACTOR * self.bytes + ELEMENT_BYTES * open + 2 * cleaned
    }

    /// Counts each `<`, except in `</`.
    fn add(&mut self, image: &[u8]) {
        for byte in image {
            self.elements += u64::from(*byte == b'<');
            self.elements -= u64::from(self.ends_with_bracket && *byte == b'/');
            self.ends_with_bracket = *byte == b'<';
        }
        self.bytes += image.len() as u64;
    }
}

impl Write for Extent {
    fn write(&mut self, image: &[u8]) -> io::Result<usize> {
        self.add(image);
        Ok(image.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Checks the potential size of an image before it is cleaned.
///
/// # Errors
///
/// `TooLarge` if elements are nested too deeply or entities too long; `Unreadable` if the document
/// type contains declarations that no image needs.
pub fn check(image: &[u8]) -> Result<(), ImageError> {
    // All of them, because only a parser knows which one is the document type.
    for begin in memmem::find_iter(image, DOCTYPE) {
        if !is_simple_doctype(&image[begin + DOCTYPE.len()..]) {
            let why = "its document type declares more than entities and attributes";
            return Err(ImageError::Unreadable(why.to_owned()));
        }
    }
    check_entities(image)?;
    check_nesting(image)
}

/// Returns whether a document type has only declarations that all parsers interpret in the same way:
/// without comments, processing instructions, and brackets in texts.
fn is_simple_doctype(declared: &[u8]) -> bool {
    let Some(end) = memchr::memchr2(b'[', b'>', declared) else {
        return false;
    };
    if declared[end] == b'>' {
        return are_quotes_closed(&declared[..end]);
    }
    let mut rest = declared[end + 1..].trim_ascii_start();
    while let Some(declaration) = rest.strip_prefix(b"<!") {
        let Some(end) = memchr::memchr(b'>', declaration) else {
            return false;
        };
        let declaration = &declaration[..end];
        // A parser that finds another end of the document type would see other entities than this
        // function.
        let has_brackets = memchr::memchr3(b'<', b'[', b']', declaration).is_some();
        let is_named = declaration.first().is_some_and(u8::is_ascii_uppercase);
        if has_brackets || !is_named || !are_quotes_closed(declaration) {
            return false;
        }
        rest = rest[2 + end + 1..].trim_ascii_start();
    }
    let rest = rest.strip_prefix(b"]").map(<[u8]>::trim_ascii_start);
    rest.is_some_and(|rest| rest.starts_with(b">"))
}

/// Returns whether all quoted texts are closed.
fn are_quotes_closed(mut text: &[u8]) -> bool {
    while let Some(begin) = memchr::memchr2(b'"', b'\'', text) {
        let quoted = &text[begin + 1..];
        let Some(end) = memchr::memchr(text[begin], quoted) else {
            return false;
        };
        text = &quoted[end + 1..];
    }
    true
}

/// Checks how deeply elements are nested, and how many namespaces they declare.
///
/// # Errors
///
/// `TooLarge` if more than 512 elements are open at the same time, or they declare more than 256
/// namespaces.
fn check_nesting(image: &[u8]) -> Result<(), ImageError> {
    match is_shallow(image) {
        Some(true) => Ok(()),
        // If it is malformed or in UTF-16, all of its elements may be open at the same time.
        None if Extent::of(image).elements <= DEPTH_MAX as u64 => Ok(()),
        _ => Err(ImageError::TooLarge(format!(
            "its elements are nested more than {DEPTH_MAX} deep, or declare more than {NAMESPACES_MAX} namespaces"
        ))),
    }
}

/// Returns whether nesting and namespaces are within the limits; `None` if the image cannot be
/// parsed.
fn is_shallow(image: &[u8]) -> Option<bool> {
    // Text in UTF-16 contains zero bytes.
    if memchr::memchr(0, image).is_some() {
        return None;
    }
    // Only ASCII matters here, so other characters are replaced whatever their encoding.
    let ascii = |byte: &u8| if byte.is_ascii() { *byte as char } else { '?' };
    let image: String = image.iter().map(ascii).collect();
    let mut reader = Reader::from_str(&image);
    // An unmatched end tag must not stop the parser: all elements would then count as open.
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    let mut open = Vec::new();
    let mut namespaces = 0;
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) => {
                let declared = memmem::find_iter(tag.as_bytes(), b"xmlns").count();
                open.push(declared);
                namespaces += declared;
            }
            Event::Empty(tag) => {
                let declared = memmem::find_iter(tag.as_bytes(), b"xmlns").count();
                // The element ends here, so its namespaces do not count for the following ones.
                if namespaces + declared > NAMESPACES_MAX {
                    return Some(false);
                }
            }
            Event::End(_) => namespaces -= open.pop().unwrap_or(0),
            Event::Eof => return Some(true),
            _ => {}
        }
        if open.len() > DEPTH_MAX || namespaces > NAMESPACES_MAX {
            return Some(false);
        }
    }
}

/// Checks that the entities of an image at most double its length, and contain only text.
///
/// # Errors
///
/// `TooLarge` if they expand to more; `Unreadable` if one contains elements or other entities.
fn check_entities(image: &[u8]) -> Result<(), ImageError> {
    if memmem::find(image, WIDE_ENTITY).is_some() {
        return Err(ImageError::Unreadable(
            "it has entities in UTF-16".to_owned(),
        ));
    }
    let mut longest = 0;
    for begin in memmem::find_iter(image, ENTITY) {
        let declared = &image[begin + ENTITY.len()..];
        let value = value(declared);
        if memchr::memchr3(b'<', b'&', b'%', value).is_some() {
            let why = "an entity contains elements or other entities";
            return Err(ImageError::Unreadable(why.to_owned()));
        }
        longest = longest.max(value.len());
    }
    if longest == 0 {
        return Ok(());
    }
    let is_entity = |offset: &usize| {
        let name = &image[offset + 1..];
        !CHARACTERS
            .iter()
            .any(|character| name.starts_with(character))
    };
    let references = memchr::memchr_iter(b'&', image).filter(is_entity).count();
    // An upper bound: as if each reference were to the longest entity.
    if references.saturating_mul(longest) > image.len().max(SHORT_BYTES) {
        return Err(ImageError::TooLarge(
            "its entities double its length".to_owned(),
        ));
    }
    Ok(())
}

/// Number of bytes to which entities may expand in an image that is shorter.
const SHORT_BYTES: usize = 64 << 10;

/// Returns the value of an entity: the first quoted text after its name, or everything if the quotes
/// are not closed.
fn value(declared: &[u8]) -> &[u8] {
    let Some(begin) = memchr::memchr2(b'"', b'\'', declared) else {
        return &[];
    };
    let (quote, value) = (declared[begin], &declared[begin + 1..]);
    let end = memchr::memchr(quote, value).unwrap_or(value.len());
    &value[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_entity(value: &str, text: &str) -> String {
        format!("<!DOCTYPE svg [<!ENTITY a \"{value}\">]><svg><text>{text}</text></svg>")
    }

    #[test]
    fn entities_are_texts_that_are_named_a_few_times() {
        let namespace = "http://www.w3.org/2000/svg";
        let is_accepted = |image: &str| check_entities(image.as_bytes()).is_ok();
        assert!(is_accepted(&with_entity(namespace, "&a;&amp;&#60;")));
        for nested in ["<g>", "&b;", "&#60;g>", "%b;"] {
            assert!(!is_accepted(&with_entity(nested, "&a;")), "{nested}");
        }
        let long = "x".repeat(10_000);
        assert!(is_accepted(&with_entity(&long, "&a;")));
        assert!(!is_accepted(&with_entity(&long, &"&a;".repeat(30))));
        assert!(is_accepted(&with_entity(&long, &"&amp;".repeat(30))));
        // Not closed: everything after it.
        let open = format!("<!ENTITY a '{}&", "x".repeat(10));
        assert!(!is_accepted(&open));
    }

    #[test]
    fn document_type_is_one_that_all_readers_understand() {
        for (declared, is_accepted) in [
            (" svg>", true),
            (" svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" 'a.dtd'>", true),
            (
                " svg [ <!ENTITY a \"b\">\n<!ATTLIST svg a CDATA #FIXED 'b'> ] >",
                true,
            ),
            (" svg []>", true),
            (" svg [ \"]><![CDATA[\" ]>", false),
            (" svg [<!-- ]> -->]>", false),
            (" svg [<!ENTITY a \"]>\">]>", false),
            (" svg [<?a ]>?>]>", false),
            (" svg [%a;]>", false),
            (" svg PUBLIC \"[\">", false),
            (" svg \"a>", false),
            (" svg", false),
        ] {
            assert_eq!(
                is_simple_doctype(declared.as_bytes()),
                is_accepted,
                "{declared}"
            );
        }
    }

    #[test]
    fn elements_are_nested_within_bounds() {
        let is_accepted = |image: &[u8]| check_nesting(image).is_ok();
        assert!(is_accepted("<g>".repeat(DEPTH_MAX).as_bytes()));
        assert!(!is_accepted("<g>".repeat(DEPTH_MAX + 1).as_bytes()));
        assert!(is_accepted(
            "<g><!-- <g> --></g><g/>".repeat(2_000).as_bytes()
        ));
        assert!(!is_accepted(
            "<g><!-- </g> --><a b='/>'>".repeat(600).as_bytes()
        ));
        assert!(is_accepted("<g xmlns:a='b'></g>".repeat(2_000).as_bytes()));
        assert!(!is_accepted(
            "<g xmlns:a='b'>".repeat(NAMESPACES_MAX + 1).as_bytes()
        ));
        let wide: Vec<u8> = "<g></g>"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert!(is_accepted(&wide) && !is_accepted(&wide.repeat(600)));
        assert!(!is_accepted("<g><![CDATA[".repeat(600).as_bytes()));
    }

    #[test]
    fn elements_are_counted_whatever_comments_contain() {
        let elements = |image: &str| Extent::of(image.repeat(1000).as_bytes()).elements;
        assert_eq!(elements("<g>"), 1000);
        assert_eq!(elements("<g></g>"), 1000);
        assert!(elements("<g><!--</-->") >= 1000);
        let mut parts = Extent::default();
        for part in ["<g", "><", "/g>"] {
            parts.write_all(part.as_bytes()).unwrap();
        }
        assert_eq!(parts, Extent::of(b"<g></g>"));
    }
}
