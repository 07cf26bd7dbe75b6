//! All schemas to which operations refer, in the order of the document.
//!
//! The schema of a record with a table of fields is generated from that table, and its relations are
//! defined here. The other schemas are written in the notation of [`Shape`].

use serde_json::{Map, Value, json};

use super::records::{self, PARTIAL, public, search_index, staff};
use crate::{
    api::{
        content::offers,
        routes::{
            self,
            parameters::REVISION_PATTERN,
            route::Output,
            shape::{
                Properties, Shape, Shape::*, TEXT_OR_NULL, TIME_OR_NULL, reference, sized_list,
                with,
            },
        },
    },
    catalog::fields::{
        ACTIONS, AUTHORS, EMAILS, MEMBERS, NEWSLETTERS, OFFERS, PAGES, POSTS, RECOMMENDATIONS,
        STAFF_PAGES, STAFF_POSTS, STAFF_TIERS, TAGS, TIERS,
    },
    domain::{change::Resource, integration::IntegrationScope},
};

/// The name and the shape of a schema.
type NamedSchema = (&'static str, Shape);

/// The resources of the Content API with records: the name on the wire, the name of the schema of one
/// record, and whether there is an endpoint for a single record.
const RESOURCES: [(&str, &str, bool); 7] = [
    ("posts", "Post", true),
    ("pages", "Page", true),
    ("authors", "Author", true),
    ("tags", "Tag", true),
    ("tiers", "Tier", false),
    ("newsletters", "Newsletter", false),
    ("recommendations", "Recommendation", false),
];

/// Returns all schemas.
pub fn components() -> Map<String, Value> {
    let mut schemas = Map::new();
    // Added first, because the variants below are made of these schemas.
    add(&mut schemas, READERS);
    for (resource, record, can_be_read) in RESOURCES {
        let (first, rest) = resource.split_at(1);
        let noun = format!("{}{rest}", first.to_uppercase());
        let partial = records::partial(&schemas[record]);
        schemas.insert(format!("{PARTIAL}{record}"), partial);
        for prefix in ["", PARTIAL] {
            let items = reference(&format!("{prefix}{record}"));
            let page = json!({ "type": "array", "items": items });
            let single = sized_list(1, 1, items);
            let pagination = Object(&[("pagination", Ref("Pagination"))]).schema();
            let page = records::object_of([(resource, page), ("meta", pagination)]);
            schemas.insert(format!("{prefix}PageOf{noun}"), page);
            if can_be_read {
                let single = records::object_of([(resource, single)]);
                schemas.insert(format!("{prefix}Single{noun}"), single);
            }
        }
    }
    add(&mut schemas, STAFF);
    for route in routes::all() {
        if let Output::Page(_, Named(name, schema)) | Output::Records(_, Named(name, schema)) =
            route.output
        {
            schemas.insert(name.to_owned(), schema());
        }
    }
    add(&mut schemas, WITHOUT_TABLE);
    for (name, schema) in &mut schemas {
        schema["title"] = json!(name);
    }
    schemas
}

fn add(schemas: &mut Map<String, Value>, named: &[NamedSchema]) {
    schemas.extend(
        named
            .iter()
            .map(|(name, shape)| ((*name).to_owned(), shape.schema())),
    );
}

/// The relations of a post or a page, for readers.
const RELATIONS: &[Properties] = &[
    ("tags?", List(&Ref("Tag"))),
    ("primary_tag?", OrNull(&Ref("Tag"))),
    ("authors?", List(&Ref("Author"))),
    ("primary_author?", OrNull(&Ref("Author"))),
    ("tiers?", List(&Ref("TierOfPost"))),
];

/// The relation `count.posts`.
const COUNT: &[Properties] = &[("count?", Object(&[("posts", AtLeast(0))]))];

/// Schemas of the Content API.
#[rustfmt::skip]
static READERS: &[NamedSchema] = &[
    ("Post", Raw(|| public(&POSTS, RELATIONS))),
    ("Page", Raw(|| public(&PAGES, RELATIONS))),
    ("Author", Raw(|| public(&AUTHORS, COUNT))),
    ("Tag", Raw(|| public(&TAGS, COUNT))),
    ("Tier", Raw(|| public(&TIERS, &[]))),
    ("TierOfPost", Raw(records::tier_of_post)),
    ("Newsletter", Raw(|| public(&NEWSLETTERS, &[]))),
    ("Settings", Raw(records::settings)),
    ("Site", Raw(records::site)),
    ("Pagination", Object(&[
        ("page limit pages", AtLeast(1)),
        ("total", AtLeast(0)),
        ("next prev", OrNull(&AtLeast(1))),
    ])),
    ("RecordReference", About(
        "One of these fields identifies the record; a tag or a label that does not exist is added by its name.",
        &Open(&[("id? slug? name? email?", Text)]),
    )),
    ("Errors", Object(&[("errors", SizedList(1, 1, &ERROR))])),
    ("Recommendation", Raw(|| public(&RECOMMENDATIONS, &[]))),
    ("Offer", Raw(|| public(&OFFERS, offers::RELATIONS))),
    ("SingleOffers", Object(&[("offers", SizedList(1, 1, &Ref("Offer")))])),
    ("SearchResults", Object(&[
        ("search", List(&Object(&[
            ("id type slug title url visibility", Text),
            ("excerpt feature_image", TEXT_OR_NULL),
            ("published_at", TIME_OR_NULL),
            ("highlights", Object(&[
                ("title excerpt text", About("HTML with the words that were found in `mark` elements.", &TEXT_OR_NULL)),
            ])),
        ]))),
        ("meta", Object(&[("pagination", Ref("Pagination"))])),
    ])),
    ("SearchIndexOfPosts", Raw(|| {
        let names = "id slug title excerpt url updated_at visibility";
        search_index(&POSTS, names)
    })),
    ("SearchIndexOfTags", Raw(|| search_index(&TAGS, "id slug name url"))),
    ("SearchIndexOfAuthors", Raw(|| search_index(&AUTHORS, "id slug name url profile_image"))),
];

#[rustfmt::skip]
const ERROR: Shape = Object(&[
    ("message", Text),
    ("context", TEXT_OR_NULL),
    ("type", About("The kind of error, such as `NotFoundError`.", &Text)),
    ("details", Raw(|| json!({
        "type": ["array", "object", "null"],
        "items": { "type": "object" },
        "description": "Each error separately; for a theme, the findings.",
    }))),
    ("property help code", TEXT_OR_NULL),
    ("id", Raw(|| json!({
        "type": "string",
        "format": "uuid",
        "description": "Identifies a server error in the log.",
    }))),
    ("ghostErrorCode", Null),
]);

/// The relations of a post or a page, for staff. Unlike for public posts, `published_at` may be null,
/// because a draft need not have been published.
const STAFF_RELATIONS: &[Properties] = &[
    ("published_at?", TIME_OR_NULL),
    ("tags?", List(&Ref("StaffTag"))),
    ("primary_tag?", OrNull(&Ref("StaffTag"))),
    ("authors?", List(&Ref("User"))),
    ("primary_author?", OrNull(&Ref("User"))),
];

/// The status of an e-mail, and of a batch of recipients.
const EMAIL_STATUS: Shape = OneOf("pending submitting submitted failed");

/// The schemas of records for staff that have a table of fields, and of their parts.
#[rustfmt::skip]
static STAFF: &[NamedSchema] = &[
    ("StaffPost", Raw(|| {
        let post = staff(&STAFF_POSTS, STAFF_RELATIONS);
        with(post, &[("email?", OrNull(&Ref("Email")))])
    })),
    ("StaffPage", Raw(|| staff(&STAFF_PAGES, STAFF_RELATIONS))),
    ("Action", Raw(|| staff(&ACTIONS, &[]))),
    ("Accepted", Object(&[("status", OneOf("success"))])),
    ("MediaInlining", Object(&[
        ("status", OneOf("running idle")),
        ("waiting records records_done records_changed files_copied failures_more", Integer),
        ("domains", List(&Text)),
        ("started_at ended_at", TEXT_OR_NULL),
        ("failures", List(&Object(&[("subject reason", Text)]))),
    ])),
    ("Upload", Open(&[("url", Text), ("ref", TEXT_OR_NULL)])),
    ("MediaUpload", Open(&[("url", Text), ("ref thumbnail_url?", TEXT_OR_NULL)])),
    ("Member", Raw(|| staff(&MEMBERS, MEMBER))),
    ("NewsletterOfMember", Open(&[
        ("id name", Text),
        ("description", TEXT_OR_NULL),
        ("status", OneOf("active archived")),
    ])),
    ("TierOfMember", Raw(|| staff(&STAFF_TIERS, &[
        ("monthly_price? yearly_price?", OrNull(&Integer)),
        ("expiry_at?", TIME_OR_NULL),
        ("monthly_price_id? yearly_price_id?", Null),
    ]))),
    ("Theme", Open(&[
        ("name", Text),
        // False if the theme has no readable `package.json`.
        ("package", Raw(|| json!({ "anyOf": [{ "type": "object" }, { "type": "boolean", "enum": [false] }] }))),
        ("active", Boolean),
        ("templates?", List(&Open(&[
            ("filename name", Text),
            ("for", Raw(|| json!({ "type": "array", "items": { "type": "string", "enum": ["page", "post"] } }))),
            ("slug", TEXT_OR_NULL),
        ]))),
        ("warnings? errors?", List(&Ref("ThemeFinding"))),
    ])),
    ("ThemeFinding", Open(&[
        ("fatal", Boolean),
        ("level", Raw(|| json!({ "type": "string", "enum": ["error", "warning"] }))),
        ("rule details", Text),
        ("failures", List(&Open(&[("ref message? rule", Text)]))),
        ("code", Text),
    ])),
    ("CustomThemeSetting", Open(&[
        ("id key", Text),
        ("type", Raw(|| json!({ "type": "string", "enum": ["select", "boolean", "color", "image", "text"] }))),
        ("value", Any),
    ])),
    ("Email", Raw(|| staff(&EMAILS, &[("status?", EMAIL_STATUS)]))),
    ("EmailProgress", Object(&[
        ("id", Text),
        ("sending", Object(&[
            ("status", OneOf("preparing submitting submitted failed")),
            ("progress", Object(&[
                ("completed total", Integer),
                ("estimated_seconds_remaining", Null),
            ])),
            ("failed_during?", OneOf("preparing submitting")),
        ])),
    ])),
    ("EmailBatch", Object(&[
        ("id email_id", Text),
        ("provider_id", Null),
        ("fallback_sending_domain", Raw(|| json!({ "const": false }))),
        ("status", EMAIL_STATUS),
        ("member_segment error_status_code", Null),
        ("error_message", TEXT_OR_NULL),
        ("error_data", Null),
        ("created_at updated_at", Time),
        ("count?", Open(&[("recipients?", Integer)])),
    ])),
    ("EmailFailure", Object(&[
        ("id email_id member_id email_recipient_id", Text),
        ("code", OrNull(&Integer)),
        ("enhanced_code", Null),
        ("message", Text),
        ("severity", Only("permanent")),
        ("failed_at", Time),
        ("event_id", Null),
        ("member?", Object(&[
            ("id uuid", Text),
            ("name", TEXT_OR_NULL),
            ("email", Text),
            ("avatar_image", TEXT_OR_NULL),
        ])),
        ("email_recipient?", Object(&[
            ("id email_id member_id batch_id", Text),
            ("processed_at", Time),
            ("delivered_at opened_at", Null),
            ("failed_at", Time),
            ("member_uuid member_email", Text),
            ("member_name", TEXT_OR_NULL),
        ])),
    ])),
];

/// The fields of a member in addition to the columns of its table.
#[rustfmt::skip]
const MEMBER: &[Properties] = &[
    ("subscribed comped", Boolean),
    ("subscriptions", List(&AnyObject)),
    ("current_subscription", Null),
    ("avatar_image", TEXT_OR_NULL),
    ("unsubscribe_url", Text),
    ("email_suppression", Open(&[("suppressed?", Boolean), ("info?", OrNull(&AnyObject))])),
    ("enable_updates_and_announcements?", Null),
    ("can_comment?", Boolean),
    ("commenting?", AnyObject),
    ("labels?", List(&Ref("Label"))),
    ("newsletters?", List(&Ref("NewsletterOfMember"))),
    ("tiers?", List(&Ref("TierOfMember"))),
    ("attribution?", Open(&[
        ("id? type? url? title?", Null),
        ("referrer_source? referrer_medium?", TEXT_OR_NULL),
        ("referrer_url?", Null),
    ])),
    ("email_recipients?", List(&AnyObject)),
];

/// The header fields of a webhook's delivery.
const HEADERS: Shape =
    Raw(|| json!({ "type": "object", "additionalProperties": { "type": "string" } }));

/// The problems of a commit.
const PROBLEMS: Shape = List(&Ref("ContentProblem"));

/// The schemas of records without a table of fields.
#[rustfmt::skip]
static WITHOUT_TABLE: &[NamedSchema] = &[
    // Keys and webhooks are present if `include` names them, and keys also in responses to changes.
    ("Integration", Object(&[
        ("id", Text),
        ("type", Only("custom")),
        ("name slug", Text),
        ("icon_image description", TEXT_OR_NULL),
        ("created_at updated_at", Time),
        ("scope?", About(
            "The access of the Admin API key; absent if the default for all integrations applies.",
            &Raw(|| json!({ "enum": IntegrationScope::NAMES })),
        )),
        ("api_keys?", List(&Ref("ApiKey"))),
        ("webhooks?", List(&Ref("Webhook"))),
    ])),
    ("ApiKey", Object(&[
        ("id", Text),
        ("type", OneOf("content admin")),
        ("secret", Text),
        ("role_id", TEXT_OR_NULL),
        ("integration_id", Text),
        ("user_id last_seen_at last_seen_version", Null),
        ("created_at updated_at", Time),
    ])),
    ("Webhook", Object(&[
        ("id event target_url", Text),
        ("name secret", TEXT_OR_NULL),
        ("api_version integration_id", Text),
        ("status", Only("available")),
        ("last_triggered_at", TIME_OR_NULL),
        ("last_triggered_status last_triggered_error", TEXT_OR_NULL),
        ("created_at updated_at", Time),
    ])),
    ("WebhookDelivery", Object(&[
        ("id", Text),
        ("number", AtLeast(0)),
        ("event", Text),
        ("state", OneOf("waiting delivered given_up")),
        ("queued_at", Time),
        ("finished_at due_at", TIME_OR_NULL),
        ("latency_ms", OrNull(&AtLeast(0))),
        ("attempt_count", AtLeast(0)),
        ("attempts", List(&Object(&[
            ("at", Time),
            ("status", OrNull(&AtLeast(0))),
            ("error", TEXT_OR_NULL),
            ("latency_ms", AtLeast(0)),
        ]))),
        ("request", Object(&[
            ("url", TEXT_OR_NULL),
            ("headers", HEADERS),
            ("body", TEXT_OR_NULL),
            ("body_bytes", AtLeast(0)),
        ])),
        ("response", OrNull(&Object(&[
            ("status", AtLeast(0)),
            ("headers", HEADERS),
            ("body", Text),
            ("is_cut", Boolean),
        ]))),
    ])),
    ("WebhookDeliveries", Object(&[
        ("deliveries", List(&Ref("WebhookDelivery"))),
        ("meta", Object(&[
            ("pagination", AnyObject),
            ("waiting", Object(&[
                ("count", AtLeast(0)),
                ("is_more", Boolean),
                ("next", OrNull(&Ref("WebhookDelivery"))),
            ])),
        ])),
    ])),
    ("GitSource", Object(&[
        ("url", Text),
        ("branch path commit author author_email", TEXT_OR_NULL),
        ("authored_at", TIME_OR_NULL),
        ("message", TEXT_OR_NULL),
        ("files", AtLeast(0)),
        ("problems", PROBLEMS),
        ("refused", OrNull(&Ref("RefusedCommit"))),
        ("looked_at", TIME_OR_NULL),
        ("failure", OrNull(&Object(&[
            ("message", Text),
            ("failed_at", Time),
            ("attempts", AtLeast(1)),
            ("tried_again_at", Time),
        ]))),
        ("writes_files", Boolean),
        ("write_back", OneOf("off folder commit push")),
        ("waiting_edits", AtLeast(0)),
        ("reviews", List(&Ref("GitReview"))),
        ("conflicts", List(&Ref("GitConflict"))),
        ("conflict_branches", List(&Text)),
        ("ignored", List(&Text)),
    ])),
    // A conflict of an edit with another change of the same file. The other change takes precedence.
    ("GitConflict", Object(&[
        ("path title editor", Text),
        ("other_author branch", TEXT_OR_NULL),
        ("edited_at found_at", Time),
    ])),
    // A branch with edits that could not be pushed to the followed branch.
    ("GitReview", Object(&[
        ("branch commit reason", Text),
        ("edits", AtLeast(0)),
        ("refused_since", Time),
    ])),
    ("RefusedCommit", Object(&[
        ("commit author author_email", Text),
        ("authored_at", Time),
        ("message", Text),
        ("problems", PROBLEMS),
    ])),
    // Line and column are present only if the problem refers to a position.
    ("ContentProblem", Object(&[
        ("severity", OneOf("error warning")),
        ("file message advice", Text),
        ("detail?", Text),
        ("line? column? mark_start? mark_length?", AtLeast(0)),
        ("line_text?", Text),
    ])),
    // The values of lists are JSON text.
    ("StaffSetting", Object(&[
        ("key", Text),
        ("value", Raw(|| json!({ "type": ["string", "boolean", "number", "null"] }))),
    ])),
    ("Config", Object(&[("config", Object(&[
        ("version environment database", Text),
        ("mail", Raw(|| json!({ "enum": ["SMTP", ""] }))),
        ("useGravatar enableDeveloperExperiments stripeDirect mailgunIsConfigured emailAnalytics", Boolean),
        ("labs clientExtensions hostSettings", AnyObject),
        ("klipy", Object(&[("apiKey", Null), ("contentFilter", Text)])),
        ("signupForm", Object(&[("url version", Text)])),
        ("security", Object(&[("staffDeviceVerification", Boolean)])),
    ]))])),
    ("Oembed", Raw(|| json!({ "anyOf": [reference("OembedPlayer"), reference("OembedCard")] }))),
    ("OembedPlayer", Object(&[
        ("version", Only("1.0")),
        ("type", OneOf("video rich")),
        ("url provider_name provider_url html", Text),
        ("width height", OrNull(&AtLeast(1))),
        ("thumbnail_url?", Text),
    ])),
    ("OembedCard", Object(&[
        ("version", Only("1.0")),
        ("type", OneOf("bookmark mention")),
        ("url", Text),
        ("metadata", Ref("PageMetadata")),
    ])),
    ("PageMetadata", Object(&[
        ("url title", Text),
        ("description author publisher thumbnail icon", TEXT_OR_NULL),
    ])),
    ("TinybirdToken", Object(&[("tinybird", Null)])),
    ("FeaturebaseToken", Object(&[("token", Text)])),
    ("Change", Object(&[
        ("revision", AtLeast(1)),
        ("resource", Raw(|| json!({ "enum": Resource::ALL.map(Resource::name) }))),
        ("change", OneOf("published changed removed")),
        ("id", About("Null for the settings.", &TEXT_OR_NULL)),
        ("slug", TEXT_OR_NULL),
        ("url", About(
            "The URL of its page. Null if it has none, or if another record has taken the URL over.",
            &TEXT_OR_NULL,
        )),
        ("previous", About(
            "Its former slugs that no other record has now.",
            &List(&Object(&[("slug", Text), ("url", TEXT_OR_NULL)])),
        )),
        ("updated_at", TIME_OR_NULL),
    ])),
    ("Changes", Object(&[
        ("changes", List(&Ref("Change"))),
        ("meta", Object(&[
            ("revision", AtLeast(1)),
            ("reset", About(
                "True if this is a page of a full listing: records that it does not contain are removed.",
                &Boolean,
            )),
            ("next", About(
                "The `since` of the next page; null on the last.",
                &Raw(|| json!({ "type": ["string", "null"], "pattern": REVISION_PATTERN })),
            )),
        ])),
    ])),
];
