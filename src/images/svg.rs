//! Removes active content from SVG images: such an image is a document, and may contain scripts, links
//! and whole pages.
//!
//! [svg-hush](https://github.com/cloudflare/svg-hush) keeps the elements and attributes that it knows to
//! be harmless, and URLs within the document. Entities are expanded within limits.

use std::io::{self, Read, Write};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use svg_hush::{Filter, data_url_filter};

use super::{
    ImageError, Memory,
    svg_bounds::{self, Extent, SVG_BYTES_MAX},
};

/// The start of an SVG element. Without one there is nothing to show.
const ELEMENT: &[u8] = b"<svg";

const NAMESPACE: &[u8] = b" xmlns=\"http://www.w3.org/2000/svg\"";

/// Returns an SVG image without scripts, event handlers, `foreignObject`s and external URLs. `open` is
/// called twice: the first reader determines the memory for cleaning the image, and the second one is
/// read after that is reserved from `memory`.
///
/// # Errors
///
/// `Unreadable` if it is not an SVG image, or nothing remains of it; `TooLarge` if it is longer than 16
/// MiB, is nested too deeply, or its entities more than double its length; `Changing` if the second
/// reader returns a larger image; `File` if it cannot be read; and the errors of [`Memory::take`].
pub fn clean<R: Read>(
    open: impl Fn() -> io::Result<R>,
    memory: &Memory,
) -> Result<Vec<u8>, ImageError> {
    let mut extent = Extent::default();
    io::copy(&mut open()?.take(SVG_BYTES_MAX as u64 + 1), &mut extent)?;
    if extent.bytes > SVG_BYTES_MAX as u64 {
        return Err(too_large());
    }
    let _memory = memory.take(extent.memory_bytes())?;
    let mut image = Vec::with_capacity(usize::try_from(extent.bytes).unwrap_or(0));
    // At most as many bytes as memory is reserved for, even if the file has grown.
    open()?.take(extent.bytes).read_to_end(&mut image)?;
    // The file was replaced in between, and the new one may need more memory than is reserved.
    if Extent::of(&image).memory_bytes() > extent.memory_bytes() {
        return Err(ImageError::Changing);
    }
    svg_bounds::check(&image)?;
    filter(&image)
}

/// Cleans an SVG image that is compressed with gzip, and compresses the result.
///
/// # Errors
///
/// The errors of [`clean`]; `Unreadable` also if the image is not compressed.
pub fn clean_compressed<R: Read>(
    open: impl Fn() -> io::Result<R>,
    memory: &Memory,
) -> Result<Vec<u8>, ImageError> {
    let cleaned = clean(|| Ok(GzDecoder::new(open()?)), memory).map_err(|error| match error {
        ImageError::File(damage) if is_of_content(&damage) => {
            ImageError::Unreadable(damage.to_string())
        }
        other => other,
    })?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&cleaned)?;
    Ok(encoder.finish()?)
}

/// Returns whether an error is caused by damaged compressed content, not by the disk.
fn is_of_content(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
    )
}

fn filter(image: &[u8]) -> Result<Vec<u8>, ImageError> {
    let mut filter = Filter::new();
    filter.set_data_url_filter(data_url_filter::allow_standard_images);
    let mut out = BoundedOutput(Vec::new());
    let filtered = filter.filter(image, &mut out);
    // Checked before the error: output that is too long fails as a write error.
    if out.0.len() >= SVG_BYTES_MAX {
        return Err(too_large());
    }
    filtered.map_err(|error| {
        let source = std::error::Error::source(&error).map(ToString::to_string);
        ImageError::Unreadable(source.unwrap_or_else(|| error.to_string()))
    })?;
    let mut out = out.0;
    disarm_image_functions(&mut out);
    match memchr::memmem::find(&out, ELEMENT) {
        Some(start) => {
            declare_namespace(&mut out, start + ELEMENT.len());
            Ok(out)
        }
        None => Err(ImageError::Unreadable(
            "it contains nothing that can be shown".to_owned(),
        )),
    }
}

/// Declares the SVG namespace in the start tag whose name ends at `name_end`, since the filter removes
/// the prefix of a root element and the declaration of that prefix.
fn declare_namespace(image: &mut Vec<u8>, name_end: usize) {
    let attributes = &image[name_end..];
    let attributes = &attributes[..memchr::memchr(b'>', attributes).unwrap_or(attributes.len())];
    if memchr::memmem::find(attributes, b" xmlns=").is_none() {
        image.splice(name_end..name_end, NAMESPACE.iter().copied());
    }
}

/// CSS functions that load a URL given as a string (CSS Images 4; CSS Values 5).
const IMAGE_FUNCTIONS: [&[u8]; 4] = [b"image-set", b"-webkit-image-set", b"image", b"src"];

