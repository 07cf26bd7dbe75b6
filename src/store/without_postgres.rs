//! Replacement for the store in PostgreSQL in programs that are built without it. No text is a valid URL
//! here.

use std::fmt;
use std::str::FromStr;

/// The URL of a database. No value of this type exists.
#[derive(Clone, Debug)]
pub enum PostgresUrl {}

/// The reason why a text is not a valid URL of a database.
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

/// Never called: no URL exists to call it with.
///
/// # Errors
///
/// None.
pub fn reach(url: &PostgresUrl) -> Result<super::Reached, super::StoreError> {
    match *url {}
}
