//! The tables and columns of an export that are read or skipped.
//!
//! The report names any other column that is not empty. The columns of texts are in the table of
//! the record's fields.

use super::rows::Columns;
use crate::{
    catalog::fields::{
        NEWSLETTER_TEXTS, POST_TEXTS, StoredText, TAG_TEXTS, TIER_TEXTS, USER_TEXTS,
    },
    domain::{newsletter_design::DESIGN, post::Post},
};

/// Returns the column called `name`, if one of these texts is imported from it.
fn column<'t, R: 'static>(
    texts: impl Iterator<Item = &'t &'static StoredText<R>>,
    name: &str,
) -> Option<&'static str> {
    let mut columns = texts.flat_map(|text| text.columns());
    columns.find(|column| *column == name)
}

/// Returns the texts of posts that are in `posts_meta`.
pub fn side_texts() -> impl Iterator<Item = &'static &'static StoredText<Post>> {
    POST_TEXTS.iter().filter(|text| text.rules.in_side_record)
}

/// Adds the columns that say who did something, which no record stores.
macro_rules! skipped {
    ($($column:literal),*) => {
        &["created_by", "updated_by", $($column),*]
    };
}

/// Posts and pages. Files of other programs and of versions before Ghost 3 have the columns of [`POSTS_META`] here.
pub const POSTS: Columns = Columns {
    read: &[
        "id",
        "uuid",
        "slug",
        "title",
        "type",
        "page",
        "status",
        "visibility",
        "featured",
        "lexical",
        "mobiledoc",
        "html",
        "comment_id",
        "created_at",
        "updated_at",
        "published_at",
        "show_title_and_feature_image",
        "author_id",
        "newsletter_id",
        "email_recipient_filter",
    ],
    skipped: skipped!(
        "plaintext",
        "auto_excerpt",
        "reading_time",
        "locale",
        "published_by",
        "send_email_when_published",
        "url"
    ),
    of_fields: |name| column(POST_TEXTS.iter(), name),
};

/// Metadata of posts for search engines, social networks and mail.
pub const POSTS_META: Columns = Columns {
    read: &["post_id", "email_only"],
    skipped: skipped!("id"),
    of_fields: |name| column(side_texts(), name),
};

/// Staff.
pub const USERS: Columns = Columns {
    read: &[
        "id",
        "name",
        "slug",
        "email",
        "password",
        "status",
        "last_seen",
        "comment_notifications",
        "free_member_signup_notification",
        "paid_subscription_started_notification",
        "paid_subscription_canceled_notification",
        "mention_notifications",
        "recommendation_notifications",
        "milestone_notifications",
        "donation_notifications",
        "created_at",
        "updated_at",
        "roles",
    ],
    skipped: skipped!(
        "visibility",
        "last_login",
        "gift_subscription_notifications"
    ),
    of_fields: |name| column(USER_TEXTS.iter(), name),
};

/// Roles.
pub const ROLES: Columns = Columns {
    read: &["id", "name"],
    skipped: skipped!("description", "created_at", "updated_at", "uuid"),
    ..Columns::NONE
};

/// Roles of users.
pub const ROLES_USERS: Columns = Columns {
    read: &["user_id", "role_id"],
    skipped: skipped!("id"),
    ..Columns::NONE
};

/// Tags.
pub const TAGS: Columns = Columns {
    read: &[
        "id",
        "name",
        "slug",
        "visibility",
        "created_at",
        "updated_at",
    ],
    skipped: skipped!("uuid"),
    of_fields: |name| column(TAG_TEXTS.iter(), name),
};

/// Tiers, which the tables call products.
pub const PRODUCTS: Columns = Columns {
    read: &[
        "id",
        "name",
        "slug",
        "type",
        "active",
        "visibility",
        "currency",
        "monthly_price",
        "yearly_price",
        "monthly_price_id",
        "yearly_price_id",
        "trial_days",
        "created_at",
        "updated_at",
    ],
    skipped: skipped!(),
    of_fields: |name| column(TIER_TEXTS.iter(), name),
};

/// Benefits of tiers.
pub const BENEFITS: Columns = Columns {
    read: &["id", "name"],
    skipped: skipped!("slug", "created_at", "updated_at"),
    ..Columns::NONE
};

