//! Tests of the columns of an export: each is imported, skipped for a reason or reported as unknown.

use galley::domain::newsletter_design::DESIGN;
use serde_json::{Map, Value, json};

use super::destination::{Destination, notes_about};

/// A table of an export with one row.
struct Table {
    name: &'static str,
    /// The columns that Ghost 4 to 6 and Galley write, in addition to those of `row`.
    columns: &'static str,
    /// The columns whose values decide how the row is read.
    row: Value,
}

/// Returns every table and column that the importer knows; `of_post`, `of_tag` and `of_tier` decide how their rows are read.
fn tables(of_post: &Value, of_tag: &Value, of_tier: &Value) -> Vec<Table> {
    let table = |name, columns, row| Table { name, columns, row };
    vec![
        table(
            "posts",
            "uuid title featured lexical mobiledoc html comment_id created_at updated_at published_at \
             show_title_and_feature_image author_id newsletter_id email_recipient_filter plaintext \
             auto_excerpt reading_time locale published_by send_email_when_published url created_by \
             updated_by custom_excerpt feature_image codeinjection_head codeinjection_foot \
             custom_template canonical_url",
            of_post.clone(),
        ),
        table(
            "posts_meta",
            "id og_image og_title og_description twitter_image twitter_title twitter_description \
             meta_title meta_description email_subject frontmatter feature_image_alt \
             feature_image_caption email_only",
            json!({ "post_id": "1" }),
        ),
        table(
            "users",
            "slug password status last_seen comment_notifications free_member_signup_notification \
             paid_subscription_started_notification paid_subscription_canceled_notification \
             mention_notifications recommendation_notifications milestone_notifications \
             donation_notifications created_at updated_at roles visibility last_login \
             gift_subscription_notifications profile_image cover_image bio website location facebook \
             twitter threads bluesky mastodon tiktok youtube instagram linkedin meta_title \
             meta_description accessibility tour",
            json!({ "id": "1", "name": "Ada", "email": "ada@example.com" }),
        ),
        table(
            "tags",
            "uuid created_at updated_at created_by updated_by description feature_image og_image \
             og_title og_description twitter_image twitter_title twitter_description meta_title \
             meta_description codeinjection_head codeinjection_foot canonical_url accent_color",
            of_tag.clone(),
        ),
        table(
            "products",
            "name active visibility currency monthly_price yearly_price monthly_price_id \
             yearly_price_id trial_days created_at updated_at description welcome_page_url",
            of_tier.clone(),
        ),
        table(
            "newsletters",
            "uuid slug description sender_email visibility subscribe_on_signup sort_order created_at \
             updated_at",
            json!({ "id": "1", "name": "Weekly", "status": "archived" }),
        ),
        table(
            "offers",
            "id active name portal_title portal_description redemption_type currency \
             duration_in_months discount_amount created_at updated_at stripe_coupon_id",
            json!({
                "code": "less", "product_id": "1", "interval": "month", "discount_type": "percent",
                "duration": "once",
            }),
        ),
        table(
            "recommendations",
            "id title excerpt featured_image favicon description one_click_subscribe created_at \
             updated_at",
            json!({ "url": "https://other.example/" }),
        ),
        table(
            "snippets",
            "id mobiledoc lexical created_at updated_at",
            json!({ "name": "Hours" }),
        ),
        table(
            "integrations",
            "id slug icon_image description created_at updated_at",
            json!({ "name": "Feed", "type": "custom" }),
        ),
        table(
            "custom_theme_settings",
            "id type value",
            json!({ "theme": "casper", "key": "nav" }),
        ),
        table(
            "settings",
            "id uuid group type flags created_at updated_at",
            json!({ "key": "title", "value": "Quay" }),
        ),
        table(
            "roles",
            "id name description created_at updated_at",
            json!({}),
        ),
        table("benefits", "id name slug created_at updated_at", json!({})),
        table(
            "stripe_prices",
            "id amount currency stripe_price_id stripe_product_id active nickname type interval \
             description created_at updated_at",
            json!({}),
        ),
        table("roles_users", "id user_id role_id", json!({})),
        table("posts_tags", "id post_id tag_id sort_order", json!({})),
        table(
            "posts_authors",
            "id post_id author_id sort_order",
            json!({}),
        ),
        table(
            "posts_products",
            "id post_id product_id sort_order",
            json!({}),
        ),
        table(
            "products_benefits",
            "id product_id benefit_id sort_order",
            json!({}),
        ),
    ]
}

