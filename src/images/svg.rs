//! Drawings without anything that acts: a drawing is a document, and may hold scripts, links and whole pages.
//!
//! [svg-hush](https://github.com/cloudflare/svg-hush) keeps the elements and attributes that it knows to be harmless, and
//! addresses that lead nowhere else; entities are written out, within bounds.

use std::io::{self, Read, Write};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use svg_hush::{Filter, data_url_filter};

use super::ImageError;

/// Longest drawing, in bytes, before and after it was cleaned.
pub const SVG_BYTES_MAX: usize = 16 << 20;

/// What an element of a drawing is begun with; without any there is nothing to see.
const ELEMENT: &[u8] = b"<svg";

/// Returns a drawing without scripts, handlers, foreign objects and outside addresses.
///
/// # Errors
///
/// `Unreadable` when it is no drawing, or nothing of it is left; `TooLarge` when it is longer than [`SVG_BYTES_MAX`].
pub fn clean(drawing: &[u8]) -> Result<Vec<u8>, ImageError> {
    if drawing.len() > SVG_BYTES_MAX {
        return Err(too_large());
    }
    let mut filter = Filter::new();
    filter.set_data_url_filter(data_url_filter::allow_standard_images);
    let mut out = Bounded(Vec::new());
    let filtered = filter.filter(drawing, &mut out);
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
        Some(_) => Ok(out),
        None => Err(ImageError::Unreadable(
            "nothing of it can be shown".to_owned(),
        )),
    }
}

/// The same for a drawing that is packed with gzip.
///
/// # Errors
///
/// As [`clean`]; `Unreadable` also when it is not packed.
pub fn clean_packed(packed: &[u8]) -> Result<Vec<u8>, ImageError> {
    let mut drawing = Vec::new();
    GzDecoder::new(packed)
        .take(SVG_BYTES_MAX as u64 + 1)
        .read_to_end(&mut drawing)
        .map_err(|error| ImageError::Unreadable(error.to_string()))?;
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(&clean(&drawing)?)?;
    Ok(packer.finish()?)
}

/// CSS functions that load what a text in their brackets names (CSS Images 4; CSS Values 5).
const IMAGE_FUNCTIONS: [&[u8]; 4] = [b"image-set", b"-webkit-image-set", b"image", b"src"];

/// Renames these functions, so that they load nothing, in attributes and style sheets. In what the filter writes, nothing of
/// their names is escaped: of backslashes it leaves none.
fn disarm_image_functions(drawing: &mut [u8]) {
    let mut in_tag = false;
    let mut in_style = false;
    for place in 0..drawing.len() {
        match drawing[place] {
            b'<' => {
                in_tag = true;
                let tag = &drawing[place + 1..];
                in_style = tag.starts_with(b"style") || tag.starts_with(b"svg:style");
            }
            b'>' => in_tag = false,
            b'(' if in_tag || in_style => {
                let is_name =
                    |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
                let length = drawing[..place]
                    .iter()
                    .rev()
                    .take_while(|byte| is_name(byte))
                    .count();
                let name = &mut drawing[place - length..place];
                if IMAGE_FUNCTIONS
                    .iter()
                    .any(|known| name.eq_ignore_ascii_case(known))
                {
                    name.fill(b'x');
                }
            }
            _ => {}
        }
    }
}

fn too_large() -> ImageError {
    ImageError::TooLarge(format!("a drawing has at most {SVG_BYTES_MAX} bytes"))
}

/// Takes so many bytes and no more.
struct Bounded(Vec<u8>);

impl Write for Bounded {
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

