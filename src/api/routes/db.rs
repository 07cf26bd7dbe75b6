//! The audit log, and the whole content.

use super::{
    parameters::{COMPONENTS, EVENTS, LISTS},
    route::{
        BUSY,
        Input::{Fields, Form, NoBody},
        NO_CONTENT, OK,
        Output::{EmptyObject, Media, Nothing, Page, Records, Schema},
        Route, delete, get, post,
    },
    shape::Shape::{AnyObject, File, Ref},
};
use crate::{
    api::admin::{
        actions,
        db::{self, MEDIA_FIELDS},
        exports,
    },
    domain::{
        action::ACTIONS_BROWSE,
        permission::{DB_EXPORT, DB_IMPORT, EVERYTHING_DELETE_ALL_CONTENT},
    },
};

/// The endpoints of this area, laid out as a table.
#[rustfmt::skip]
pub static ROUTES: &[Route] = &[
    get("admin/actions/", &ACTIONS_BROWSE, actions::browse)
        .named("adminBrowseActions", "Browse actions")
        .query(&[LISTS])
        .returns(OK, Page("actions", Ref("Action"))),
    get("admin/db/", &DB_EXPORT, db::export)
        .named("exportContent", "Export all content in Ghost's format, without passwords")
        .query(&[LISTS])
        .fails(BUSY)
        .returns(OK, Records("db", AnyObject)),
    post("admin/db/", &DB_IMPORT, db::import)
        .named("importContent", "Import an export of Ghost")
        .query(&[&[EVENTS]])
        .takes(Form(&[("importfile", File)]))
        .fails(BUSY)
        .returns(OK, Records("problems", AnyObject)),
    post("admin/db/backup/", &DB_EXPORT, db::refuse_backup)
        .named("backUpContent", "Request a backup on the server: rejected")
        .takes(NoBody)
        .fails(BUSY)
        .returns(OK, Records("db", AnyObject)),
    get("admin/db/media/inline/", &DB_IMPORT, db::media_progress)
        .named("readMediaInlining", "Read how far the copying of media of other sites is")
        .returns(OK, Records("inline", Ref("MediaInlining"))),
    post("admin/db/media/inline/", &DB_IMPORT, db::inline_media)
        .named("inlineMedia", "Copy media of other sites to the uploads")
        .takes(Fields(MEDIA_FIELDS))
        .fails(BUSY)
        .returns(OK, Schema("Accepted")),
    delete("admin/db/", &EVERYTHING_DELETE_ALL_CONTENT, db::delete_all)
        .named("deleteContent", "Delete all posts, pages and tags")
        .fails(BUSY)
        .returns(NO_CONTENT, Nothing),
    get("admin/exports/download/", &DB_EXPORT, exports::download)
        .named("downloadExport", "Export content, members, themes and routes as a zip archive")
        .query(&[&[COMPONENTS]])
        .fails(BUSY)
        .returns(OK, Media("application/zip")),
    post("admin/exports/", &DB_EXPORT, exports::request_by_mail)
        .named("requestExport", "Request an export by mail: always refused")
        .takes(NoBody)
        .returns(OK, EmptyObject),
];
