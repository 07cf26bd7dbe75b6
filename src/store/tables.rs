//! Every table of the store, with its keys and values.
//!
//! Identifiers are the 24 hexadecimal digits of the API, as text. Values are encoded by the layer
//! that owns the noun; the store never reads them.

/// A table: an ordered map from key bytes to value bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// name of a property of the store as a whole → its value.
    Meta,
    /// name of a setting → its value.
    Settings,
    /// identifier of a post or page → the record without its bodies.
    Posts,
    /// identifier of a post or page → its bodies: HTML, plaintext, Lexical.
    Bodies,
    /// identifier → tag.
    Tags,
    /// identifier → staff user, which is an author to the Content API.
    Users,
    /// identifier of a staff user → credentials.
    Credentials,
    /// identifier → tier.
    Tiers,
    /// identifier → newsletter.
    Newsletters,
    /// identifier → member.
    Members,
    /// email address of a member, as it is written → the member's identifier.
    MemberEmails,
    /// identifier → label of members.
    Labels,
    /// identifier → integration with its API keys.
    Integrations,
    /// kind of resource, a zero byte, slug → identifier of the resource that holds the slug.
    Slugs,
    /// identifier of a post that was imported from a folder of Markdown → its document, and a hash
    /// of the imported post.
    ImportedTexts,
    /// path of a content file, in bytes → hash of its content and the records made from it.
    SourceFiles,
    /// number, from new to old → action.
    Actions,
    /// second since 1970 when it is due, 8 bytes, and an identifier → mail in the outbox.
    Outbox,
    /// identifier of a staff user → that user's access token.
    StaffTokens,
    /// digest of a used single-use token → when it expires.
    UsedTokens,
    /// digest of a session cookie → session.
    Sessions,
    /// identifier of a staff user → digests of the links for setting a new password.
    PasswordResets,
    /// identifier of a post or page → its revisions; the same, a slash, identifier of a revision →
    /// its document.
    PostRevisions,
    /// identifier → invite to the staff.
    Invites,
    /// digest of what identifies a client of the API → when the administrators were notified that
    /// it is outdated.
    ClientNotices,
    /// identifier → recommendation.
    Recommendations,
    /// identifier → offer.
    Offers,
    /// identifier → webhook.
    Webhooks,
    /// identifier → snippet of the editor.
    Snippets,
    /// one of three indexes (by time, by member, by change of status), identifiers → event of a
    /// member.
    MemberEvents,
    /// name of a theme → the values chosen for its settings.
    ThemeSettings,
    /// identifier → notification of the staff.
    Notifications,
    /// name of a file about the whole site (redirects, routes) → its text, as it was uploaded.
    SiteFiles,
    /// identifier of a webhook, number of the delivery, 8 bytes → a waiting delivery; the same, `r`
    /// → a run of events that are still to be sent.
    WebhookDeliveries,
    /// name of an event, number of the delivery, 8 bytes → an event that several webhooks are still
    /// to be sent, or one several times; the same, identifier of a webhook → nothing: where the
    /// events begin that it is still to be sent.
    WebhookEvents,
    /// identifier of a webhook, number of the delivery, 8 bytes → a finished delivery; identifier
    /// of a webhook → the list of its logged deliveries.
    WebhookLog,
    /// number, 8 bytes, from old to new → a change that readers can see.
    Changes,
    /// identifier → the email of a post.
    Emails,
    /// identifier of such an email, `b`, number of the batch, 4 bytes → the batch with its
    /// recipients and state; the identifier, `l` → the message template.
    EmailBatches,
}

impl Table {
    /// All tables.
    pub const ALL: [Table; 39] = [
        Table::Meta,
        Table::Settings,
        Table::Posts,
        Table::Bodies,
        Table::Tags,
        Table::Users,
        Table::Credentials,
        Table::Tiers,
        Table::Newsletters,
        Table::Members,
        Table::MemberEmails,
        Table::Labels,
        Table::Integrations,
        Table::Slugs,
        Table::ImportedTexts,
        Table::SourceFiles,
        Table::Actions,
        Table::Outbox,
        Table::StaffTokens,
        Table::UsedTokens,
        Table::Sessions,
        Table::PasswordResets,
        Table::PostRevisions,
        Table::Invites,
        Table::ClientNotices,
        Table::Recommendations,
        Table::Offers,
        Table::Webhooks,
        Table::Snippets,
        Table::MemberEvents,
        Table::ThemeSettings,
        Table::Notifications,
        Table::SiteFiles,
        Table::WebhookDeliveries,
        Table::WebhookEvents,
        Table::WebhookLog,
        Table::Changes,
        Table::Emails,
        Table::EmailBatches,
    ];

    /// Returns the name under which the table is stored. It never changes.
    pub const fn name(self) -> &'static str {
        match self {
            Table::Meta => "meta",
            Table::Settings => "settings",
            Table::Posts => "posts",
            Table::Bodies => "bodies",
            Table::Tags => "tags",
            Table::Users => "users",
            Table::Credentials => "credentials",
            Table::Tiers => "tiers",
            Table::Newsletters => "newsletters",
            Table::Members => "members",
            Table::MemberEmails => "member_emails",
            Table::Labels => "labels",
            Table::Integrations => "integrations",
            Table::Slugs => "slugs",
            Table::ImportedTexts => "imported_texts",
            Table::SourceFiles => "source_files",
            Table::Actions => "actions",
            Table::Outbox => "outbox",
            Table::StaffTokens => "staff_tokens",
            Table::UsedTokens => "used_tokens",
            Table::Sessions => "sessions",
            Table::PasswordResets => "password_resets",
            Table::PostRevisions => "post_revisions",
            Table::Invites => "invites",
            Table::ClientNotices => "client_notices",
            Table::Recommendations => "recommendations",
            Table::Offers => "offers",
            Table::Webhooks => "webhooks",
            Table::Snippets => "snippets",
            Table::MemberEvents => "member_events",
            Table::ThemeSettings => "theme_settings",
            Table::Notifications => "notifications",
            Table::SiteFiles => "site_files",
            Table::WebhookDeliveries => "webhook_deliveries",
            Table::WebhookEvents => "webhook_events",
            Table::WebhookLog => "webhook_log",
            Table::Changes => "changes",
            Table::Emails => "emails",
            Table::EmailBatches => "email_batches",
        }
    }
}
