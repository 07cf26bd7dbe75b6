//! The Content API.

use super::{
    parameters::{
        AUTHORS, CHANGES, LISTS, NEWSLETTERS_FIELDS, PAGES, POSTS, POSTS_SEARCH, Q,
        RECOMMENDATION_LISTS, RECOMMENDATIONS_FIELDS, TAGS, TIERS, VISIBILITY,
    },
    route::{
        BUSY, OK,
        Output::{Schema, Selectable},
        Route, content, feed,
    },
};
use crate::api::content::{self, posts, tags_and_authors};

/// The endpoints of this area, laid out as a table.
#[rustfmt::skip]
pub static ROUTES: &[Route] = &[
    content("content/posts/", |request| posts::POSTS.browse(request))
        .named("browsePosts", "Browse posts")
        .query(&[LISTS, POSTS, &[POSTS_SEARCH]])
        .fails(BUSY)
        .returns(OK, Selectable("PageOfPosts")),
    content("content/posts/{id}/", |request| posts::POSTS.read_by_id(request))
        .named("readPostsById", "Read a post by ID")
        .query(&[POSTS])
        .returns(OK, Selectable("SinglePosts")),
    content("content/posts/slug/{slug}/", |request| posts::POSTS.read_by_slug(request))
        .named("readPostsBySlug", "Read a post by slug")
        .query(&[POSTS])
        .returns(OK, Selectable("SinglePosts")),
    content("content/pages/", |request| posts::PAGES.browse(request))
        .named("browsePages", "Browse pages")
        .query(&[LISTS, PAGES, &[POSTS_SEARCH]])
        .fails(BUSY)
        .returns(OK, Selectable("PageOfPages")),
    content("content/pages/{id}/", |request| posts::PAGES.read_by_id(request))
        .named("readPagesById", "Read a page by ID")
        .query(&[PAGES])
        .returns(OK, Selectable("SinglePages")),
    content("content/pages/slug/{slug}/", |request| posts::PAGES.read_by_slug(request))
        .named("readPagesBySlug", "Read a page by slug")
        .query(&[PAGES])
        .returns(OK, Selectable("SinglePages")),
    content("content/authors/", tags_and_authors::browse_authors)
        .named("browseAuthors", "Browse authors")
        .query(&[LISTS, AUTHORS])
        .returns(OK, Selectable("PageOfAuthors")),
    content("content/authors/{id}/", tags_and_authors::read_author_by_id)
        .named("readAuthorsById", "Read an author by ID")
        .query(&[AUTHORS])
        .returns(OK, Selectable("SingleAuthors")),
    content("content/authors/slug/{slug}/", tags_and_authors::read_author_by_slug)
        .named("readAuthorsBySlug", "Read an author by slug")
        .query(&[AUTHORS])
        .returns(OK, Selectable("SingleAuthors")),
    content("content/tags/", tags_and_authors::browse_tags)
        .named("browseTags", "Browse tags")
        .query(&[LISTS, TAGS])
        .returns(OK, Selectable("PageOfTags")),
    content("content/tags/{id}/", tags_and_authors::read_tag_by_id)
        .named("readTagsById", "Read a tag by ID")
        .query(&[TAGS, &[VISIBILITY]])
        .returns(OK, Selectable("SingleTags")),
    content("content/tags/slug/{slug}/", tags_and_authors::read_tag_by_slug)
        .named("readTagsBySlug", "Read a tag by slug")
        .query(&[TAGS, &[VISIBILITY]])
        .returns(OK, Selectable("SingleTags")),
    content("content/tiers/", content::tiers::browse)
        .named("browseTiers", "Browse tiers")
        .query(&[LISTS, TIERS])
        .returns(OK, Selectable("PageOfTiers")),
    content("content/settings/", content::settings::read)
        .named("readSettings", "Read the site's settings")
        .returns(OK, Schema("Settings")),
    content("content/newsletters/", content::newsletters::browse)
        .named("browseNewsletters", "Browse newsletters")
        .query(&[LISTS, &[NEWSLETTERS_FIELDS]])
        .returns(OK, Selectable("PageOfNewsletters")),
    content("content/recommendations/", content::recommendations::browse)
        .named("browseRecommendations", "Browse recommendations")
        .query(&[RECOMMENDATION_LISTS, &[RECOMMENDATIONS_FIELDS]])
        .returns(OK, Selectable("PageOfRecommendations")),
    content("content/offers/{id}/", content::offers::read)
        .named("readOffersById", "Read an offer")
        .returns(OK, Schema("SingleOffers")),
    feed("content/changes/", content::changes::browse)
        .named("browseChanges", "Read the published, changed and removed posts and pages")
        .query(&[CHANGES])
        .returns(OK, Schema("Changes")),
    content("content/search/", content::search::browse)
        .named("search", "Search posts and pages by their texts")
        .query(&[Q])
        .fails(BUSY)
        .returns(OK, Schema("SearchResults")),
    content("content/search-index/posts/", content::search_index::posts)
        .named("readSearchIndexPosts", "Read the search index of posts")
        .returns(OK, Schema("SearchIndexOfPosts")),
    content("content/search-index/tags/", content::search_index::tags)
        .named("readSearchIndexTags", "Read the search index of tags")
        .returns(OK, Schema("SearchIndexOfTags")),
    content("content/search-index/authors/", content::search_index::authors)
        .named("readSearchIndexAuthors", "Read the search index of authors")
        .returns(OK, Schema("SearchIndexOfAuthors")),
];
