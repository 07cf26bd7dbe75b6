//! A page that cannot be rendered.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::front_end::pages::ThemeProblem;

/// A page that cannot be rendered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedPage {
    /// The path on the site.
    pub page: String,
    /// The cause.
    pub problem: ThemeProblem,
}

impl fmt::Display for FailedPage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.page, self.problem)
    }
}
