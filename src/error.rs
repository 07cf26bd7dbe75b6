//! The error of everything above the store: a kind that decides how it is answered, and a text that names the thing.
//!
//! The kinds are those of Ghost's API. Only `api/error.rs` turns one into a status; the message is for the client,
//! the `source` is for the operator and never leaves the server.

use std::{error::Error as StdError, fmt, io, sync::Arc};

use crate::store::{StoreError, is_want_of_space};

/// A `Result` whose error is [`enum@Kind`]-ed.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, as far as the answer depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The request makes no sense: a filter that does not parse, an unknown field, a parameter twice.
    BadRequest,
    /// Who asks is not known.
    Unauthorized,
    /// Who asks may not.
    NoPermission,
    /// There is no such endpoint or record.
    NotFound,
    /// The client's version does not know this endpoint.
    NotAcceptable,
    /// A value is wrong; `property` may name it.
    Validation,
    /// What was asked makes no sense of itself, whatever the site holds.
    IncorrectUsage,
    /// The body is not what its header says: broken JSON.
    UnreadableBody,
    /// The body is of a kind that is not taken.
    UnsupportedMediaType,
    /// The session is good once the code that was sent by mail has been given.
    NeedsSecondFactor,
    /// The password must be set anew before anybody signs in with it.
    PasswordResetRequired,
    /// The record was changed by somebody else in the meantime.
    UpdateCollision,
    /// Too many attempts; later ones may pass.
    TooManyRequests,
    /// The body is longer than this server takes.
    RequestEntityTooLarge,
    /// The request line or the headers are longer than this server takes, or cannot be read.
    UnreadableRequest,
    /// The server is at a limit and cannot answer now.
    Maintenance,
    /// There is no room left on the server's disk; nothing was changed.
    NoSpace,
    /// A fault of the server.
    Internal,
}

/// An error with what its reader needs to act on it.
pub struct Error(Box<Detail>);

struct Detail {
    kind: Kind,
    type_name: Option<&'static str>,
    code: Option<&'static str>,
    message: String,
    context: Option<String>,
    help: Option<String>,
    property: Option<String>,
    details: Option<serde_json::Value>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// An error of `kind` whose message the client sees.
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

    /// Returns the error for what does not exist, or is hidden from who asks: `what` names it, as in "Post not found.".
    ///
    /// Clients match "not found" in the message of every 404, so no other function makes one; a test of the sources holds that.
    pub fn not_found(what: impl fmt::Display) -> Self {
        Self::new(Kind::NotFound, sentence(&format!("{what} not found.")))
    }

    /// Returns the error for a duplicate: `what` names the record that is in the way. Clients match "already exists".
    pub fn already_exists(what: impl fmt::Display) -> Self {
        Self::new(
            Kind::Validation,
            sentence(&format!("{what} already exists.")),
        )
    }

    /// Returns the error for a token that cannot be verified, with the code `INVALID_JWT`. Clients match "Invalid token".
    pub fn invalid_token(kind: Kind, why: impl fmt::Display) -> Self {
        Self::new(kind, format!("Invalid token: {why}.")).code("INVALID_JWT")
    }

    /// Returns the error for a request without a sign-in, a token or a key. Ghost's admin app compares the whole message, and
    /// opens its sign-in form when it is this one.
    pub fn unauthenticated(context: impl Into<String>) -> Self {
        Self::new(Kind::NoPermission, "Authorization failed").context(context)
    }

    /// A fault of the server. The client learns that there was one, or that the disk is full; `source` is for the log.
    pub fn internal(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        let source = source.into();
        let mut error = if is_full_disk(&*source) {
            Self::new(
                Kind::NoSpace,
                "There is no space left on the server's disk. Nothing was changed.",
            )
            .help("Free some space on the disk that has the data folder, then try again.")
            .code("NO_SPACE_LEFT")
        } else {
            Self::new(Kind::Internal, "The server could not complete the request.")
        };
        error.0.source = Some(source);
        error
    }

    /// Gives the error a name of its own on the wire, where clients know it by another one than that of its kind.
    pub fn named(mut self, type_name: &'static str) -> Self {
        self.0.type_name = Some(type_name);
        self
    }

    /// Adds the code that clients compare (`UPDATE_COLLISION`, `UNKNOWN_CONTENT_API_KEY`, …).
    pub fn code(mut self, code: &'static str) -> Self {
        self.0.code = Some(code);
        self
    }

    /// Adds what exactly is wrong.
    pub fn context(mut self, context: impl Into<String>) -> Self {
        self.0.context = Some(context.into());
        self
    }

    /// Adds what to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// Names the field that is wrong.
    pub fn property(mut self, property: impl Into<String>) -> Self {
        self.0.property = Some(property.into());
        self
    }

    /// Adds each fault by itself, for programs.
    pub fn details(mut self, details: serde_json::Value) -> Self {
        self.0.details = Some(details);
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The text for the client.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The name on the wire, where it is not that of the kind.
    pub fn own_type_name(&self) -> Option<&'static str> {
        self.0.type_name
    }

    /// Each fault by itself, if they are told.
    pub fn detail_values(&self) -> Option<&serde_json::Value> {
        self.0.details.as_ref()
    }

    /// The code, if the error has one.
    pub fn code_name(&self) -> Option<&'static str> {
        self.0.code
    }

    /// What exactly is wrong, if that is said.
    pub fn context_text(&self) -> Option<&str> {
        self.0.context.as_deref()
    }

    /// What to do, if that is said.
    pub fn help_text(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// The field that is wrong, if one is named.
    pub fn property_name(&self) -> Option<&str> {
        self.0.property.as_deref()
    }
}

/// `text` with a capital letter at its beginning.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
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

/// Whether it comes from a disk, or a file that may not grow, and left everything as it was.
fn is_full_disk(error: &(dyn StdError + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let shared = error.downcast_ref::<Arc<StoreError>>();
        match error.downcast_ref().or(shared.map(|shared| &**shared)) {
            Some(StoreError::Full { .. }) => return true,
            Some(StoreError::InDoubt { .. }) => return false,
            _ => {}
        }
        let of_system = error.downcast_ref::<io::Error>();
        if of_system.is_some_and(|error| is_want_of_space(error.kind())) {
            return true;
        }
        cause = error.source();
    }
    false
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict { .. } => Self::new(
                Kind::UpdateCollision,
                "Saving failed: somebody else changed this record in the meantime.",
            )
            .code("UPDATE_COLLISION"),
            other => Self::internal(other),
        }
    }
}
