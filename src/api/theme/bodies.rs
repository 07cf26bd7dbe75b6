//! The bodies of posts for the templates of a theme.

use std::{rc::Rc, sync::Arc};

use crate::{
    api::content::{
        bodies::{Bodies, BodyReaders, RenderedFormat, visible_html},
        response_memory::ResponseMemory,
        served_body::TextBody,
    },
    domain::{post::Post, reading_member::ReadingMember},
    error::Result,
    front_end::PostBodies,
    render::{paywall::Reader, plaintext},
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// The bodies for one reader, from the cache that the Content API also uses.
pub(super) struct ReaderBodies {
    pub snapshot: Arc<SiteSnapshot>,
    pub bodies: Arc<Bodies>,
    pub reader: Option<ReadingMember>,
    pub memory: Rc<ResponseMemory>,
}

impl ReaderBodies {
    fn text(&self, post: &Arc<Post>, format: RenderedFormat) -> Result<Option<Arc<str>>> {
        let reader = self.reader.as_ref();
        let found =
            self.bodies
                .of::<TextBody>(&self.snapshot, &[post], format, reader, &self.memory)?;
        Ok(found.first().and_then(|body| body.text()).cloned())
    }
}

impl PostBodies for ReaderBodies {
    fn html(&self, post: &Arc<Post>) -> Result<Option<Arc<str>>> {
        self.text(post, RenderedFormat::Html)
    }

    fn plaintext(&self, post: &Arc<Post>) -> Result<Option<Arc<str>>> {
        self.text(post, RenderedFormat::Plaintext)
    }

    fn excerpt(&self, post: &Arc<Post>) -> Result<Option<Arc<str>>> {
        self.text(post, RenderedFormat::Excerpt)
    }
}

/// The bodies of a preview, as a reader of a given level sees them.
pub(in crate::api) struct PreviewBodies {
    pub snapshot: Arc<SiteSnapshot>,
    pub site_urls: SiteUrls,
    /// The level of the reader; `None` for an anonymous reader.
    pub level: Option<Reader>,
    /// Whether the reader may read the whole post.
    pub may_read: bool,
}

impl PostBodies for PreviewBodies {
    fn html(&self, post: &Arc<Post>) -> Result<Option<Arc<str>>> {
        let Some(html) = self.snapshot.html(post.id)? else {
            return Ok(None);
        };
        let readers = match self.level {
            Some(level) => BodyReaders::Members(level, self.may_read),
            None => BodyReaders::Anonymous,
        };
        let visible = visible_html(post, &html, readers);
        Ok(Some(self.site_urls.absolute(&visible).into_owned().into()))
    }

    fn plaintext(&self, post: &Arc<Post>) -> Result<Option<Arc<str>>> {
        let html = self.html(post)?;
        Ok(html.map(|html| plaintext::from_html(&html).into()))
    }

    fn excerpt(&self, post: &Arc<Post>) -> Result<Option<Arc<str>>> {
        let text = self.plaintext(post)?;
        Ok(text.map(|text| plaintext::excerpt(&text).into()))
    }
}
