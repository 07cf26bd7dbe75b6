//! Connects the HTTP server to the API.

use std::sync::Arc;

use crate::{
    api::{
        Api,
        request::{HeadRef, Refusal, Request, RequestHead, RequestKind},
        response::Response,
    },
    body_memory::BodyMemory,
    server::Handler,
};

/// The API as the handler of the HTTP server; neither knows the other.
pub struct ApiHandler(pub Api);

impl Handler for ApiHandler {
    fn respond_from_memory(&self, head: &HeadRef) -> Option<Response> {
        self.0.respond_from_memory(head)
    }

    fn respond(&self, request: &Request) -> Response {
        self.0.respond(request)
    }

    fn respond_after_wait(&self, request: &Request) -> Response {
        self.0.respond_after_wait(request)
    }

    fn on_change(&self, wake: Box<dyn Fn() + Send + Sync>) {
        self.0.on_change(wake);
    }

    fn body_memory(&self) -> Option<Arc<BodyMemory>> {
        self.0.body_memory()
    }

    fn refuse(&self, refusal: Refusal, _head: &RequestHead) -> Response {
        self.0.refuse(refusal)
    }

    fn takes_long(&self, head: &RequestHead) -> bool {
        self.0.takes_long(head)
    }

    fn kind(&self, head: &HeadRef) -> RequestKind {
        self.0.kind(head)
    }

    fn body_bytes_max(&self, head: &RequestHead) -> Option<u64> {
        self.0.body_bytes_max(head)
    }
}
