//! One row of the table of endpoints.
//!
//! A row begins with [`get`], [`post`], [`put`] or [`delete`] for staff, or with one of the
//! constructors for other clients, and ends with [`Draft::returns`]. A row that lacks its name, its
//! body or its response does not compile.

use http::Method;

use super::{parameters::Parameter, shape::Shape};
use crate::{
    api::{
        admin::{
            self,
            input::InputField,
            records::{ListExtent, Resource},
        },
        content,
        openapi::records,
    },
    domain::permission::Permission,
    error::Kind,
};

/// One endpoint, as used by the router, the limits, `Allow` and the OpenAPI document.
#[derive(Clone, Copy)]
pub struct Route {
    /// Its method. Routes for GET also serve HEAD.
    pub method: &'static Method,
    /// Its path below `/ghost/api/`, with a trailing slash; `{name}` matches one segment.
    pub path: &'static str,
    /// Its handler and the required authentication.
    pub endpoint: Endpoint,
    /// The thread that builds its response.
    pub execution: Execution,
    /// The limit of its request body.
    pub body_limit: BodyLimit,
    /// Its operation id in the OpenAPI document.
    pub operation_id: &'static str,
    /// Its summary.
    pub summary: &'static str,
    /// Its parameters, except the variables of the path.
    pub parameters: &'static [&'static [Parameter]],
    /// Its request body.
    pub input: Input,
    /// The statuses of successful responses, the most common one last.
    pub statuses: &'static [u16],
    /// The body of a successful response.
    pub output: Output,
    /// Its errors, in addition to those of all endpoints with its method and authentication.
    pub errors: &'static [Kind],
}

/// The handler of a route and the required authentication.
#[derive(Clone, Copy)]
pub enum Endpoint {
    /// Requires a Content API key.
    Content(content::ContentHandler),
    /// Requires a Content API key: the change feed, whose responses may be deferred or streamed.
    ChangeFeed(content::ContentHandler),
    /// Requires no authentication, for clients that do not have a key yet.
    Open(content::ContentHandler),
    /// Requires this permission.
    Admin(&'static Permission, admin::AdminHandler),
    /// Called before authentication: the endpoint itself checks the client.
    Unauthenticated(admin::AdminHandler),
    /// Requires no authentication: the OpenAPI document.
    Document,
}

/// The thread that builds a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// The thread that read the request, if memory and the inline budget suffice; otherwise a worker.
    Inline,
    /// A worker.
    Worker,
    /// A worker, with an expected long duration: the endpoint hashes a password, decodes an image or
    /// waits for a repository.
    LongRunning,
}

/// The limit of a request body from a client with valid credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyLimit {
    /// The limit for anonymous clients.
    Anonymous,
    /// The limit for JSON.
    Json,
    /// The limit for uploads if the body is `multipart/form-data`, and otherwise for JSON.
    Upload,
    /// The limit for push webhooks, if they are enabled; it also applies without credentials.
    Push,
}

/// The body of a request.
#[derive(Clone, Copy)]
pub enum Input {
    /// Not declared yet. Rows for POST and PUT do not compile with it.
    Undeclared,
    /// No body.
    NoBody,
    /// `{"name": [record]}`: a record with these fields. Required fields are required only in a POST.
    Record(&'static str, &'static [InputField]),
    /// `{"name": [object]}`: an object with these properties.
    Single(&'static str, &'static [(&'static str, Shape)]),
    /// An object with these fields.
    Fields(&'static [InputField]),
    /// An object with these properties.
    Json(&'static [(&'static str, Shape)]),
    /// `multipart/form-data` with these parts.
    Form(&'static [(&'static str, Shape)]),
}

