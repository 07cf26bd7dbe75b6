//! The error type of all layers above the store: a kind that determines the response, and a message that
//! describes the cause.
//!
//! The kinds are those of Ghost's API. Only `api/error.rs` converts a kind to a status. The message is for
//! the client; the `source` is for the operator and is never sent.

use std::{error::Error as StdError, fmt, io, sync::Arc};

use crate::{
    bucket::{BucketError, BucketErrorKind},
    store::{StoreError, is_out_of_space},
};

/// The code of errors of a database that is unavailable.
const STORE_UNAVAILABLE: &str = "STORE_UNAVAILABLE";

/// A `Result` whose error has a [`enum@Kind`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of an error, which determines the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The request is invalid: a filter that does not parse, an unknown field, a repeated parameter.
    BadRequest,
    /// The client is not authenticated.
    Unauthorized,
    /// The client lacks the permission.
    NoPermission,
    /// There is no such endpoint or record.
    NotFound,
    /// The feature is off, so the endpoint accepts no requests.
    MethodNotAllowed,
    /// The feature is off, so the change cannot be made.
    DisabledFeature,
    /// The endpoint does not exist in the API version that the client requested.
    NotAcceptable,
    /// A value is invalid; `property` may contain its name.
    Validation,
    /// The request is contradictory, regardless of the content of the site.
    IncorrectUsage,
    /// The body does not match its media type: malformed JSON.
    UnreadableBody,
    /// The body has a media type that is not accepted.
    UnsupportedMediaType,
    /// The session needs the code that was sent by mail.
    NeedsSecondFactor,
    /// The password must be reset before the next sign-in.
    PasswordResetRequired,
    /// The record was changed by another client in the meantime.
    UpdateCollision,
    /// Too many attempts; later ones may succeed.
    TooManyRequests,
    /// The body is longer than this server accepts.
    RequestEntityTooLarge,
    /// The request line or the headers are longer than this server accepts, or malformed.
    UnreadableRequest,
    /// The server has reached a limit and cannot respond now.
    Maintenance,
    /// The server's disk is full; nothing was changed.
    NoSpace,
    /// An internal error of the server.
    Internal,
}

/// An error, with the details that a client needs to act on it.
#[derive(Clone)]
pub struct Error(Box<Detail>);

#[derive(Clone)]
struct Detail {
    kind: Kind,
    type_name: Option<&'static str>,
    code: Option<&'static str>,
    message: String,
    context: Option<String>,
    help: Option<String>,
    property: Option<String>,
    details: Option<serde_json::Value>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl Error {
    /// Creates an error of `kind` with a message for the client.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self(Box::new(Detail {
            kind,
            type_name: None,
            code: None,
            message: message.into(),
            context: None,
            help: None,
            property: None,
            details: None,
            source: None,
        }))
    }

    /// Creates the error for a record that does not exist, or is hidden from the client: `what` is its
    /// kind, as in "Post not found.".
    ///
    /// Clients match "not found" in the message of every 404, so no other function creates one; a
    /// test of the sources enforces that.
    pub fn not_found(what: impl fmt::Display) -> Self {
        Self::new(Kind::NotFound, sentence(&format!("{what} not found.")))
    }

    /// Creates the error for a duplicate. `what` describes the existing record. Clients match "already
    /// exists".
    pub fn already_exists(what: impl fmt::Display) -> Self {
        Self::new(
            Kind::Validation,
            sentence(&format!("{what} already exists.")),
        )
    }

    /// Creates the error for a token that cannot be verified, with the code `INVALID_JWT`. Clients
    /// match "Invalid token".
    pub fn invalid_token(kind: Kind, why: impl fmt::Display) -> Self {
        Self::new(kind, format!("Invalid token: {why}.")).code("INVALID_JWT")
    }

    /// Creates the error for a request without a session, a token or a key. Ghost's admin app
    /// compares the whole message, and opens its sign-in form for this one.
    pub fn unauthenticated(context: impl Into<String>) -> Self {
        Self::new(Kind::NoPermission, "Authorization failed").context(context)
    }

    /// Creates an internal error. The client only learns that an error occurred, or that the disk is full;
    /// `source` is for the log.
    pub fn internal(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let source = source.into();
        let mut error = if is_full_disk(&*source) {
            Self::new(
                Kind::NoSpace,
                "There is no space left on the server's disk. Nothing was changed.",
            )
            .help("Free some space on the disk that has the data folder, then try again.")
            .code("NO_SPACE_LEFT")
        } else if is_unavailable_store(&*source) {
            Self::new(
                Kind::Maintenance,
                "The site's database is not available. Nothing was changed.",
            )
            .help("Try again in a few seconds.")
            .code(STORE_UNAVAILABLE)
        } else if is_bucket_error(&*source, BucketErrorKind::Damaged) {
            Self::new(
                Kind::Maintenance,
                "The storage of the site's uploads returns something else than was uploaded. Nothing was changed.",
            )
            .help("The log of the server contains the name of the file.")
            .code("UPLOADS_DAMAGED")
        } else if is_bucket_error(&*source, BucketErrorKind::Unavailable) {
            Self::new(
                Kind::Maintenance,
                "The storage of the site's uploads is not available. Nothing was changed.",
            )
            .help("Try again in a few seconds.")
            .code("UPLOADS_UNAVAILABLE")
        } else {
            Self::new(Kind::Internal, "The server could not complete the request.")
        };
        error.0.source = Some(source.into());
        error
    }

    /// Returns the cause for the operator: the source if the message is only for clients, and otherwise the
    /// message.
    pub fn cause(&self) -> String {
        match &self.0.source {
            Some(source) => source.to_string(),
            None => self.to_string(),
        }
    }

    /// Returns whether the error means that the site's database is unavailable.
    pub fn is_of_unavailable_store(&self) -> bool {
        self.0.code == Some(STORE_UNAVAILABLE)
    }

    /// Sets the type name in the response, if clients expect a name other than that of the kind.
    pub fn named(mut self, type_name: &'static str) -> Self {
        self.0.type_name = Some(type_name);
        self
    }

    /// Adds the code that clients compare (`UPDATE_COLLISION`, `UNKNOWN_CONTENT_API_KEY`, …).
    pub fn code(mut self, code: &'static str) -> Self {
        self.0.code = Some(code);
        self
    }

    /// Adds a description of the exact cause.
    pub fn context(mut self, context: impl Into<String>) -> Self {
        self.0.context = Some(context.into());
        self
    }

    /// Adds advice on how to correct the error.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// Sets the name of the invalid field.
    pub fn property(mut self, property: impl Into<String>) -> Self {
        self.0.property = Some(property.into());
        self
    }

    /// Adds machine-readable details of each fault.
    pub fn details(mut self, details: serde_json::Value) -> Self {
        self.0.details = Some(details);
        self
    }

    /// Returns the kind.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// Returns the message for the client.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the type name in the response, if it is not that of the kind.
    pub fn own_type_name(&self) -> Option<&'static str> {
        self.0.type_name
    }

    /// Returns the machine-readable details, if there are any.
    pub fn detail_values(&self) -> Option<&serde_json::Value> {
        self.0.details.as_ref()
    }

    /// Returns the code, if the error has one.
    pub fn code_name(&self) -> Option<&'static str> {
        self.0.code
    }

    /// Returns the description of the exact cause, if there is one.
    pub fn context_text(&self) -> Option<&str> {
        self.0.context.as_deref()
    }

    /// Returns the advice on how to correct the error, if there is any.
    pub fn help_text(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Returns the name of the invalid field, if there is one.
    pub fn property_name(&self) -> Option<&str> {
        self.0.property.as_deref()
    }
}

