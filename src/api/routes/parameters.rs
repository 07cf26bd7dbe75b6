//! The parameters of endpoints, with their rules as recorded from Ghost 6.65.

use serde_json::{Value, json};

use super::shape::Shape::{self, Boolean, Date, List, OneOf, Raw, Text};
use crate::{
    api::content::changes::{ENTRIES_DEFAULT, ENTRIES_MAX, WAIT_MAX},
    catalog::{
        browse::{PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX},
        fields::{self, Schema},
    },
    domain::recommendation::PAGE_RECOMMENDATIONS_DEFAULT,
};

/// One parameter.
#[derive(Clone, Copy)]
pub struct Parameter {
    /// Its key among the shared parameters of the OpenAPI document; `None` if each operation has a
    /// copy.
    pub key: Option<&'static str>,
    /// The part of the request that contains it.
    pub location: ParameterLocation,
    /// Its name.
    pub name: &'static str,
    /// Its description.
    pub about: &'static str,
    /// The numbers that replace `{}` in the description.
    pub numbers: &'static [u64],
    /// True if it is required.
    pub required: bool,
    /// Its shape.
    pub shape: Shape,
}

/// The part of a request that contains a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterLocation {
    /// In the query.
    Query,
    /// In the query, as a list separated by commas.
    QueryList,
    /// In the path.
    Path,
    /// In the header section.
    Header,
}

const fn own(name: &'static str, about: &'static str, shape: Shape) -> Parameter {
    Parameter {
        key: None,
        location: ParameterLocation::Query,
        name,
        about,
        numbers: &[],
        required: false,
        shape,
    }
}

const fn shared(
    key: &'static str,
    name: &'static str,
    about: &'static str,
    shape: Shape,
) -> Parameter {
    Parameter {
        key: Some(key),
        ..own(name, about, shape)
    }
}

const fn list(
    key: &'static str,
    name: &'static str,
    about: &'static str,
    shape: Shape,
) -> Parameter {
    Parameter {
        location: ParameterLocation::QueryList,
        ..shared(key, name, about, shape)
    }
}

const fn variable(name: &'static str, about: &'static str, shape: Shape) -> Parameter {
    Parameter {
        location: ParameterLocation::Path,
        required: true,
        ..shared(name, name, about, shape)
    }
}

const fn fields(key: &'static str, names: Shape) -> Parameter {
    const ABOUT: &str = "The only fields to serve. Unknown names are ignored.";
    list(key, "fields", ABOUT, names)
}

const fn include(key: &'static str, names: Shape) -> Parameter {
    const ABOUT: &str = "Relations to add to each record; spaces and unknown names are ignored.";
    list(key, "include", ABOUT, names)
}

/// All parameters that operations refer to.
pub static SHARED: &[Parameter] = &[
    KEY,
    ID,
    SLUG,
    FILTER,
    ORDER,
    LIMIT,
    PAGE,
    STAFF_INCLUDE,
    STAFF_FIELDS,
    STAFF_FORMATS,
    SOURCE,
    NEWSLETTER,
    EMAIL_SEGMENT,
    SAVE_REVISION,
    FORMATS,
    VISIBILITY,
    POSTS_INCLUDE,
    POSTS_SEARCH,
    PAGES_INCLUDE,
    TAGS_INCLUDE,
    AUTHORS_INCLUDE,
    TIERS_INCLUDE,
    POSTS_FIELDS,
    PAGES_FIELDS,
    AUTHORS_FIELDS,
    TAGS_FIELDS,
    TIERS_FIELDS,
    NEWSLETTERS_FIELDS,
    RECOMMENDATIONS_FIELDS,
];

/// The Content API key, for client generators that do not support keys in queries. It is a parameter of
/// every endpoint that requires a key.
pub const KEY: Parameter = shared(
    "key",
    "key",
    "A Content API key, once. The same as `contentKey`, for client generators that do not support security schemes in queries.",
    Raw(|| json!({ "type": "string", "pattern": "^[0-9a-f]{26}$" })),
);

/// The variable `{id}` of the Content API.
pub const ID: Parameter = variable(
    "id",
    "Identifier of the record.",
    Raw(|| json!({ "type": "string", "pattern": "^([0-9A-Fa-f]{24}|1|me)$" })),
);

