//! The scope of an expansion, and the limits of inclusions in it.

use std::cell::Cell;

use crate::generators::syntax::{
    callout::CalloutTag,
    environment::{Environment, IncludedFile},
};

/// Maximum depth of inclusions.
pub(super) const PARTIALS_DEPTH_MAX: usize = 5;

/// Maximum total length of a document's inclusions, in bytes.
pub(super) const INCLUSION_BYTES_MAX: usize = 4 << 20;

/// Cost of an inclusion in addition to its length, in bytes.
pub(super) const INCLUSION_BYTES: usize = 1_000;

/// The reason why a file is not included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InclusionRefusal {
    /// The file does not exist.
    Missing,
    /// The file includes itself through these files.
    Circular(String),
    /// Inclusions are nested too deeply.
    TooDeep,
    /// The included files are too large.
    TooLarge,
}

impl std::fmt::Display for InclusionRefusal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => formatter.write_str("the file does not exist"),
            Self::Circular(files) => write!(formatter, "it includes itself ({files})"),
            Self::TooDeep => write!(
                formatter,
                "inclusions are nested more than {PARTIALS_DEPTH_MAX} levels deep"
            ),
            Self::TooLarge => write!(
                formatter,
                "the included files are larger than {} MiB in total",
                INCLUSION_BYTES_MAX >> 20
            ),
        }
    }
}

/// The scope of an expansion: its environment, and remaining limits.
#[derive(Clone, Copy)]
pub(crate) struct ExpansionScope<'a> {
    pub(crate) environment: &'a Environment<'a>,
    /// The component for callouts that the generator renders in its own way.
    pub(super) callout: Option<CalloutTag>,
    /// The path of the expanded file.
    pub(super) file: &'a str,
    /// The scope of the including file.
    pub(super) outer: Option<&'a ExpansionScope<'a>>,
    /// The depth of inclusion.
    pub(super) depth: usize,
    /// Remaining number of bytes of inclusions, shared by the whole document.
    pub(super) inclusion_left: &'a Cell<usize>,
}

impl ExpansionScope<'_> {
    /// Returns the file that an inclusion names, or the reason why it is not included.
    pub(crate) fn included(&self, written: &str) -> Result<IncludedFile, InclusionRefusal> {
        let partial = self.environment.partial.ok_or(InclusionRefusal::Missing)?;
        // Charged before the file is read, so that refused inclusions also count.
        self.take(INCLUSION_BYTES)?;
        let included = partial(self.file, written).ok_or(InclusionRefusal::Missing)?;
        let scopes = std::iter::successors(Some(self), |scope| scope.outer);
        let mut between = Vec::new();
        for scope in scopes {
            between.push(scope.file);
            if scope.file == included.path {
                between.reverse();
                let files = [between.join(" → "), included.path].join(" → ");
                return Err(InclusionRefusal::Circular(files));
            }
        }
        // Circular inclusions are found first, because their message names the files.
        if self.depth == PARTIALS_DEPTH_MAX {
            return Err(InclusionRefusal::TooDeep);
        }
        self.take(included.text.len())?;
        Ok(included)
    }

    /// Subtracts `bytes` from the remaining bytes of inclusions. If fewer remain, this and all later inclusions fail.
    fn take(&self, bytes: usize) -> Result<(), InclusionRefusal> {
        let bytes_left = self.inclusion_left.get().checked_sub(bytes);
        self.inclusion_left.set(bytes_left.unwrap_or(0));
        bytes_left.map(drop).ok_or(InclusionRefusal::TooLarge)
    }

    /// Returns the scope of an included file.
    pub(crate) fn within<'s>(&'s self, included: &'s IncludedFile) -> ExpansionScope<'s> {
        ExpansionScope {
            file: &included.path,
            outer: Some(self),
            depth: self.depth + 1,
            ..*self
        }
    }
}