/// Returns `text` with a capital first letter.
fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).collect()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some(context) = &self.0.context {
            write!(f, " {context}")?;
        }
        if let Some(help) = &self.0.help {
            write!(f, " {help}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.0.message)
            .field("context", &self.0.context)
            .field("source", &self.0.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0
            .source
            .as_deref()
            .map(|source| source as &(dyn StdError + 'static))
    }
}

/// Returns whether the error means that the disk is full or a file may not grow, and nothing was changed.
fn is_full_disk(error: &(dyn StdError + 'static)) -> bool {
    for cause in causes(error) {
        match store_error(cause) {
            Some(StoreError::Full { .. }) => return true,
            // The commit may be on disk, so the message must not say that nothing was changed.
            Some(StoreError::InDoubt { .. }) => return false,
            _ => {}
        }
        let of_system = cause.downcast_ref::<io::Error>();
        if of_system.is_some_and(|error| is_out_of_space(error.kind())) {
            return true;
        }
    }
    false
}

/// Returns whether the error means that a database is unavailable, and nothing was changed.
fn is_unavailable_store(error: &(dyn StdError + 'static)) -> bool {
    let errors = causes(error).filter_map(store_error);
    errors
        .map(StoreError::is_of_unavailable_store)
        .next()
        .unwrap_or_default()
}

/// Returns whether an error is a bucket error of this kind.
fn is_bucket_error(error: &(dyn StdError + 'static), kind: BucketErrorKind) -> bool {
    causes(error).any(|cause| {
        let within = cause.downcast_ref::<io::Error>();
        // `io::Error::source` returns the source of the wrapped error, not the wrapped error
        // itself.
        let within = within.and_then(|error| error.get_ref()?.downcast_ref());
        let error: Option<&BucketError> = cause.downcast_ref().or(within);
        error.is_some_and(|error| error.kind == kind)
    })
}

/// Returns the error followed by its causes.
fn causes<'e>(
    error: &'e (dyn StdError + 'static),
) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error: &&'e (dyn StdError + 'static)| {
        error.source()
    })
}

fn store_error<'e>(error: &'e (dyn StdError + 'static)) -> Option<&'e StoreError> {
    // Transactions of a group commit share its error.
    let shared = error.downcast_ref::<Arc<StoreError>>();
    error.downcast_ref().or(shared.map(|shared| &**shared))
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::internal(error)
    }
}
