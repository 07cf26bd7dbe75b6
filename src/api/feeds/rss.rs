//! Feeds in RSS 2.0 in the form of Ghost (6.65, recorded): with full texts (RSS module `content`), authors (Dublin Core) and
//! images (Media RSS).

use std::io;

use jiff::{Timestamp, fmt::rfc2822::DateTimePrinter};
use quick_xml::{Writer, events::BytesText};

use super::{
    feed::{Feed, FeedItem, SUMMARY_WORDS_MAX, description_of},
    xml::{cdata, document, text},
};
use crate::{
    api::headers::API_VERSION_NUMBER,
    error::{Error, Result},
    front_end::helpers::downsize::{Cut, downsize},
    render::rss_html::{FeedImage, for_rss},
};

/// Minutes for which feed readers may cache the feed.
const TTL_MINUTES: &str = "60";

impl Feed {
    /// Returns the feed as RSS.
    ///
    /// # Errors
    ///
    /// If a date is outside the range of RSS.
    pub fn rss(&self) -> Result<Vec<u8>> {
        let mut xml = document();
        xml.create_element("rss")
            .with_attributes([
                ("xmlns:dc", "http://purl.org/dc/elements/1.1/"),
                ("xmlns:content", "http://purl.org/rss/1.0/modules/content/"),
                ("xmlns:atom", "http://www.w3.org/2005/Atom"),
                ("version", "2.0"),
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
        cdata(xml, "title", &self.title)?;
        cdata(xml, "description", &self.description)?;
        text(xml, "link", &self.home)?;
        if let Some(icon) = &self.icon {
            xml.create_element("image").write_inner_content(|xml| {
                text(xml, "url", icon)?;
                text(xml, "title", &self.title)?;
                text(xml, "link", &self.home)
            })?;
        }
        // Feed readers and tools recognise the form of the feed by the generator's name.
        text(xml, "generator", &format!("Ghost {API_VERSION_NUMBER}"))?;
        text(xml, "lastBuildDate", &date(self.updated_at)?)?;
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
        cdata(xml, "title", &self.post.title)?;
        let description = self.rss_description();
        if !description.is_empty() {
            cdata(xml, "description", &description)?;
        }
        text(xml, "link", &self.url)?;
        // The identifier is not a URL.
        xml.create_element("guid")
            .with_attribute(("isPermaLink", "false"))
            .write_text_content(BytesText::new(&self.post.id.to_string()))?;
        for tag in &self.tags {
            cdata(xml, "category", tag)?;
        }
        if let Some(author) = self.authors.first() {
            cdata(xml, "dc:creator", &author.name)?;
        }
        if let Some(published_at) = self.post.published_at {
            text(xml, "pubDate", &date(published_at)?)?;
        }
        if let Some(image) = &self.image {
            xml.create_element("media:content")
                .with_attributes([("url", &**image), ("medium", "image")])
                .write_empty()?;
        }
        let image = self.image.as_deref().map(|url| FeedImage {
            url,
            title: &self.post.title,
        });
        cdata(xml, "content:encoded", &for_rss(&self.body, image))
    }

    /// Returns the description of the post, or the beginning of its body.
    fn rss_description(&self) -> String {
        match description_of(&self.post) {
            Some(description) => description.to_owned(),
            None => {
                let words = i64::try_from(SUMMARY_WORDS_MAX).unwrap_or(i64::MAX);
                downsize(&for_rss(&self.body, None), Cut::Words(words))
            }
        }
    }
}

/// Formats a date as in RFC 822, but with four digits for the year.
fn date(time: Timestamp) -> io::Result<String> {
    let printer = DateTimePrinter::new();
    printer
        .timestamp_to_rfc9110_string(&time)
        .map_err(io::Error::other)
}