/// The body of a successful response.
#[derive(Clone, Copy)]
pub enum Output {
    /// No body.
    Nothing,
    /// `{"name": [record, …]}`
    Records(&'static str, Shape),
    /// `{"name": [record, …], "meta": {…}}`
    Page(&'static str, Shape),
    /// `{"name": {…}}`
    Object(&'static str),
    /// The schema with this name.
    Schema(&'static str),
    /// The schema with this name; with `fields`, the one without required properties.
    Selectable(&'static str),
    /// A body of this media type.
    Media(&'static str),
    /// A line of text, also for errors (Ghost 6.65, recorded).
    Line,
    /// `{}`
    EmptyObject,
}

/// Returns the body of a list of `R`.
pub const fn page<R: Resource>() -> Output {
    match R::LISTS {
        ListExtent::Page | ListExtent::All => Output::Page(R::SCHEMA.name, shape::<R>()),
        ListExtent::AllWithoutMeta => record::<R>(),
    }
}

/// Returns the body of one record of `R`.
pub const fn record<R: Resource>() -> Output {
    Output::Records(R::SCHEMA.name, shape::<R>())
}

const fn shape<R: Resource>() -> Shape {
    Shape::Named(R::RECORD, || records::staff(R::SCHEMA, R::RELATIONS))
}

/// Most variables in a path.
pub const VARIABLES_MAX: usize = 3;

/// The request succeeded.
pub const OK: &[u16] = &[200];

/// A record was added.
pub const CREATED: &[u16] = &[201];

/// The request succeeded, and there is no body.
pub const NO_CONTENT: &[u16] = &[204];

/// The errors of an endpoint whose requests reserve memory from a budget that all clients share.
pub const BUSY: &[Kind] = &[Kind::Maintenance];

static GET: Method = Method::GET;
static POST: Method = Method::POST;
static PUT: Method = Method::PUT;
static DELETE: Method = Method::DELETE;

/// A route without its response, to be completed by [`Draft::returns`].
#[derive(Clone, Copy)]
pub struct Draft(Route);

/// Returns an endpoint of the Content API, which may be served inline.
pub const fn content(path: &'static str, endpoint: content::ContentHandler) -> Draft {
    Draft(Route {
        execution: Execution::Inline,
        ..reading(path, Endpoint::Content(endpoint))
    })
}

/// Returns the endpoint of the change feed.
pub const fn feed(path: &'static str, endpoint: content::ContentHandler) -> Draft {
    Draft(reading(path, Endpoint::ChangeFeed(endpoint)))
}

/// Returns an endpoint that needs no key.
pub const fn open(path: &'static str, endpoint: content::ContentHandler) -> Draft {
    Draft(reading(path, Endpoint::Open(endpoint)))
}

/// Returns the endpoint of the OpenAPI document, which does not describe itself.
pub const fn document(path: &'static str) -> Route {
    reading(path, Endpoint::Document)
}

/// Returns a `GET` endpoint of the Admin API.
pub const fn get(
    path: &'static str,
    permission: &'static Permission,
    endpoint: admin::AdminHandler,
) -> Draft {
    of_staff(&GET, path, Endpoint::Admin(permission, endpoint))
}

/// Returns a `POST` endpoint of the Admin API: it adds a record or performs an action.
pub const fn post(
    path: &'static str,
    permission: &'static Permission,
    endpoint: admin::AdminHandler,
) -> Draft {
    of_staff(&POST, path, Endpoint::Admin(permission, endpoint)).takes(Input::Undeclared)
}

/// Returns a `PUT` endpoint of the Admin API.
pub const fn put(
    path: &'static str,
    permission: &'static Permission,
    endpoint: admin::AdminHandler,
) -> Draft {
    of_staff(&PUT, path, Endpoint::Admin(permission, endpoint)).takes(Input::Undeclared)
}

/// Returns a `DELETE` endpoint of the Admin API.
pub const fn delete(
    path: &'static str,
    permission: &'static Permission,
    endpoint: admin::AdminHandler,
) -> Draft {
    of_staff(&DELETE, path, Endpoint::Admin(permission, endpoint))
}

/// Returns a `GET` endpoint of the Admin API for unauthenticated clients.
pub const fn get_unauthenticated(path: &'static str, endpoint: admin::AdminHandler) -> Draft {
    of_staff(&GET, path, Endpoint::Unauthenticated(endpoint))
}

/// Returns a `POST` endpoint of the Admin API for unauthenticated clients.
pub const fn post_unauthenticated(path: &'static str, endpoint: admin::AdminHandler) -> Draft {
    of_staff(&POST, path, Endpoint::Unauthenticated(endpoint)).takes(Input::Undeclared)
}

/// Returns a `PUT` endpoint of the Admin API for unauthenticated clients.
pub const fn put_unauthenticated(path: &'static str, endpoint: admin::AdminHandler) -> Draft {
    of_staff(&PUT, path, Endpoint::Unauthenticated(endpoint)).takes(Input::Undeclared)
}

/// Returns a `DELETE` endpoint of the Admin API for unauthenticated clients.
pub const fn delete_unauthenticated(path: &'static str, endpoint: admin::AdminHandler) -> Draft {
    of_staff(&DELETE, path, Endpoint::Unauthenticated(endpoint))
}

const fn reading(path: &'static str, endpoint: Endpoint) -> Route {
    Route {
        method: &GET,
        path,
        endpoint,
        execution: Execution::Worker,
        body_limit: BodyLimit::Anonymous,
        operation_id: "",
        summary: "",
        parameters: &[],
        input: Input::NoBody,
        statuses: OK,
        output: Output::Nothing,
        errors: &[],
    }
}

const fn of_staff(method: &'static Method, path: &'static str, endpoint: Endpoint) -> Draft {
    Draft(Route {
        method,
        body_limit: BodyLimit::Json,
        ..reading(path, endpoint)
    })
}

impl Draft {
    /// Sets the operation id and the summary.
    pub const fn named(self, operation_id: &'static str, summary: &'static str) -> Self {
        Self(Route {
            operation_id,
            summary,
            ..self.0
        })
    }

    /// Sets the parameters in the query and in the header section.
    pub const fn query(self, parameters: &'static [&'static [Parameter]]) -> Self {
        Self(Route {
            parameters,
            ..self.0
        })
    }

    /// Sets the body of requests. A form gets the limit for uploads.
    pub const fn takes(self, input: Input) -> Self {
        Self(Route {
            input,
            body_limit: match input {
                Input::Form(_) => BodyLimit::Upload,
                _ => self.0.body_limit,
            },
            ..self.0
        })
    }

    /// Overrides the limit of the request body.
    pub const fn limited_to(self, body_limit: BodyLimit) -> Self {
        Self(Route {
            body_limit,
            ..self.0
        })
    }

    /// Sets the errors that not every endpoint with this method has.
    pub const fn fails(self, errors: &'static [Kind]) -> Self {
        Self(Route { errors, ..self.0 })
    }

    /// Marks the endpoint as [`Execution::LongRunning`].
    pub const fn runs_long(self) -> Self {
        Self(Route {
            execution: Execution::LongRunning,
            ..self.0
        })
    }

    /// Sets the successful response, which completes the row.
    pub const fn returns(self, statuses: &'static [u16], output: Output) -> Route {
        assert!(
            !self.0.operation_id.is_empty(),
            "a row must have a name: .named(…)"
        );
        assert!(
            !matches!(self.0.input, Input::Undeclared),
            "POST and PUT must declare their body: .takes(…)"
        );
        assert!(
            variables(self.0.path) <= VARIABLES_MAX,
            "a path must have at most VARIABLES_MAX variables"
        );
        Route {
            statuses,
            output,
            ..self.0
        }
    }
}

/// Returns the number of variables in a path.
const fn variables(path: &str) -> usize {
    let bytes = path.as_bytes();
    let mut count = 0;
    let mut position = 0;
    // Iterators are not available in constant functions.
    while position < bytes.len() {
        if bytes[position] == b'{' {
            count += 1;
        }
        position += 1;
    }
    count
}
