//! The bodies of responses to readers' pages.

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use serde_json::{Value, json};

use crate::api::{
    headers::{self, CacheControl},
    response::{Body, Response},
};

pub(super) fn json_response(value: &Value) -> Response {
    with_json(StatusCode::OK, value)
}

pub(super) fn with_json(status: StatusCode, value: &Value) -> Response {
    Response {
        status,
        headers: headers::of_json(CacheControl::Private),
        body: Body::Bytes(Bytes::from(value.to_string())),
    }
}

pub(super) fn text(status: StatusCode, text: &str) -> Response {
    let mut headers = headers::of_json(CacheControl::Private);
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    headers.set(header::CONTENT_TYPE, plain);
    Response {
        status,
        headers,
        body: Body::Bytes(Bytes::from(text.to_owned())),
    }
}

pub(super) fn no_content() -> Response {
    Response {
        status: StatusCode::NO_CONTENT,
        headers: headers::without_body(CacheControl::Private),
        body: Body::Empty,
    }
}

pub(super) fn empty_object() -> Value {
    json!({})
}