/// Renames these functions in attributes and style sheets, so that they load nothing. The output of the
/// filter contains no backslashes, so their names cannot be escaped.
fn disarm_image_functions(image: &mut [u8]) {
    let mut in_tag = false;
    let mut in_style = false;
    for offset in 0..image.len() {
        match image[offset] {
            b'<' => {
                in_tag = true;
                let tag = &image[offset + 1..];
                // Remains true after the tag, because the text up to the next tag is CSS.
                in_style = tag.starts_with(b"style") || tag.starts_with(b"svg:style");
            }
            b'>' => in_tag = false,
            b'(' if in_tag || in_style => {
                let is_name =
                    |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
                let length = image[..offset]
                    .iter()
                    .rev()
                    .take_while(|byte| is_name(byte))
                    .count();
                let name = &mut image[offset - length..offset];
                if IMAGE_FUNCTIONS
                    .iter()
                    .any(|known| name.eq_ignore_ascii_case(known))
                {
                    // A name of the same length, so that offsets stay valid. CSS ignores functions
                    // that it does not know.
                    name.fill(b'x');
                }
            }
            _ => {}
        }
    }
}

fn too_large() -> ImageError {
    ImageError::TooLarge(format!("an SVG image has at most {SVG_BYTES_MAX} bytes"))
}

/// Accepts [`SVG_BYTES_MAX`] bytes and no more.
struct BoundedOutput(Vec<u8>);

