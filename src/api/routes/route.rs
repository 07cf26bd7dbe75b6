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

/// One endpoint: the data that the router, the limits, `Allow` and the OpenAPI document use.
#[derive(Clone, Copy)]
pub struct Route {
    /// Its method; routes of GET serve HEAD, too.
    pub method: &'static Method,
    /// Its path below `/ghost/api/`, with a slash at the end; `{name}` stands for one segment.
    pub path: &'static str,
    /// Its handler, and who may call it.
    pub endpoint: Endpoint,
    /// The thread that makes its response.
    pub execution: Execution,
    /// The limit of its request body.
    pub body_limit: BodyLimit,
    /// Its operation id in the OpenAPI document.
    pub operation_id: &'static str,
    /// Its summary.
    pub summary: &'static str,
    /// Its parameters, besides the variables of the path.
    pub parameters: &'static [&'static [Parameter]],
    /// Its request body.
    pub input: Input,
    /// The statuses of success, the usual one last.
    pub statuses: &'static [u16],
    /// The body of a successful response.
    pub output: Output,
    /// Its errors, besides those of all endpoints with its method and clients.
    pub errors: &'static [Kind],
}

/// The handler of a route, and who may call it.
#[derive(Clone, Copy)]
pub enum Endpoint {
    /// Requires a Content API key.
    Content(content::ContentHandler),
    /// Requires a Content API key: the change feed, whose responses may be deferred or streamed.
    ChangeFeed(content::ContentHandler),
    /// Open to all: for clients that have no key yet.
    Open(content::ContentHandler),
    /// Requires this right.
    Admin(&'static Permission, admin::AdminHandler),
    /// Called before authentication: the endpoint itself checks the client.
    Unauthenticated(admin::AdminHandler),
    /// Open to all: the OpenAPI document.
    Document,
}

/// The thread that makes a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// By the thread that read the request, if memory and the inline budget suffice; otherwise by a
    /// worker.
    Inline,
    /// By a worker.
    Worker,
    /// By a worker, and for long by design: it hashes a password, decodes an image or waits for a
    /// repository.
    LongRunning,
}

/// The limit of a request body from a client with valid credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyLimit {
    /// The limit of anonymous clients.
    Anonymous,
    /// The limit of JSON.
    Json,
    /// The limit of uploads if the body is `multipart/form-data`, and otherwise of JSON.
    Upload,
    /// The limit of push webhooks, also without credentials, if they are enabled.
    Push,
}

/// The body of a request.
#[derive(Clone, Copy)]
pub enum Input {
    /// Undeclared. A row of POST or PUT does not compile with it.
    Undeclared,
    /// No body.
    NoBody,
    /// `{"name": [record]}`: a record with these fields. A POST requires its required fields.
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
    /// Another media type.
    Media(&'static str),
    /// A line of text; so is a rejection (Ghost 6.65, recorded).
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

/// Most variables of a path.
pub const VARIABLES_MAX: usize = 3;

/// The request succeeded.
pub const OK: &[u16] = &[200];

/// A record was added.
pub const CREATED: &[u16] = &[201];

/// The request succeeded, and there is no body.
pub const NO_CONTENT: &[u16] = &[204];

/// The errors of an endpoint whose requests take memory that all clients share.
pub const BUSY: &[Kind] = &[Kind::Maintenance];

static GET: Method = Method::GET;
static POST: Method = Method::POST;
static PUT: Method = Method::PUT;
static DELETE: Method = Method::DELETE;

/// A row without its response.
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

/// Returns a read of the Admin API.
pub const fn get(
    path: &'static str,
    permission: &'static Permission,
    endpoint: admin::AdminHandler,
) -> Draft {
    of_staff(&GET, path, Endpoint::Admin(permission, endpoint))
}

/// Returns an addition or another action of the Admin API.
pub const fn post(
    path: &'static str,
    permission: &'static Permission,
    endpoint: admin::AdminHandler,
) -> Draft {
    of_staff(&POST, path, Endpoint::Admin(permission, endpoint)).takes(Input::Undeclared)
}

/// Returns a change of the Admin API.
pub const fn put(
    path: &'static str,
    permission: &'static Permission,
    endpoint: admin::AdminHandler,
) -> Draft {
    of_staff(&PUT, path, Endpoint::Admin(permission, endpoint)).takes(Input::Undeclared)
}

/// Returns a removal of the Admin API.
pub const fn delete(
    path: &'static str,
    permission: &'static Permission,
    endpoint: admin::AdminHandler,
) -> Draft {
    of_staff(&DELETE, path, Endpoint::Admin(permission, endpoint))
}

/// Returns a read of the Admin API for unauthenticated clients.
pub const fn get_unauthenticated(path: &'static str, endpoint: admin::AdminHandler) -> Draft {
    of_staff(&GET, path, Endpoint::Unauthenticated(endpoint))
}

/// Returns an action of the Admin API for unauthenticated clients.
pub const fn post_unauthenticated(path: &'static str, endpoint: admin::AdminHandler) -> Draft {
    of_staff(&POST, path, Endpoint::Unauthenticated(endpoint)).takes(Input::Undeclared)
}

/// Returns a change of the Admin API for unauthenticated clients.
pub const fn put_unauthenticated(path: &'static str, endpoint: admin::AdminHandler) -> Draft {
    of_staff(&PUT, path, Endpoint::Unauthenticated(endpoint)).takes(Input::Undeclared)
}

/// Returns a removal of the Admin API for unauthenticated clients.
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
    /// Gives it its operation id and its summary.
    pub const fn named(self, operation_id: &'static str, summary: &'static str) -> Self {
        Self(Route {
            operation_id,
            summary,
            ..self.0
        })
    }

    /// Gives it parameters of the query and of the header section.
    pub const fn query(self, parameters: &'static [&'static [Parameter]]) -> Self {
        Self(Route {
            parameters,
            ..self.0
        })
    }

    /// Gives it the body of its requests.
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

    /// Gives it another limit of its request body.
    pub const fn limited_to(self, body_limit: BodyLimit) -> Self {
        Self(Route {
            body_limit,
            ..self.0
        })
    }

    /// Gives it errors that not every endpoint with its method has.
    pub const fn fails(self, errors: &'static [Kind]) -> Self {
        Self(Route { errors, ..self.0 })
    }

    /// Marks it as long by design.
    pub const fn runs_long(self) -> Self {
        Self(Route {
            execution: Execution::LongRunning,
            ..self.0
        })
    }

    /// Gives it its successful response, which completes the row.
    pub const fn returns(self, statuses: &'static [u16], output: Output) -> Route {
        assert!(
            !self.0.operation_id.is_empty(),
            "a row has a name: .named(…)"
        );
        assert!(
            !matches!(self.0.input, Input::Undeclared),
            "POST and PUT declare their body: .takes(…)"
        );
        assert!(
            variables(self.0.path) <= VARIABLES_MAX,
            "a path has at most VARIABLES_MAX variables"
        );
        Route {
            statuses,
            output,
            ..self.0
        }
    }
}

/// Returns the number of a path's variables.
const fn variables(path: &str) -> usize {
    let bytes = path.as_bytes();
    let mut count = 0;
    let mut position = 0;
    while position < bytes.len() {
        if bytes[position] == b'{' {
            count += 1;
        }
        position += 1;
    }
    count
}
