//! The replacement of the store in PostgreSQL in a program without it. Every text is invalid as its URL.

use std::fmt;
use std::str::FromStr;

/// The URL of a database, which has no values.
#[derive(Clone, Debug)]
pub enum PostgresUrl {}

/// Why a text is not the URL of a database.
#[derive(Debug, thiserror::Error)]
#[error("this program was built without the feature `postgres`")]
pub struct PostgresUrlError;

impl FromStr for PostgresUrl {
    type Err = PostgresUrlError;

    fn from_str(_text: &str) -> Result<Self, PostgresUrlError> {
        Err(PostgresUrlError)
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, _formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

/// Does not exist: there is no URL to call it with.
///
/// # Errors
///
/// None.
pub fn reach(url: &PostgresUrl) -> Result<super::Reached, super::StoreError> {
    match *url {}
}
