//! Every table of the store: one row each, with its keys and values, the audience of its content, and the webhook events of
//! its changes.
//!
//! Identifiers are the 24 hexadecimal digits of the API, as text. Values are encoded by the layer that owns the record type;
//! the store never reads them. A row that lacks a column does not compile.

/// The audience of content that depends on a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Responses to readers may depend on the table, so a change makes cached responses stale. If in doubt, choose this one.
    Readers,
    /// No response to readers depends on the table.
    Staff,
}

/// The webhook events that a change of a table can cause. `site/announcements` derives them, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Events {
    /// No events.
    None,
    /// `site.changed`, after any change.
    SiteChanged,
    /// The events of labels.
    OfLabels,
    /// The events of authors.
    OfAuthors,
    /// The events of tags.
    OfTags,
    /// The events of posts and pages.
    OfPosts,
    /// The events of members.
    OfMembers,
}

macro_rules! tables {
    (
        indexed { $($(#[$indexed_doc:meta])* $indexed:ident = $indexed_name:literal, $indexed_audience:expr, $indexed_events:expr;)* }
        stored { $($(#[$stored_doc:meta])* $stored:ident = $stored_name:literal, $stored_audience:expr, $stored_events:expr;)* }
    ) => {
        /// A table: an ordered map from key bytes to value bytes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Table {
            $($(#[$indexed_doc])* $indexed,)*
            $($(#[$stored_doc])* $stored,)*
        }

        /// A table that is held in the catalog, completely or in part.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum IndexedTable {
            $($(#[$indexed_doc])* $indexed,)*
        }

        impl Table {
            /// All tables.
            pub const ALL: [Self; [$(stringify!($indexed),)* $(stringify!($stored)),*].len()] =
                [$(Self::$indexed,)* $(Self::$stored),*];

            /// Returns the stored name of the table. It never changes.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$indexed => $indexed_name,)*
                    $(Self::$stored => $stored_name,)*
                }
            }

            /// Returns the audience of the content that depends on the table.
            pub const fn audience(self) -> Audience {
                match self {
                    $(Self::$indexed => $indexed_audience,)*
                    $(Self::$stored => $stored_audience,)*
                }
            }

            /// Returns the webhook events that changes of the table can cause.
            pub const fn events(self) -> Events {
                match self {
                    $(Self::$indexed => $indexed_events,)*
                    $(Self::$stored => $stored_events,)*
                }
            }
        }

        impl IndexedTable {
            /// All tables that are held in the catalog.
            pub const ALL: &[Self] = &[$(Self::$indexed),*];

            /// Returns the table.
            pub const fn table(self) -> Table {
                match self {
                    $(Self::$indexed => Table::$indexed,)*
                }
            }
        }
    };
}

tables! {
    indexed {
        /// name of a property of the store as a whole → its value.
        Meta = "meta", Audience::Readers, Events::None;
        /// name of a setting → its value.
        Settings = "settings", Audience::Readers, Events::SiteChanged;
        /// identifier of a post or page → the record without its bodies.
        Posts = "posts", Audience::Readers, Events::OfPosts;
        /// identifier → tag.
        Tags = "tags", Audience::Readers, Events::OfTags;
        /// identifier → staff user, which is an author in the Content API.
        Users = "users", Audience::Readers, Events::OfAuthors;
        /// identifier → tier.
        Tiers = "tiers", Audience::Readers, Events::SiteChanged;
        /// identifier → newsletter.
        Newsletters = "newsletters", Audience::Readers, Events::SiteChanged;
        /// identifier → member.
        Members = "members", Audience::Staff, Events::OfMembers;
        /// identifier → label of members.
        Labels = "labels", Audience::Staff, Events::OfLabels;
        /// identifier → integration with its API keys.
        Integrations = "integrations", Audience::Readers, Events::None;
        /// number, from new to old → action.
        Actions = "actions", Audience::Staff, Events::None;
        /// identifier of a staff user → that user's access token.
        StaffTokens = "staff_tokens", Audience::Staff, Events::None;
        /// digest of a session cookie → session.
        Sessions = "sessions", Audience::Staff, Events::None;
        /// identifier → recommendation.
        Recommendations = "recommendations", Audience::Readers, Events::SiteChanged;
        /// identifier → offer.
        Offers = "offers", Audience::Readers, Events::SiteChanged;
        /// identifier → webhook.
        Webhooks = "webhooks", Audience::Staff, Events::None;
        /// name of a file about the whole site (redirects, routes) → its text, as it was uploaded.
        SiteFiles = "site_files", Audience::Readers, Events::SiteChanged;
        /// number, 8 bytes, from old to new → a change that readers can see.
        Changes = "changes", Audience::Readers, Events::None;
        /// number, 8 bytes → an edit of a content file that is not yet written to the folder or committed to the repository.
        FileEdits = "file_edits", Audience::Staff, Events::None;
        /// identifier → the email of a post.
        Emails = "emails", Audience::Staff, Events::None;
    }
    stored {
        /// identifier of a post or page → its body in each stored form: HTML, editor document (Lexical).
        Bodies = "bodies", Audience::Readers, Events::OfPosts;
        /// identifier of a staff user → credentials.
        Credentials = "credentials", Audience::Staff, Events::None;
        /// email address of a member, as it is written → the member's identifier.
        MemberEmails = "member_emails", Audience::Staff, Events::None;
        /// kind of resource, a zero byte, slug → identifier of the resource that holds the slug.
        Slugs = "slugs", Audience::Staff, Events::None;
        /// identifier of a post that was imported from a folder of Markdown → its document, and a hash
        /// of the imported post.
        ImportedTexts = "imported_texts", Audience::Staff, Events::None;
        /// path of a content file, in bytes → hash of its content and the records made from it.
        SourceFiles = "source_files", Audience::Staff, Events::None;
        /// second since 1970 at which the mail is due, 8 bytes, and an identifier → mail in the outbox.
        Outbox = "outbox", Audience::Staff, Events::None;
        /// digest of a used single-use token, or of the former address of a member → when the token, or
        /// a link that was sent there before, expires.
        UsedTokens = "used_tokens", Audience::Staff, Events::None;
        /// digest of the token in a mail to a reader → the action of its link.
        MemberTokens = "member_tokens", Audience::Staff, Events::None;
        /// identifier of a staff user → digests of the links for setting a new password.
        PasswordResets = "password_resets", Audience::Staff, Events::None;
        /// identifier of a post or page → its revisions; the same, a slash, identifier of a revision →
        /// its document.
        PostRevisions = "post_revisions", Audience::Staff, Events::None;
        /// identifier → invitation to the staff.
        Invites = "invites", Audience::Staff, Events::None;
        /// digest of the identifier of an API client → when the administrators were notified that the client is outdated.
        ClientNotices = "client_notices", Audience::Staff, Events::None;
        /// identifier → snippet of the editor.
        Snippets = "snippets", Audience::Staff, Events::None;
        /// one of three indexes (by time, by member, by change of status), identifiers → event of a
        /// member.
        MemberEvents = "member_events", Audience::Staff, Events::None;
        /// name of a theme → the values chosen for its settings.
        ThemeSettings = "theme_settings", Audience::Readers, Events::SiteChanged;
        /// identifier → notification of the staff.
        Notifications = "notifications", Audience::Staff, Events::None;
        /// identifier of a webhook, number of the delivery, 8 bytes → a waiting delivery; the same, `r`
        /// → a run of events that are still to be sent.
        WebhookDeliveries = "webhook_deliveries", Audience::Staff, Events::None;
        /// name of an event, number of the delivery, 8 bytes → an event that is still to be sent to several webhooks, or
        /// several times to one; the same, identifier of a webhook → nothing: marks the first event that is still to be sent
        /// to this webhook.
        WebhookEvents = "webhook_events", Audience::Staff, Events::None;
        /// identifier of a webhook, number of the delivery, 8 bytes → a finished delivery; identifier
        /// of a webhook → the list of its logged deliveries.
        WebhookLog = "webhook_log", Audience::Staff, Events::None;
        /// identifier of the email of a post, `b`, number of the batch, 4 bytes → the batch with its recipients and state; the
        /// identifier, `l` → the message template.
        EmailBatches = "email_batches", Audience::Staff, Events::None;
        /// name of work that one process at a time does → the node that does it, if several processes share the store.
        Leases = "leases", Audience::Staff, Events::None;
        /// name of an upload in a bucket → its length and the SHA-256 of its content.
        Uploads = "uploads", Audience::Staff, Events::None;
    }
}
