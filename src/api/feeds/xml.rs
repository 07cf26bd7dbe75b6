//! XML documents in memory.

use std::{borrow::Cow, io};

use quick_xml::{
    Writer,
    events::{BytesCData, BytesDecl, BytesText, Event},
};

/// Returns a document that contains only the XML declaration.
pub(super) fn document() -> Writer<Vec<u8>> {
    let mut xml = Writer::new(Vec::new());
    let declaration = BytesDecl::new("1.0", Some("UTF-8"), None);
    xml.write_event(Event::Decl(declaration))
        .expect("invariant: writing to memory does not fail");
    xml
}

/// Appends an element with this text, without the characters that XML does not allow.
pub(super) fn text(xml: &mut Writer<Vec<u8>>, name: &str, text: &str) -> io::Result<()> {
    let element = xml.create_element(name);
    element.write_text_content(BytesText::new(&valid(text)))?;
    Ok(())
}

/// Appends an element with this text as CDATA, without the characters that XML does not allow.
pub(super) fn cdata(xml: &mut Writer<Vec<u8>>, name: &str, text: &str) -> io::Result<()> {
    let element = xml.create_element(name);
    if text.is_empty() {
        element.write_empty()?;
        return Ok(());
    }
    let text = valid(text);
    element.write_inner_content(|xml| {
        // A text with `]]>` is split into several sections.
        for section in BytesCData::escaped(&text) {
            xml.write_event(Event::CData(section))?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Returns `text` without the characters that an XML 1.0 document must not contain, not even escaped (section 2.2).
fn valid(text: &str) -> Cow<'_, str> {
    let is_invalid = |character: char| matches!(character, '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    if text.contains(is_invalid) {
        Cow::Owned(text.replace(is_invalid, ""))
    } else {
        Cow::Borrowed(text)
    }
}