/// The variable `{slug}` of the Content API.
pub const SLUG: Parameter = variable(
    "slug",
    "Slug of the record.",
    Raw(|| json!({ "type": "string", "pattern": "^[a-z0-9_-]+$" })),
);

/// A filter.
pub const FILTER: Parameter = shared(
    "filter",
    "filter",
    "An NQL filter: `tag:news+featured:true`. Conditions on fields that are never served are ignored. Times are compared with dates: `published_at:>'2024-01-31'`.",
    Raw(|| json!({ "type": "string", "examples": ["tag:letters+published_at:>now-30d"] })),
);

/// An order.
pub const ORDER: Parameter = shared(
    "order",
    "order",
    "Fields, each with `asc` or `desc`. Invalid parts are ignored. Nulls are first in ascending and last in descending order.",
    Raw(
        || json!({ "type": "string", "pattern": "^[A-Za-z0-9_,. ]+$", "examples": ["published_at desc,title asc"] }),
    ),
);

/// The length of a page.
pub const LIMIT: Parameter = Parameter {
    numbers: &[
        PAGE_RECORDS_DEFAULT as u64,
        PAGE_RECORDS_MAX as u64,
        PAGE_RECORDS_MAX as u64,
    ],
    ..shared(
        "limit",
        "limit",
        "Records per page. 0 means {}; `all` and numbers above {} mean {}, or `server.list_limit_max` in the Content API.",
        Raw(|| number_or_all(0, PAGE_RECORDS_DEFAULT)),
    )
};

const RECOMMENDATION_LIMIT: Parameter = Parameter {
    key: None,
    numbers: &[
        PAGE_RECOMMENDATIONS_DEFAULT as u64,
        PAGE_RECORDS_MAX as u64,
        PAGE_RECORDS_MAX as u64,
    ],
    shape: Raw(|| number_or_all(0, PAGE_RECOMMENDATIONS_DEFAULT)),
    ..LIMIT
};

/// The number of a page.
pub const PAGE: Parameter = shared(
    "page",
    "page",
    "The page, from 1; 0 means 1.",
    Raw(|| json!({ "type": "integer", "minimum": 0, "default": 1 })),
);

/// The parameters of every list.
pub const LISTS: &[Parameter] = &[FILTER, ORDER, LIMIT, PAGE];

/// The counts of recommendations, which are always 0.
pub const RECOMMENDATION_COUNTS: Parameter = Parameter {
    location: ParameterLocation::QueryList,
    ..own(
        "include",
        "Counts to add to each record.",
        List(&OneOf("count.clicks count.subscribers")),
    )
};

/// The parameters of lists of recommendations.
pub const RECOMMENDATION_LISTS: &[Parameter] = &[FILTER, ORDER, RECOMMENDATION_LIMIT, PAGE];

/// Relations of a record, for staff.
pub const STAFF_INCLUDE: Parameter = list(
    "staff-include",
    "include",
    "Relations to add to each record; unknown names are ignored.",
    List(&Text),
);

/// Fields of a record, for staff.
pub const STAFF_FIELDS: Parameter = list(
    "staff-fields",
    "fields",
    "The only fields to serve; unknown names are ignored.",
    List(&Text),
);

/// Formats of a body, for staff.
pub const STAFF_FORMATS: Parameter = list(
    "staff-formats",
    "formats",
    "The formats of the body.",
    List(&OneOf("html plaintext mobiledoc lexical")),
);

/// A full-text search.
pub const POSTS_SEARCH: Parameter = shared(
    "posts-search",
    "search",
    "Words to find; \"words in quotes\" match as a phrase, and -word excludes. Without `order`, the best matches are first.",
    Text,
);

/// The text of a full-text search.
pub const Q: &[Parameter] = &[
    own(
        "q",
        "Words to find; \"words in quotes\" match as a phrase, and -word excludes.",
        Text,
    ),
    LIMIT,
    PAGE,
];

/// The parameters that select parts of a record, for staff.
pub const STAFF_RECORDS: &[Parameter] = &[STAFF_INCLUDE, STAFF_FIELDS];

/// The parameters that select parts of a post or a page, for staff.
pub const STAFF_POSTS: &[Parameter] = &[STAFF_INCLUDE, STAFF_FIELDS, STAFF_FORMATS];

/// The parameters of a saved post or page: the form of its body, and its parts in the response.
pub const SAVED_POSTS: &[Parameter] = &[STAFF_INCLUDE, SOURCE, STAFF_FORMATS];

