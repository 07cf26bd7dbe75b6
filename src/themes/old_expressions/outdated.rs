//! Expressions of earlier versions of Ghost that are reported: they show nothing, or will soon (Ghost 6.65).

use super::form::{OldExpression, block, condition, condition_below, text, value, value_below};

/// The block of an author, which is only valid in the templates of authors.
pub const AUTHOR_BLOCK: OldExpression = block("GS001-DEPR-AUTHBL", "author", "primary_author");

/// The other expressions.
pub const OUTDATED: &[OldExpression] = &[
    value(
        "GS001-DEPR-AIMG",
        "author.image",
        "primary_author.profile_image",
    ),
    value(
        "GS001-DEPR-AC",
        "author.cover",
        "primary_author.cover_image",
    ),
    value(
        "GS001-DEPR-PAIMG",
        "post.author.image",
        "post.primary_author.profile_image",
    ),
    value(
        "GS001-DEPR-PAC",
        "post.author.cover",
        "post.primary_author.cover_image",
    ),
    value(
        "GS001-DEPR-PPP",
        "@blog.posts_per_page",
        "@config.posts_per_page",
    ),
    value(
        "GS001-DEPR-AC-2",
        "primary_author.cover",
        "primary_author.cover_image",
    ),
    value(
        "GS001-DEPR-AC-3",
        "authors.[#].cover",
        "authors.[#].cover_image",
    ),
    value(
        "GS001-DEPR-AIMG-2",
        "primary_author.image",
        "primary_author.profile_image",
    ),
    value(
        "GS001-DEPR-AIMG-3",
        "authors.[#].image",
        "authors.[#].profile_image",
    ),
    value(
        "GS001-DEPR-PAC-2",
        "post.primary_author.cover",
        "post.primary_author.cover_image",
    ),
    value(
        "GS001-DEPR-PAC-3",
        "post.authors.[#].cover",
        "post.authors.[#].cover_image",
    ),
    value(
        "GS001-DEPR-PAIMG-2",
        "post.primary_author.image",
        "post.primary_author.profile_image",
    ),
    value(
        "GS001-DEPR-PAIMG-3",
        "post.authors.[#].image",
        "post.authors.[#].profile_image",
    ),
    value("GS001-DEPR-AUTH", "author", "authors"),
    value("GS001-DEPR-AUTH-ID", "author.id", "primary_author.id"),
    value("GS001-DEPR-AUTH-SLUG", "author.slug", "primary_author.slug"),
    value(
        "GS001-DEPR-AUTH-MAIL",
        "author.email",
        "primary_author.email",
    ),
    value(
        "GS001-DEPR-AUTH-MT",
        "author.meta_title",
        "primary_author.meta_title",
    ),
    value(
        "GS001-DEPR-AUTH-MD",
        "author.meta_description",
        "primary_author.meta_description",
    ),
    value("GS001-DEPR-AUTH-NAME", "author.name", "primary_author.name"),
    value("GS001-DEPR-AUTH-BIO", "author.bio", "primary_author.bio"),
    value(
        "GS001-DEPR-AUTH-LOC",
        "author.location",
        "primary_author.location",
    ),
    value(
        "GS001-DEPR-AUTH-WEB",
        "author.website",
        "primary_author.website",
    ),
    value(
        "GS001-DEPR-AUTH-TW",
        "author.twitter",
        "primary_author.twitter",
    ),
    value(
        "GS001-DEPR-AUTH-FB",
        "author.facebook",
        "primary_author.facebook",
    ),
    value(
        "GS001-DEPR-AUTH-PIMG",
        "author.profile_image",
        "primary_author.profile_image",
    ),
    value(
        "GS001-DEPR-AUTH-CIMG",
        "author.cover_image",
        "primary_author.cover_image",
    ),
    value("GS001-DEPR-AUTH-URL", "author.url", "primary_author.url"),
    value("GS001-DEPR-LANG", "lang", "@site.locale"),
    value("GS001-DEPR-ESC", "code", "statusCode"),
    value("GS001-DEPR-ESC", "error.code", "statusCode"),
    value_below("GS001-DEPR-BLOG", "@blog", "@site"),
    condition(
        "GS001-DEPR-CON-AC",
        "author.cover",
        "primary_author.cover_image",
    ),
    condition(
        "GS001-DEPR-CON-AIMG",
        "author.image",
        "primary_author.profile_image",
    ),
    condition(
        "GS001-DEPR-CON-PAC",
        "post.author.cover",
        "post.primary_author.cover_image",
    ),
    condition(
        "GS001-DEPR-CON-PAIMG",
        "post.author.image",
        "post.primary_author.profile_image",
    ),
    condition(
        "GS001-DEPR-CON-AC-2",
        "primary_author.cover",
        "primary_author.cover_image",
    ),
    condition(
        "GS001-DEPR-CON-AIMG-2",
        "primary_author.image",
        "primary_author.profile_image",
    ),
    condition(
        "GS001-DEPR-CON-PAC-2",
        "post.primary_author.cover",
        "post.primary_author.cover_image",
    ),
    condition(
        "GS001-DEPR-CON-PAIMG-2",
        "post.primary_author.image",
        "post.primary_author.profile_image",
    ),
    condition(
        "GS001-DEPR-CON-AC-3",
        "authors.[#].cover",
        "authors.[#].cover_image",
    ),
    condition(
        "GS001-DEPR-CON-AIMG-3",
        "authors.[#].image",
        "authors.[#].profile_image",
    ),
    condition(
        "GS001-DEPR-CON-PAC-3",
        "post.authors.[#].cover",
        "post.authors.[#].cover_image",
    ),
    condition(
        "GS001-DEPR-CON-PAIMG-3",
        "post.authors.[#].image",
        "post.authors.[#].profile_image",
    ),
    condition_below("GS001-DEPR-CON-AUTH", "author", "primary_author"),
    condition_below("GS001-DEPR-CON-PAUTH", "post.author", "post.primary_author"),
    text(
        "GS001-DEPR-LABS-MEMBERS",
        "@labs.members",
        "@site.members_enabled",
    ),
    text("GS001-DEPR-CURR-SYM", "currency_symbol", "{{price}}"),
    text("GS001-DEPR-SITE-LANG", "@site.lang", "@site.locale"),
];
