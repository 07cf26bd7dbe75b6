//! Posts, pages and tags, helpers for editors, and uploads.

use serde_json::{Value, json};

use super::{
    parameters::{
        EMBED, LISTS, POSTS_SEARCH, SAVE_REVISION, SAVED_POSTS, SENDING, STAFF_POSTS, STAFF_RECORDS,
    },
    route::{
        BUSY, CREATED,
        Input::{Form, Json, NoBody, Record},
        NO_CONTENT, OK,
        Output::{Media, Nothing, Object, Page, Records, Schema},
        Route, delete, get, page, post, put, record,
    },
    shape::Shape::{AnyObject, File, Open, Raw, Ref, Text},
};
use crate::{
    api::admin::{
        oembed,
        posts::{
            self,
            input::{PAGE_FIELDS, POST_FIELDS},
        },
        records, search_index, slugs, tags, uploads,
    },
    domain::{
        permission::{
            FILES_UPLOAD, IMAGES_UPLOAD, MEDIA_UPLOAD, OEMBED_READ, SEARCH_INDEX_BROWSE,
            SLUGS_GENERATE,
        },
        post::{
            PAGES_ADD, PAGES_BROWSE, PAGES_BULK_DELETE, PAGES_BULK_EDIT, PAGES_COPY, PAGES_DELETE,
            PAGES_EDIT, PAGES_READ, POSTS_ADD, POSTS_BROWSE, POSTS_BULK_EDIT, POSTS_COPY,
            POSTS_DELETE, POSTS_EDIT, POSTS_EXPORT, POSTS_READ, PostKind,
        },
        tag::{TAGS_ADD, TAGS_BROWSE, TAGS_DELETE, TAGS_EDIT, TAGS_READ, Tag},
        user::User,
    },
};

/// Returns the schema of the purpose of an image.
fn image_purposes() -> Value {
    json!({ "type": "string", "enum": ["image", "profile_image", "icon"], "default": "image" })
}