/// The form of a saved body.
pub const SOURCE: Parameter = shared(
    "source",
    "source",
    "`html`: the body is `html`, which is converted.",
    Text,
);

/// The newsletter with which a post is sent.
pub const NEWSLETTER: Parameter = shared(
    "newsletter",
    "newsletter",
    "The slug of the newsletter that a post is sent with when it is published.",
    Text,
);

/// The recipients of a post.
pub const EMAIL_SEGMENT: Parameter = shared(
    "email_segment",
    "email_segment",
    "A filter of members: which subscribers get the post.",
    Text,
);

/// The newsletter and recipients of a post that is published.
pub const SENDING: &[Parameter] = &[NEWSLETTER, EMAIL_SEGMENT];

/// Forces the creation of a revision.
pub const SAVE_REVISION: Parameter = shared(
    "save_revision",
    "save_revision",
    "`true` creates a revision in any case.",
    Boolean,
);

/// Formats of a body, for readers.
pub const FORMATS: Parameter = list(
    "formats",
    "formats",
    "The formats of the body. The last two are accepted and ignored.",
    Raw(|| {
        json!({
            "type": "array",
            "items": { "enum": ["html", "plaintext", "mobiledoc", "lexical"] },
            "default": ["html"],
        })
    }),
);

/// The required visibility of a tag.
pub const VISIBILITY: Parameter = shared(
    "visibility",
    "visibility",
    "The visibility that the tag must have.",
    OneOf("public internal"),
);

/// Relations of posts.
pub const POSTS_INCLUDE: Parameter = include("posts-include", List(&OneOf("authors tags tiers")));

/// Relations of pages.
pub const PAGES_INCLUDE: Parameter = include("pages-include", List(&OneOf("authors tags tiers")));

/// Relations of tags.
pub const TAGS_INCLUDE: Parameter = include("tags-include", List(&OneOf("count.posts")));

/// Relations of authors.
pub const AUTHORS_INCLUDE: Parameter = include("authors-include", List(&OneOf("count.posts")));

/// Relations of tiers.
pub const TIERS_INCLUDE: Parameter = include(
    "tiers-include",
    List(&OneOf("benefits monthly_price yearly_price")),
);

/// Fields of posts.
pub const POSTS_FIELDS: Parameter = fields("posts-fields", List(&Raw(|| one_of(&fields::POSTS))));

/// Fields of pages.
pub const PAGES_FIELDS: Parameter = fields("pages-fields", List(&Raw(|| one_of(&fields::PAGES))));

/// Fields of authors.
pub const AUTHORS_FIELDS: Parameter =
    fields("authors-fields", List(&Raw(|| one_of(&fields::AUTHORS))));

/// Fields of tags.
pub const TAGS_FIELDS: Parameter = fields("tags-fields", List(&Raw(|| one_of(&fields::TAGS))));

/// Fields of tiers.
pub const TIERS_FIELDS: Parameter = fields("tiers-fields", List(&Raw(|| one_of(&fields::TIERS))));

/// Fields of newsletters.
pub const NEWSLETTERS_FIELDS: Parameter = fields(
    "newsletters-fields",
    List(&Raw(|| one_of(&fields::NEWSLETTERS))),
);

/// Fields of recommendations.
pub const RECOMMENDATIONS_FIELDS: Parameter = fields(
    "recommendations-fields",
    List(&Raw(|| one_of(&fields::RECOMMENDATIONS))),
);

/// The parameters that select parts of a post, for readers.
pub const POSTS: &[Parameter] = &[POSTS_FIELDS, POSTS_INCLUDE, FORMATS];

/// The parameters that select parts of a page, for readers.
pub const PAGES: &[Parameter] = &[PAGES_FIELDS, PAGES_INCLUDE, FORMATS];

/// The parameters that select parts of a tag, for readers.
pub const TAGS: &[Parameter] = &[TAGS_FIELDS, TAGS_INCLUDE];

/// The parameters that select parts of an author, for readers.
pub const AUTHORS: &[Parameter] = &[AUTHORS_FIELDS, AUTHORS_INCLUDE];

/// The parameters that select parts of a tier, for readers.
pub const TIERS: &[Parameter] = &[TIERS_FIELDS, TIERS_INCLUDE];

/// The pattern of a [`FeedPosition`](crate::api::content::changes::FeedPosition): a revision, or a
/// position in a full listing.
pub const REVISION_PATTERN: &str = r"^[0-9]+(\.[a-z]+\.[0-9A-Fa-f]{24})?$";