    fn cleaned(inside: &str) -> String {
        let drawing = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"9\">{inside}<circle r=\"5\"/></svg>"
        );
        let cleaned = String::from_utf8(clean(drawing.as_bytes()).unwrap()).unwrap();
        assert!(
            cleaned.contains("<circle") && cleaned.contains("width=\"9\""),
            "{cleaned}"
        );
        cleaned
    }

    #[test]
    fn what_acts_or_leads_elsewhere_is_taken_away() {
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
    fn functions_of_css_load_nothing() {
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
    fn what_was_cleaned_stays_as_it_is() {
        let once =
            cleaned("<style>rect { fill: url(#a) }</style><g><text>a &lt; b</text>\n  <rect/></g>");
        assert_eq!(clean(once.as_bytes()).unwrap(), once.as_bytes());
    }

    #[test]
    fn what_moves_cannot_set_an_address_or_a_handler() {
        for harm in [
            "<set attributeName=\"href\" to=\"javascript:harm()\"/>",
            "<animate attributeName=\"xlink:href\" values=\"javascript:harm()\"/>",
            "<animate attributeName=\"onclick\" values=\"harm()\"/>",
        ] {
            let cleaned = cleaned(harm);
            // What does not say what it sets, sets nothing (SVG 2 animations, section 2.3).
            assert!(!cleaned.contains("attributeName"), "{harm}: {cleaned}");
        }
    }

    #[test]
    fn what_is_drawn_stays() {
        for drawn in [
            "<g fill=\"#123\" stroke-width=\"2\"><path d=\"M0 0L1 1\"/></g>",
            "<linearGradient id=\"a\"><stop offset=\"5%\"/></linearGradient>",
            "<use href=\"#a\"/>",
            "<rect fill=\"url(#a)\"/>",
            "<text x=\"1\">Größe</text>",
        ] {
            let shown = cleaned(drawn)
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            for word in drawn
                .split(['<', '>', '/', ' '])
                .filter(|word| word.len() > 1)
            {
                assert!(shown.contains(word), "{word}: {shown}");
            }
        }
    }

    #[test]
    fn drawings_of_programs_with_a_document_type_are_taken() {
        let drawing = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
             <!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">\n\
             <svg xmlns=\"http://www.w3.org/2000/svg\"><circle r=\"5\"/></svg>";
        let cleaned = String::from_utf8(clean(drawing.as_bytes()).unwrap()).unwrap();
        assert!(cleaned.contains("<circle") && !cleaned.contains("DOCTYPE"));
    }

    #[test]
    fn entities_cannot_blow_up() {
        let mut drawing = "<!DOCTYPE svg [<!ENTITY a0 \"harmharmharmharm\">".to_owned();
        for level in 1..20 {
            let below = format!("&a{};", level - 1).repeat(10);
            drawing += &format!("<!ENTITY a{level} \"{below}\">");
        }
        drawing += "]><svg xmlns=\"http://www.w3.org/2000/svg\"><text>&a19;</text></svg>";
        assert!(clean(drawing.as_bytes()).is_err());
        let file = "<!DOCTYPE svg [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>\
             <svg xmlns=\"http://www.w3.org/2000/svg\"><text>&a;</text></svg>";
        let cleaned = clean(file.as_bytes()).unwrap_or_default();
        assert!(!String::from_utf8(cleaned).unwrap().contains("root"));
    }

    #[test]
    fn what_is_no_drawing_is_refused() {
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
    fn packed_drawings_are_cleaned_and_packed_again() {
        let drawing =
            b"<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"harm()\"><circle r=\"5\"/></svg>";
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(drawing).unwrap();
        let cleaned = clean_packed(&packer.finish().unwrap()).unwrap();
        let mut unpacked = String::new();
        GzDecoder::new(&cleaned[..])
            .read_to_string(&mut unpacked)
            .unwrap();
        assert!(unpacked.contains("<circle") && !unpacked.contains("harm"));
        assert!(clean_packed(drawing).is_err());
        let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
        bomb.write_all(&vec![b' '; SVG_BYTES_MAX + 1]).unwrap();
        assert!(matches!(
            clean_packed(&bomb.finish().unwrap()),
            Err(ImageError::TooLarge(_))
        ));
    }
}
