//! The result of a check.

use serde::Serialize;

/// The verdict of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Works.
    Ok,
    /// Works, but may fail later or for some clients.
    Warning,
    /// Does not work.
    Error,
    /// Was not tried.
    Skipped,
}

impl Verdict {
    /// Returns the word that is printed.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Skipped => "skipped",
        }
    }
}

/// A result of a check. A check of several things, such as domains, has one result for each.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The name of the check.
    pub check: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// The state, or the reason why it was skipped.
    pub message: String,
    /// The advice; only with a warning or an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

/// A finding without the name of its check.
#[derive(Debug)]
pub(super) struct UnnamedFinding {
    pub verdict: Verdict,
    pub message: String,
    pub advice: Option<String>,
}

impl UnnamedFinding {
    pub fn ok(message: impl Into<String>) -> Self {
        Self::new(Verdict::Ok, message, None)
    }

    pub fn skipped(reason: impl Into<String>) -> Self {
        Self::new(Verdict::Skipped, reason, None)
    }

    pub fn warning(message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::new(Verdict::Warning, message, Some(advice.into()))
    }

    pub fn error(message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::new(Verdict::Error, message, Some(advice.into()))
    }

    fn new(verdict: Verdict, message: impl Into<String>, advice: Option<String>) -> Self {
        Self {
            verdict,
            message: message.into(),
            advice,
        }
    }

    /// Returns the finding with the name of its check.
    pub fn of(self, check: &'static str) -> Finding {
        Finding {
            check,
            verdict: self.verdict,
            message: self.message,
            advice: self.advice,
        }
    }
}