/// The endpoints of this area, laid out as a table.
#[rustfmt::skip]
pub static ROUTES: &[Route] = &[
    // Posts and pages: reading.
    get("admin/posts/", &POSTS_BROWSE, |request| posts::browse(request, PostKind::Post))
        .named("adminBrowsePosts", "Browse posts")
        .query(&[LISTS, STAFF_POSTS, &[POSTS_SEARCH]])
        .fails(BUSY)
        .returns(OK, Page("posts", Ref("StaffPost"))),
    get("admin/posts/{id}/", &POSTS_READ, |request| posts::read_by_id(request, PostKind::Post))
        .named("adminReadPostsById", "Read a post by ID")
        .query(&[STAFF_POSTS])
        .fails(BUSY)
        .returns(OK, Records("posts", Ref("StaffPost"))),
    get("admin/posts/slug/{slug}/", &POSTS_READ, |request| posts::read_by_slug(request, PostKind::Post))
        .named("adminReadPostsSlug", "Read a post by slug")
        .query(&[STAFF_POSTS])
        .fails(BUSY)
        .returns(OK, Records("posts", Ref("StaffPost"))),
    get("admin/pages/", &PAGES_BROWSE, |request| posts::browse(request, PostKind::Page))
        .named("adminBrowsePages", "Browse pages")
        .query(&[LISTS, STAFF_POSTS, &[POSTS_SEARCH]])
        .fails(BUSY)
        .returns(OK, Page("pages", Ref("StaffPage"))),
    get("admin/pages/{id}/", &PAGES_READ, |request| posts::read_by_id(request, PostKind::Page))
        .named("adminReadPagesById", "Read a page by ID")
        .query(&[STAFF_POSTS])
        .fails(BUSY)
        .returns(OK, Records("pages", Ref("StaffPage"))),
    get("admin/pages/slug/{slug}/", &PAGES_READ, |request| posts::read_by_slug(request, PostKind::Page))
        .named("adminReadPagesSlug", "Read a page by slug")
        .query(&[STAFF_POSTS])
        .fails(BUSY)
        .returns(OK, Records("pages", Ref("StaffPage"))),
    // Posts and pages: writing.
    post("admin/posts/", &POSTS_ADD, |request| posts::write::add(request, PostKind::Post))
        .named("adminAddPosts", "Add a post")
        .query(&[SAVED_POSTS, SENDING])
        .takes(Record("posts", POST_FIELDS))
        .fails(BUSY)
        .returns(CREATED, Records("posts", Ref("StaffPost"))),
    put("admin/posts/{id}/", &POSTS_EDIT, |request| posts::write::edit(request, PostKind::Post))
        .named("adminEditPostsById", "Edit a post")
        .query(&[SAVED_POSTS, SENDING, &[SAVE_REVISION]])
        .takes(Record("posts", POST_FIELDS))
        .fails(BUSY)
        .returns(OK, Records("posts", Ref("StaffPost"))),
    delete("admin/posts/{id}/", &POSTS_DELETE, |request| posts::write::delete(request, PostKind::Post))
        .named("adminDeletePostsById", "Delete a post")
        .fails(BUSY)
        .returns(NO_CONTENT, Nothing),
    post("admin/posts/{id}/copy/", &POSTS_COPY, |request| posts::write::copy(request, PostKind::Post))
        .named("copyPost", "Copy a post as a draft")
        .takes(NoBody)
        .fails(BUSY)
        .returns(CREATED, Records("posts", Ref("StaffPost"))),
    post("admin/pages/", &PAGES_ADD, |request| posts::write::add(request, PostKind::Page))
        .named("adminAddPages", "Add a page")
        .query(&[SAVED_POSTS])
        .takes(Record("pages", PAGE_FIELDS))
        .fails(BUSY)
        .returns(CREATED, Records("pages", Ref("StaffPage"))),
    put("admin/pages/{id}/", &PAGES_EDIT, |request| posts::write::edit(request, PostKind::Page))
        .named("adminEditPagesById", "Edit a page")
        .query(&[SAVED_POSTS, &[SAVE_REVISION]])
        .takes(Record("pages", PAGE_FIELDS))
        .fails(BUSY)
        .returns(OK, Records("pages", Ref("StaffPage"))),
    delete("admin/pages/{id}/", &PAGES_DELETE, |request| posts::write::delete(request, PostKind::Page))
        .named("adminDeletePagesById", "Delete a page")
        .fails(BUSY)
        .returns(NO_CONTENT, Nothing),
    post("admin/pages/{id}/copy/", &PAGES_COPY, |request| posts::write::copy(request, PostKind::Page))
        .named("copyPage", "Copy a page as a draft")
        .takes(NoBody)
        .fails(BUSY)
        .returns(CREATED, Records("pages", Ref("StaffPage"))),
    get("admin/posts/export/", &POSTS_EXPORT, posts::export::posts)
        .named("exportPosts", "Export posts as CSV")
        .fails(BUSY)
        .returns(OK, Media("text/csv")),
    put("admin/posts/bulk/", &POSTS_BULK_EDIT, posts::bulk::edit_posts)
        .named("editPosts", "Edit all posts that match a filter")
        .takes(Json(&[("bulk", Open(&[("action", Text)]))]))
        .fails(BUSY)
        .returns(OK, Object("bulk")),
    delete("admin/posts/", &POSTS_BULK_EDIT, posts::bulk::delete_posts)
        .named("deletePosts", "Delete all posts that match a filter")
        .fails(BUSY)
        .returns(OK, Object("bulk")),
    put("admin/pages/bulk/", &PAGES_BULK_EDIT, posts::bulk::edit_pages)
        .named("editPages", "Edit all pages that match a filter")
        .takes(Json(&[("bulk", Open(&[("action", Text)]))]))
        .fails(BUSY)
        .returns(OK, Object("bulk")),
    delete("admin/pages/", &PAGES_BULK_DELETE, posts::bulk::delete_pages)
        .named("deletePages", "Delete all pages that match a filter")
        .fails(BUSY)
        .returns(OK, Object("bulk")),
    // Tags.
    get("admin/tags/", &TAGS_BROWSE, records::browse::<Tag>)
        .named("adminBrowseTags", "Browse tags")
        .query(&[LISTS, STAFF_RECORDS])
        .returns(OK, page::<Tag>()),
    get("admin/tags/{id}/", &TAGS_READ, records::read_by_id::<Tag>)
        .named("adminReadTagsById", "Read a tag by ID")
        .query(&[STAFF_RECORDS])
        .returns(OK, record::<Tag>()),
    get("admin/tags/slug/{slug}/", &TAGS_READ, records::read_by_slug::<Tag>)
        .named("adminReadTagsSlug", "Read a tag by slug")
        .query(&[STAFF_RECORDS])
        .returns(OK, record::<Tag>()),
    post("admin/tags/", &TAGS_ADD, tags::add)
        .named("adminAddTags", "Add a tag")
        .takes(Record("tags", tags::FIELDS))
        .returns(CREATED, record::<Tag>()),
    put("admin/tags/{id}/", &TAGS_EDIT, tags::edit)
        .named("adminEditTagsById", "Edit a tag")
        .takes(Record("tags", tags::FIELDS))
        .returns(OK, record::<Tag>()),
    delete("admin/tags/{id}/", &TAGS_DELETE, records::delete::<Tag>)
        .named("adminDeleteTagsById", "Delete a tag")
        .returns(NO_CONTENT, Nothing),
    // Helpers for editors: free slugs, search, embeds.
    get("admin/slugs/{resource}/{name}/", &SLUGS_GENERATE, slugs::generate)
        .named("makeSlug", "Generate a free slug from a name")
        .returns(OK, Records("slugs", AnyObject)),
    get("admin/slugs/{resource}/{name}/{id}/", &SLUGS_GENERATE, slugs::generate)
        .named("makeSlugOfRecord", "Generate a slug that is free or the record's own")
        .returns(OK, Records("slugs", AnyObject)),
    get("admin/oembed/", &OEMBED_READ, oembed::read)
        .named("readOembed", "Read the embed of a URL")
        .query(&[EMBED])
        .returns(OK, Schema("Oembed")),
    get("admin/search-index/posts/", &SEARCH_INDEX_BROWSE, search_index::posts)
        .named("searchPosts", "Read the search index of posts")
        .returns(OK, Records("posts", Ref("StaffPost"))),
    get("admin/search-index/pages/", &SEARCH_INDEX_BROWSE, search_index::pages)
        .named("searchPages", "Read the search index of pages")
        .returns(OK, Records("pages", Ref("StaffPage"))),
    get("admin/search-index/tags/", &SEARCH_INDEX_BROWSE, search_index::tags)
        .named("searchTags", "Read the search index of tags")
        .returns(OK, record::<Tag>()),
    get("admin/search-index/users/", &SEARCH_INDEX_BROWSE, search_index::users)
        .named("searchUsers", "Read the search index of users")
        .returns(OK, record::<User>()),
    // Images, media and other files.
    post("admin/images/upload/", &IMAGES_UPLOAD, uploads::upload_image)
        .named("uploadImage", "Upload an image")
        .takes(Form(&[("file", File), ("purpose?", Raw(image_purposes)), ("ref?", Text)]))
        .fails(BUSY)
        .runs_long()
        .returns(CREATED, Records("images", Ref("Upload"))),
    post("admin/media/upload/", &MEDIA_UPLOAD, uploads::upload_media)
        .named("uploadMedia", "Upload video or audio")
        .takes(Form(&[("file thumbnail?", File), ("ref?", Text)]))
        .fails(BUSY)
        .runs_long()
        .returns(CREATED, Records("media", Ref("MediaUpload"))),
    put("admin/media/thumbnail/upload/", &MEDIA_UPLOAD, uploads::upload_thumbnail)
        .named("uploadThumbnail", "Upload the thumbnail of a video")
        .takes(Form(&[("file", File), ("url ref?", Text)]))
        .fails(BUSY)
        .runs_long()
        .returns(OK, Records("media", Ref("MediaUpload"))),
    post("admin/files/upload/", &FILES_UPLOAD, uploads::upload_file)
        .named("uploadFile", "Upload a file")
        .takes(Form(&[("file", File), ("ref?", Text)]))
        .returns(CREATED, Records("files", Ref("Upload"))),
];