impl Write for BoundedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let free = SVG_BYTES_MAX - self.0.len();
        let taken = &bytes[..bytes.len().min(free)];
        self.0.extend_from_slice(taken);
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(image: &[u8]) -> Result<Vec<u8>, ImageError> {
        super::clean(|| Ok(image), &Memory::new(1 << 30))
    }

    fn clean_compressed(image: &[u8]) -> Result<Vec<u8>, ImageError> {
        super::clean_compressed(|| Ok(image), &Memory::new(1 << 30))
    }

    #[test]
    fn elements_are_bounded_in_depth_and_memory_is_taken_for_all() {
        let deep = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\">{}",
            "<x>".repeat(1 << 20)
        );
        let refused = super::clean(|| Ok(deep.as_bytes()), &Memory::new(256 << 20));
        assert!(
            matches!(refused, Err(ImageError::TooLarge(_))),
            "{refused:?}"
        );
        let wide = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\">{}</svg>",
            "<x/>".repeat(100_000)
        );
        let refused = super::clean(|| Ok(wide.as_bytes()), &Memory::new(1 << 20));
        assert!(
            matches!(refused, Err(ImageError::NeedsMemory { .. })),
            "{refused:?}"
        );
    }

    fn cleaned(inside: &str) -> String {
        let image = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"9\">{inside}<circle r=\"5\"/></svg>"
        );
        let cleaned = String::from_utf8(clean(image.as_bytes()).unwrap()).unwrap();
        assert!(
            cleaned.contains("<circle") && cleaned.contains("width=\"9\""),
            "{cleaned}"
        );
        cleaned
    }

    #[test]
    fn root_element_with_a_prefix_keeps_its_namespace() {
        let image = "<s:svg xmlns:s=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"9\">\
            <s:circle id=\"a\" r=\"5\"/><s:use xlink:href=\"#a\"/></s:svg>";
        let cleaned = String::from_utf8(clean(image.as_bytes()).unwrap()).unwrap();
        assert!(
            cleaned.contains("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\">"),
            "{cleaned}"
        );
    }

    #[test]
    fn active_content_and_external_urls_are_removed() {
        for harm in [
            "<script>harm()</script>",
            "<script href=\"//harm.example/a.js\"/>",
            "<rect onload=\"harm()\"/>",
            "<rect ONCLICK=\"harm()\"/>",
            "<a xlink:href=\"javascript:harm()\"><rect/></a>",
            "<a xlink:href=\" java&#10;script:harm()\"><rect/></a>",
            "<a href=\"https://harm.example/\"><rect/></a>",
            "<a href=\"data:text/html,harm\"><rect/></a>",
            "<image href=\"https://harm.example/a.png\"/>",
            "<image href=\"data:image/svg+xml,harm\"/>",
            "<use href=\"//harm.example/a.svg#a\"/>",
            "<foreignObject><iframe xmlns=\"http://www.w3.org/1999/xhtml\" src=\"//harm.example/\"/></foreignObject>",
            "<iframe src=\"//harm.example/\"/>",
            "<style>@import '//harm.example/a.css';</style>",
            "<style>rect { fill: url(https://harm.example/a) }</style>",
            "<rect style=\"background: url('//harm.example/a')\"/>",
            "<rect fill=\"url(//harm.example/a#a)\"/>",
            "<style>@\\69mport '//harm.example/a.css';</style>",
            "<handler>harm()</handler>",
            "<!-- harm -->",
            "<?harm?>",
        ] {
            let cleaned = cleaned(harm);
            assert!(!cleaned.contains("harm"), "{harm}: {cleaned}");
        }
    }

    #[test]
    fn css_functions_load_nothing() {
        for (style, function) in [
            (
                "background: image-set('//harm.example/a.png' 1x)",
                "image-set(",
            ),
            (
                "background: -WEBKIT-Image-Set(\"//harm.example/a.png\" 1x)",
                "image-set(",
            ),
            ("background: image('//harm.example/a.png')", "image("),
            (
                "background: \\69mage-set('//harm.example/a.png' 1x)",
                "image-set(",
            ),
            (
                "background: i\\mage-set('//harm.example/a.png' 1x)",
                "image-set(",
            ),
            ("mask: src('//harm.example/a.png')", "src("),
            ("background: url(//harm.example/a.png)", "harm"),
            ("background: u\\72l(//harm.example/a.png)", "url("),
        ] {
            let attribute = style.replace('"', "&quot;");
            for element in [
                format!("<style>rect {{ {style} }}</style>"),
                format!("<style><![CDATA[a > b {{ {style} }}]]></style>"),
                format!("<rect style=\"{attribute}\"/>"),
                format!("<rect fill=\"{}\"/>", attribute.split_once(": ").unwrap().1),
            ] {
                let cleaned = cleaned(&element);
                assert!(
                    !cleaned.to_ascii_lowercase().contains(function),
                    "{element}: {cleaned}"
                );
            }
        }
        // The filter leaves the URL, as text that loads nothing.
        let import = cleaned("<style>/**/@import/**/ url(//harm.example/a.css);</style>");
        assert!(
            !import.contains("@import") && !import.contains("url("),
            "{import}"
        );
        assert!(cleaned("<text>the image(s)</text>").contains("the image(s)"));
    }

    #[test]
    fn cleaning_is_idempotent() {
        let once =
            cleaned("<style>rect { fill: url(#a) }</style><g><text>a &lt; b</text>\n  <rect/></g>");
        assert_eq!(clean(once.as_bytes()).unwrap(), once.as_bytes());
    }

    #[test]
    fn animations_cannot_set_a_url_or_a_handler() {
        for harm in [
            "<set attributeName=\"href\" to=\"javascript:harm()\"/>",
            "<animate attributeName=\"xlink:href\" values=\"javascript:harm()\"/>",
            "<animate attributeName=\"onclick\" values=\"harm()\"/>",
        ] {
            let cleaned = cleaned(harm);
            // An animation without `attributeName` sets nothing (SVG 2 animations, section 2.3).
            assert!(!cleaned.contains("attributeName"), "{harm}: {cleaned}");
        }
    }

    #[test]
    fn shapes_and_texts_are_unchanged() {
        for shape in [
            "<g fill=\"#123\" stroke-width=\"2\"><path d=\"M0 0L1 1\"/></g>",
            "<linearGradient id=\"a\"><stop offset=\"5%\"/></linearGradient>",
            "<use href=\"#a\"/>",
            "<rect fill=\"url(#a)\"/>",
            "<text x=\"1\">Größe</text>",
        ] {
            let shown = cleaned(shape)
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            for word in shape
                .split(['<', '>', '/', ' '])
                .filter(|word| word.len() > 1)
            {
                assert!(shown.contains(word), "{word}: {shown}");
            }
        }
    }

    #[test]
    fn images_with_a_document_type_are_accepted() {
        let image = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
             <!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">\n\
             <svg xmlns=\"http://www.w3.org/2000/svg\"><circle r=\"5\"/></svg>";
        let cleaned = String::from_utf8(clean(image.as_bytes()).unwrap()).unwrap();
        assert!(cleaned.contains("<circle") && !cleaned.contains("DOCTYPE"));
    }

    #[test]
    fn entities_are_expanded_within_bounds() {
        let mut image = "<!DOCTYPE svg [<!ENTITY a0 \"harmharmharmharm\">".to_owned();
        for level in 1..20 {
            let below = format!("&a{};", level - 1).repeat(10);
            image += &format!("<!ENTITY a{level} \"{below}\">");
        }
        image += "]><svg xmlns=\"http://www.w3.org/2000/svg\"><text>&a19;</text></svg>";
        assert!(clean(image.as_bytes()).is_err());
        let file = "<!DOCTYPE svg [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>\
             <svg xmlns=\"http://www.w3.org/2000/svg\"><text>&a;</text></svg>";
        let cleaned = clean(file.as_bytes()).unwrap_or_default();
        assert!(!String::from_utf8(cleaned).unwrap().contains("root"));
    }

    #[test]
    fn other_documents_are_refused() {
        for other in [
            "",
            "words",
            "<svg><script>x</script>",
            "<svg></svg>",
            "<html xmlns=\"http://www.w3.org/1999/xhtml\"><script>x</script></html>",
            "\u{89}PNG",
        ] {
            assert!(clean(other.as_bytes()).is_err(), "{other}");
        }
    }

    #[test]
    fn compressed_images_are_cleaned_and_compressed_again() {
        let image =
            b"<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"harm()\"><circle r=\"5\"/></svg>";
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(image).unwrap();
        let cleaned = clean_compressed(&encoder.finish().unwrap()).unwrap();
        let mut decompressed = String::new();
        GzDecoder::new(&cleaned[..])
            .read_to_string(&mut decompressed)
            .unwrap();
        assert!(decompressed.contains("<circle") && !decompressed.contains("harm"));
        assert!(clean_compressed(image).is_err());
        let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
        bomb.write_all(&vec![b' '; SVG_BYTES_MAX + 1]).unwrap();
        assert!(matches!(
            clean_compressed(&bomb.finish().unwrap()),
            Err(ImageError::TooLarge(_))
        ));
    }
}
