//! The part of a page's state that the objects of the data model share.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    sync::Arc,
};

use jiff::{Timestamp, tz::TimeZone};

use crate::{
    catalog::Catalog,
    domain::{
        post::{Post, Visibility},
        reading_member::ReadingMember,
    },
    error::{Error, Result},
    front_end::staff_view::StaffView,
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// The site at one commit, for one reader at one time. Objects compute their properties from it.
pub struct ModelContext {
    /// The snapshot of the site.
    pub snapshot: Arc<SiteSnapshot>,
    /// The URLs of the site's records.
    pub site_urls: SiteUrls,
    /// The bodies of posts as the reader of the page may see them.
    pub bodies: Rc<dyn PostBodies>,
    /// The bodies of posts as anonymous readers see them.
    pub public_bodies: Rc<dyn PostBodies>,
    /// The member who requests the page; `None` for anonymous readers.
    pub reader: Option<ReadingMember>,
    /// The additional view of the page for staff.
    pub staff: StaffView,
    /// The URL of the staff client, with a slash at the end.
    pub staff_url: String,
    /// The time zone of the site.
    pub time_zone: TimeZone,
    has_comments: bool,
    request_time: Timestamp,
    is_momentary: Cell<bool>,
    is_personal: Cell<bool>,
    failure: RefCell<Option<Error>>,
}

/// The bodies of posts as one reader may see them, with public URLs.
pub trait PostBodies {
    /// Returns the HTML; `None` for a post without a body.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn html(&self, post: &Arc<Post>) -> Result<Option<Arc<str>>>;

    /// Returns the plain text; `None` for a post without text.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn plaintext(&self, post: &Arc<Post>) -> Result<Option<Arc<str>>>;

    /// Returns the start of the plain text, or the custom excerpt; `None` for a post without text.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn excerpt(&self, post: &Arc<Post>) -> Result<Option<Arc<str>>>;
}

impl ModelContext {
    /// Returns the context for pages of a site that a reader requests.
    pub fn new(
        snapshot: Arc<SiteSnapshot>,
        site_urls: SiteUrls,
        bodies: Rc<dyn PostBodies>,
        public_bodies: Rc<dyn PostBodies>,
        reader: Option<ReadingMember>,
        now: Timestamp,
    ) -> Self {
        let settings = &snapshot.catalog.settings;
        Self {
            time_zone: settings.time_zone(),
            has_comments: settings.text("comments_enabled").as_deref() != Some("off"),
            snapshot,
            site_urls,
            bodies,
            public_bodies,
            reader,
            request_time: now,
            is_momentary: Cell::new(false),
            is_personal: Cell::new(false),
            staff: StaffView::default(),
            staff_url: String::new(),
            failure: RefCell::new(None),
        }
    }

    /// Returns the catalog of the site.
    pub fn catalog(&self) -> &Catalog {
        &self.snapshot.catalog
    }

    /// Returns the time of the request, and marks the page as momentary.
    pub fn now(&self) -> Timestamp {
        self.mark_momentary();
        self.request_time
    }

    /// Returns the time of the request for a filter. Marks the page as momentary if the filter names the time.
    pub fn now_for(&self, filter: Option<&str>) -> Timestamp {
        // A text that happens to contain the word only shortens the time in the cache.
        if filter.is_some_and(|filter| filter.contains("now")) {
            self.mark_momentary();
        }
        self.request_time
    }

    /// Marks the page as momentary: it may change without a commit, so it is cached only briefly.
    pub fn mark_momentary(&self) {
        self.is_momentary.set(true);
    }

    /// Returns whether the page may change without a commit.
    pub fn is_momentary(&self) -> bool {
        self.is_momentary.get()
    }

    /// Marks the page as personal: it must not be cached for other readers.
    pub fn mark_personal(&self) {
        self.is_personal.set(true);
    }

    /// Returns whether the page is for its reader only, and not for all readers with the same access.
    pub fn is_personal(&self) -> bool {
        self.is_personal.get()
    }

    /// Returns whether comments are enabled.
    pub fn has_comments(&self) -> bool {
        self.has_comments
    }

    /// Returns whether the reader may read a post in full.
    pub fn may_read(&self, post: &Post) -> bool {
        let reader = self.reader.as_ref();
        post.visibility == Visibility::Public || reader.is_some_and(|reader| reader.may_read(post))
    }

    /// Returns the value of `read`, or its default if the store cannot be read. Reading a property cannot fail, so the error
    /// fails the page after rendering: see [`take_failure`](Self::take_failure).
    pub fn or_default<T: Default>(&self, read: Result<T>) -> T {
        read.unwrap_or_else(|error| {
            // Only the first error is reported; later ones usually have the same cause.
            self.failure.borrow_mut().get_or_insert(error);
            T::default()
        })
    }

    /// Returns the first error from reading a property. A page with an error must not be sent.
    pub fn take_failure(&self) -> Option<Error> {
        self.failure.borrow_mut().take()
    }
}
