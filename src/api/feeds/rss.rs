//! Feeds in RSS 2.0, with full texts (module `content`), authors (Dublin Core) and images (Media RSS).

use std::io;

use jiff::{Timestamp, fmt::rfc2822::DateTimePrinter};
use quick_xml::Writer;

use super::{
    feed::{Feed, FeedItem},
    xml::{document, text},
};
use crate::error::{Error, Result};

/// Minutes for which feed readers may cache the feed (Ghost 6.65).
const TTL_MINUTES: &str = "60";

impl Feed {
    /// Returns the feed as RSS.
    ///
    /// # Errors
    ///
    /// If a date is outside of the range of RSS.
    pub fn rss(&self) -> Result<Vec<u8>> {
        let mut xml = document();
        xml.create_element("rss")
            .with_attributes([
                ("version", "2.0"),
                ("xmlns:atom", "http://www.w3.org/2005/Atom"),
                ("xmlns:content", "http://purl.org/rss/1.0/modules/content/"),
                ("xmlns:dc", "http://purl.org/dc/elements/1.1/"),
                ("xmlns:media", "http://search.yahoo.com/mrss/"),
            ])
            .write_inner_content(|xml| {
                let channel = xml.create_element("channel");
                channel.write_inner_content(|xml| self.push_channel(xml))?;
                Ok(())
            })
            .map_err(Error::internal)?;
        Ok(xml.into_inner())
    }

    fn push_channel(&self, xml: &mut Writer<Vec<u8>>) -> io::Result<()> {
        text(xml, "title", &self.title)?;
        text(xml, "description", &self.description)?;
        text(xml, "link", &self.home)?;
        if let Some(icon) = &self.icon {
            xml.create_element("image").write_inner_content(|xml| {
                text(xml, "url", icon)?;
                text(xml, "title", &self.title)?;
                text(xml, "link", &self.home)
            })?;
        }
        text(
            xml,
            "generator",
            concat!("Galley ", env!("CARGO_PKG_VERSION")),
        )?;
        if let Some(updated_at) = self.updated_at {
            text(xml, "lastBuildDate", &date(updated_at)?)?;
        }
        xml.create_element("atom:link")
            .with_attributes([
                ("href", &*self.url),
                ("rel", "self"),
                ("type", "application/rss+xml"),
            ])
            .write_empty()?;
        text(xml, "ttl", TTL_MINUTES)?;
        for item in &self.items {
            let element = xml.create_element("item");
            element.write_inner_content(|xml| item.push_rss(xml))?;
        }
        Ok(())
    }
}

impl FeedItem {
    fn push_rss(&self, xml: &mut Writer<Vec<u8>>) -> io::Result<()> {
        text(xml, "title", &self.post.title)?;
        text(xml, "description", &self.summary)?;
        text(xml, "link", &self.url)?;
        xml.create_element("guid")
            .with_attribute(("isPermaLink", "false"))
            .write_text_content(quick_xml::events::BytesText::new(&self.post.id.to_string()))?;
        for tag in &self.tags {
            text(xml, "category", tag)?;
        }
        for author in &self.authors {
            text(xml, "dc:creator", &author.name)?;
        }
        if let Some(published_at) = self.post.published_at {
            text(xml, "pubDate", &date(published_at)?)?;
        }
        if let Some(image) = &self.image {
            xml.create_element("media:content")
                .with_attributes([("url", &**image), ("medium", "image")])
                .write_empty()?;
        }
        if self.html.is_empty() {
            return Ok(());
        }
        text(xml, "content:encoded", &self.html)
    }
}

/// Returns a date as RFC 822 has it, with four digits for the year.
fn date(time: Timestamp) -> io::Result<String> {
    let printer = DateTimePrinter::new();
    printer
        .timestamp_to_rfc9110_string(&time)
        .map_err(io::Error::other)
}