/// The parameters of the change feed.
pub const CHANGES: &[Parameter] = &[
    own(
        "since",
        "The revision that the client has: 0 for none, or `next` of the last response or, if that was null, `revision`. An unknown revision counts as 0.",
        Raw(|| json!({ "type": "string", "pattern": REVISION_PATTERN, "default": "0" })),
    ),
    Parameter {
        numbers: &[ENTRIES_MAX as u64],
        ..own(
            "limit",
            "Most changes in a response; capped at {}.",
            Raw(|| number_or_all(1, ENTRIES_DEFAULT)),
        )
    },
    Parameter {
        numbers: &[WAIT_MAX.as_secs()],
        ..own(
            "wait",
            "Seconds to wait for a change if there is none, at most {}.",
            Raw(|| json!({ "type": "integer", "minimum": 0, "default": 0 })),
        )
    },
    Parameter {
        location: ParameterLocation::Header,
        ..own(
            "Last-Event-ID",
            "The `id` of the last event received; it takes precedence over `since`. For event streams only.",
            Raw(|| json!({ "type": "string", "pattern": REVISION_PATTERN })),
        )
    },
];

/// The parameters of an embed.
pub const EMBED: &[Parameter] = &[
    Parameter {
        required: true,
        ..own("url", "The URL.", Text)
    },
    own(
        "type",
        "A player (`embed`) or a card. By default a player if there is one, and a card otherwise.",
        OneOf("embed bookmark mention"),
    ),
];

/// The theme from which an uploaded theme takes over settings.
pub const COPIED_SETTINGS: &[Parameter] = &[own(
    "copy_settings_from",
    "The name of a theme, whose chosen settings the new one gets, unless it has its own.",
    Text,
)];

/// The repository of a theme.
pub const REPOSITORY: &[Parameter] = &[
    Parameter {
        required: true,
        ..own("source", "The host of the repository.", OneOf("github"))
    },
    Parameter {
        required: true,
        ..own(
            "ref",
            "The repository, such as `TryGhost/Solo`. The theme has its name.",
            Text,
        )
    },
];

/// A search for members.
pub const SEARCH: Parameter = own(
    "search",
    "A text that the name or the e-mail address contains, case-insensitively.",
    Text,
);

/// The members of a bulk operation.
pub const SELECTED_MEMBERS: &[Parameter] = &[
    FILTER,
    SEARCH,
    own(
        "all",
        "Selects all members, in place of a filter or a search.",
        OneOf("true"),
    ),
];

/// The mail to a new member.
pub const WELCOME: &[Parameter] = &[
    own(
        "send_email",
        "`true` sends the member an e-mail with a link.",
        Boolean,
    ),
    own(
        "email_type",
        "The purpose of the link.",
        OneOf("signin signup subscribe"),
    ),
];

/// The recipient of a previewed e-mail.
pub const PREVIEW: &[Parameter] = &[
    own(
        "memberSegment",
        "The segment of recipients.",
        OneOf("status:free status:-free"),
    ),
    own("newsletter", "The slug of the newsletter.", Text),
];

/// The days of statistics.
pub const PERIOD: &[Parameter] = &[
    own("date_from", "The first day.", Date),
    own("date_to", "The last day.", Date),
];

/// The newsletter of statistics.
pub const NEWSLETTER_ID: Parameter = own("newsletter_id", "The id of the newsletter.", Text);

/// The events of an import.
pub const EVENTS: Parameter = own(
    "events",
    "`true` sends webhooks an event for each record, and not only for the change of the site.",
    Raw(|| json!({ "type": "boolean", "default": true })),
);

/// The parts of an export.
pub const COMPONENTS: Parameter = Parameter {
    location: ParameterLocation::QueryList,
    ..own(
        "components",
        "The parts of the archive; all by default.",
        List(&OneOf("analytics content members routes themes")),
    )
};

fn number_or_all(min: usize, default: usize) -> Value {
    json!({
        "anyOf": [{ "type": "integer", "minimum": min }, { "const": "all" }],
        "default": default,
    })
}

/// Returns the schema of a served field's name.
fn one_of<R>(schema: &'static Schema<R>) -> Value {
    let names: Vec<&str> = schema.served().map(|field| field.name).collect();
    json!({ "enum": names })
}
