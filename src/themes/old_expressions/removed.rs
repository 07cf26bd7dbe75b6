//! Expressions of earlier versions of Ghost that cause a theme to be refused: they would show nothing (Ghost 6.65).

use super::form::{OldExpression, condition, helper, value};

/// All of them, except those of `../author`.
pub const REMOVED: &[OldExpression] = &[
    helper("GS001-DEPR-PURL", "pageUrl", "page_url"),
    helper("GS001-DEPR-IMG", "image", "img_url"),
    value("GS001-DEPR-COV", "cover", "cover_image"),
    value("GS001-DEPR-PIMG", "post.image", "post.feature_image"),
    value("GS001-DEPR-BC", "@blog.cover", "@site.cover_image"),
    value("GS001-DEPR-TIMG", "tag.image", "tag.feature_image"),
    value(
        "GS001-DEPR-PTIMG",
        "post.tags.[#].image",
        "post.tags.[#].feature_image",
    ),
    value(
        "GS001-DEPR-TSIMG",
        "tags.[#].image",
        "tags.[#].feature_image",
    ),
    condition("GS001-DEPR-CON-IMG", "image", "feature_image"),
    condition("GS001-DEPR-CON-COV", "cover", "cover_image"),
    condition("GS001-DEPR-CON-BC", "@blog.cover", "@site.cover_image"),
    condition("GS001-DEPR-CON-TIMG", "tag.image", "tag.feature_image"),
    condition(
        "GS001-DEPR-CON-PTIMG",
        "post.tags.[#].image",
        "post.tags.[#].feature_image",
    ),
    condition(
        "GS001-DEPR-CON-TSIMG",
        "tags.[#].image",
        "tags.[#].feature_image",
    ),
    value("GS001-DEPR-PAUTH", "post.author", "post.primary_author"),
    value(
        "GS001-DEPR-PAUTH-ID",
        "post.author.id",
        "post.primary_author.id",
    ),
    value(
        "GS001-DEPR-PAUTH-SLUG",
        "post.author.slug",
        "post.primary_author.slug",
    ),
    value(
        "GS001-DEPR-PAUTH-MAIL",
        "post.author.email",
        "post.primary_author.email",
    ),
    value(
        "GS001-DEPR-PAUTH-MT",
        "post.author.meta_title",
        "post.primary_author.meta_title",
    ),
    value(
        "GS001-DEPR-PAUTH-MD",
        "post.author.meta_description",
        "post.primary_author.meta_description",
    ),
    value(
        "GS001-DEPR-PAUTH-NAME",
        "post.author.name",
        "post.primary_author.name",
    ),
    value(
        "GS001-DEPR-PAUTH-BIO",
        "post.author.bio",
        "post.primary_author.bio",
    ),
    value(
        "GS001-DEPR-PAUTH-LOC",
        "post.author.location",
        "post.primary_author.location",
    ),
    value(
        "GS001-DEPR-PAUTH-WEB",
        "post.author.website",
        "post.primary_author.website",
    ),
    value(
        "GS001-DEPR-PAUTH-TW",
        "post.author.twitter",
        "post.primary_author.twitter",
    ),
    value(
        "GS001-DEPR-PAUTH-FB",
        "post.author.facebook",
        "post.primary_author.facebook",
    ),
    value(
        "GS001-DEPR-PAUTH-PIMG",
        "post.author.profile_image",
        "post.primary_author.profile_image",
    ),
    value(
        "GS001-DEPR-PAUTH-CIMG",
        "post.author.cover_image",
        "post.primary_author.cover_image",
    ),
    value(
        "GS001-DEPR-PAUTH-URL",
        "post.author.url",
        "post.primary_author.url",
    ),
    value(
        "GS001-DEPR-PAID",
        "post.author_id",
        "post.primary_author.id",
    ),
    value("GS001-DEPR-BPL", "@blog.permalinks", ""),
    value("GS001-DEPR-SPL", "@site.permalinks", ""),
    value("GS001-DEPR-SGH", "@site.ghost_head", "ghost_head"),
    value("GS001-DEPR-SGF", "@site.ghost_foot", "ghost_foot"),
];