/// Returns an export with every column of `tables` and the columns `more` in each.
fn export(tables: Vec<Table>, more: &[&str]) -> Value {
    let data: Map<String, Value> = tables
        .into_iter()
        .map(|table| {
            let mut row = table.row;
            let design = DESIGN.iter().map(|choice| choice.name);
            let design = design.filter(|_| table.name == "newsletters");
            let columns = table.columns.split(' ').filter(|name| !name.is_empty());
            for column in columns.chain(design).chain(more.iter().copied()) {
                row[column] = match column {
                    _ if column.ends_with("_at") => json!("2024-01-31T10:00:00.000Z"),
                    _ => json!("1"),
                };
            }
            (table.name.to_owned(), json!([row]))
        })
        .collect();
    json!({ "meta": { "version": "6.65.0" }, "data": data })
}

const POSTS: [fn() -> Value; 3] = [
    || json!({ "id": "1", "slug": "tide", "type": "post", "status": "published", "visibility": "public" }),
    || json!({ "id": "1", "slug": "about", "page": true, "status": "draft", "visibility": "tiers" }),
    || json!({ "id": "1", "slug": "later", "type": "page", "page": 1, "status": "scheduled" }),
];

const TAGS: [fn() -> Value; 2] = [
    || json!({ "id": "1", "slug": "tides", "name": "Tides", "visibility": "public" }),
    || json!({ "id": "1", "slug": "hash-pinned", "name": "#pinned", "visibility": "internal" }),
];

const TIERS: [fn() -> Value; 3] = [
    || json!({ "id": "1", "slug": "free", "type": "free" }),
    || json!({ "id": "1", "slug": "gold", "type": "paid" }),
    || json!({ "id": "1", "slug": "free" }),
];

#[test]
fn all_columns_of_ghost_are_known() {
    for number in 0..3 {
        let (post, tag, tier) = (POSTS[number](), TAGS[number % 2](), TIERS[number]());
        let site = Destination::new();
        let export = export(tables(&post, &tag, &tier), &[]);
        for round in ["first", "again"] {
            let report = site.import_json(&export);
            let unknown = notes_about(&report, "columns of the table");
            assert_eq!(unknown, [""; 0], "{round}: {post} {tag} {tier}");
        }
    }
}

#[test]
fn unknown_columns_of_every_table_are_reported() {
    let tables = || tables(&POSTS[0](), &TAGS[0](), &TIERS[1]());
    let report = Destination::new().import_json(&export(tables(), &["colour", "shape"]));
    for Table { name, .. } in tables() {
        let subject = format!("columns of the table {name} that Galley does not have");
        assert_eq!(notes_about(&report, &subject), ["colour, shape"], "{name}");
    }
}

#[test]
fn metadata_in_a_post_row_fills_gaps_in_the_metadata_table() {
    let site = Destination::new();
    site.import_json(&json!({ "data": {
        "posts": [{
            "id": "1", "slug": "tide", "title": "Tide", "html": "<p>Low.</p>", "status": "published",
            "published_at": "2024-01-31T10:00:00Z", "meta_title": "Of the post", "og_title": "Shared",
        }],
        "posts_meta": [{ "post_id": "1", "meta_title": "Of the metadata" }],
    }}));
    let post = site.post("tide");
    assert_eq!(post["meta_title"], "Of the metadata");
    assert_eq!(post["og_title"], "Shared");
}
