//! Every table of the store, on one screen: what its keys and values are.
//!
//! Identifiers are the 24 hexadecimal digits of the API, as text. Values are encoded by the layer
//! that owns the noun; the store never reads them.

/// A table: an ordered map from key bytes to value bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// name of a fact about the store as a whole → its value.
    Meta,
    /// name of a setting → its value.
    Settings,
    /// identifier of a post or page → everything about it but its bodies.
    Posts,
    /// identifier of a post or page → its bodies: HTML, plaintext, Lexical.
    Bodies,
    /// identifier → tag.
    Tags,
    /// identifier → staff user, who is an author to the Content API.
    Users,
    /// identifier of a staff user → what the user signs in with.
    Credentials,
    /// identifier → tier.
    Tiers,
    /// identifier → newsletter.
    Newsletters,
    /// identifier → member.
    Members,
    /// address of a member, as it is written → the member's identifier.
    MemberEmails,
    /// identifier → label of members.
    Labels,
    /// identifier → integration with its API keys.
    Integrations,
    /// kind of resource, a zero byte, slug → identifier of the resource that holds the slug.
    Slugs,
    /// identifier of a post that was imported from a folder of texts → which text, and a hash of what it made.
    ImportedTexts,
    /// path of a content file, in bytes → hash of its content and what was made from it.
    SourceFiles,
    /// number, from new to old → what somebody did.
    Actions,
    /// second since 1970 when it is due, 8 bytes, and an identifier → what is to leave the site.
    Outbox,
    /// identifier of a staff user → the key with which programs act as that user.
    StaffTokens,
    /// digest of a token that counts once and was used → when it is worth nothing anyway.
    UsedTokens,
    /// digest of what stands in a cookie → who is signed in with it.
    Sessions,
    /// identifier of a staff user → digests of the links with which a new password can be set.
    PasswordResets,
    /// identifier of a post or page → what it was when it was saved; the same, a slash, identifier of one of these → its
    /// body.
    PostRevisions,
    /// identifier → invite to the staff.
    Invites,
    /// digest of what a client of the API is known by → when the administrators were told that it is too old.
    ClientNotices,
    /// identifier → recommendation.
    Recommendations,
    /// identifier → offer.
    Offers,
    /// identifier → webhook.
    Webhooks,
    /// identifier → snippet of the editor.
    Snippets,
    /// one of three ways to find it (by time, by member, by change of status), identifiers → what happened to a member.
    MemberEvents,
    /// name of a theme → what is chosen for the settings that it has.
    ThemeSettings,
    /// identifier → what is told to the staff.
    Notifications,
    /// name of a file about the whole site (redirects, routes) → its text, as it was sent.
    SiteFiles,
    /// identifier of a webhook, number of the delivery, 8 bytes → what the webhook is still to be told; the same, `r` → which
    /// of the events it is still to be sent.
    WebhookDeliveries,
    /// name of an event, number of the delivery, 8 bytes → what several webhooks are still to be sent, or one several times; the
    /// same, identifier of a webhook → nothing: where the events begin that it is still to be sent.
    WebhookEvents,
    /// identifier of a webhook, number of the delivery, 8 bytes → what it was told, and what came of that; identifier of a webhook → which of these are kept.
    WebhookLog,
    /// number, 8 bytes, from old to new → something that readers see otherwise since then.
    Changes,
    /// identifier → a post on its way to the subscribers of a newsletter.
    Emails,
    /// identifier of such an email, `b`, number of the batch, 4 bytes → who it is for, and how far it is; the identifier, `l` →
    /// the letters that are sent.
    EmailBatches,
}

impl Table {
    /// Every table.
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