/// Prices at the payment provider, which hold the price of a tier in files of Ghost 4.
pub const STRIPE_PRICES: Columns = Columns {
    read: &["id", "amount", "currency"],
    skipped: skipped!(
        "stripe_price_id",
        "stripe_product_id",
        "active",
        "nickname",
        "type",
        "interval",
        "description",
        "created_at",
        "updated_at"
    ),
    ..Columns::NONE
};

/// Newsletters.
pub const NEWSLETTERS: Columns = Columns {
    read: &[
        "id",
        "uuid",
        "name",
        "slug",
        "sender_email",
        "status",
        "visibility",
        "subscribe_on_signup",
        "sort_order",
        "created_at",
        "updated_at",
    ],
    skipped: skipped!(),
    of_fields: |name| {
        let mut choices = DESIGN.iter().map(|choice| choice.name);
        choices
            .find(|choice| *choice == name)
            .or_else(|| column(NEWSLETTER_TEXTS.iter(), name))
    },
};

/// Offers.
pub const OFFERS: Columns = Columns {
    read: &[
        "id",
        "active",
        "name",
        "code",
        "product_id",
        "interval",
        "currency",
        "discount_type",
        "discount_amount",
        "duration",
        "duration_in_months",
        "portal_title",
        "portal_description",
        "redemption_type",
        "created_at",
    ],
    skipped: skipped!("stripe_coupon_id", "updated_at"),
    ..Columns::NONE
};

/// Recommendations of other sites.
pub const RECOMMENDATIONS: Columns = Columns {
    read: &[
        "id",
        "url",
        "title",
        "excerpt",
        "featured_image",
        "favicon",
        "description",
        "one_click_subscribe",
        "created_at",
        "updated_at",
    ],
    skipped: skipped!(),
    ..Columns::NONE
};

/// Snippets.
pub const SNIPPETS: Columns = Columns {
    read: &[
        "id",
        "name",
        "mobiledoc",
        "lexical",
        "created_at",
        "updated_at",
    ],
    skipped: skipped!(),
    ..Columns::NONE
};

/// Integrations. Their keys are in another table and are not imported.
pub const INTEGRATIONS: Columns = Columns {
    read: &["id", "type", "name", "icon_image", "description"],
    skipped: skipped!("slug", "created_at", "updated_at"),
    ..Columns::NONE
};

/// Theme settings.
pub const THEME_SETTINGS: Columns = Columns {
    read: &["theme", "key", "type", "value"],
    skipped: skipped!("id"),
    ..Columns::NONE
};

/// Settings.
pub const SETTINGS: Columns = Columns {
    read: &["key", "value"],
    skipped: skipped!(
        "id",
        "uuid",
        "group",
        "type",
        "flags",
        "created_at",
        "updated_at"
    ),
    ..Columns::NONE
};

/// A table that links rows of two tables.
pub struct LinkTable {
    /// The table's columns.
    pub columns: Columns,
    /// The column with the key of the owning row.
    pub from: &'static str,
    /// The column with the key of the row that it refers to.
    pub to: &'static str,
}

const fn link_table(read: &'static [&'static str; 3]) -> LinkTable {
    LinkTable {
        columns: Columns {
            read,
            skipped: skipped!("id"),
            ..Columns::NONE
        },
        from: read[0],
        to: read[1],
    }
}

/// The tags of posts.
pub const POSTS_TAGS: LinkTable = link_table(&["post_id", "tag_id", "sort_order"]);

/// The authors of posts.
pub const POSTS_AUTHORS: LinkTable = link_table(&["post_id", "author_id", "sort_order"]);

/// The tiers that may read a post.
pub const POSTS_PRODUCTS: LinkTable = link_table(&["post_id", "product_id", "sort_order"]);

/// The benefits of tiers.
pub const PRODUCTS_BENEFITS: LinkTable = link_table(&["product_id", "benefit_id", "sort_order"]);

/// Returns why a table is left out.
pub fn reason(table: &str) -> &'static str {
    match table {
        "stripe_products" | "webhooks" | "api_keys" | "invites" | "collections"
        | "collections_posts" | "comments" | "email_batches" | "emails" => "these are not imported",
        "members" | "labels" | "members_labels" | "members_newsletters" | "members_products" => {
            "members come from the CSV file that Ghost exports: galley import members.csv"
        }
        "mobiledoc_revisions" | "post_revisions" => "earlier versions of posts are not imported",
        _ => "Galley does not know this table",
    }
}
