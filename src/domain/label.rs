//! Labels that staff assign to members.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{permission::permissions, record::record};
use crate::{
    error::{Error, Kind, Result},
    id::Id,
};

/// Longest name, in characters (Ghost 6.65, recorded).
pub const NAME_CHARACTERS_MAX: usize = 191;

/// A label (Ghost 6.65, recorded). The identifier is never derived from the name: a label that is
/// deleted and created again is a different one, so that members who had the old label do not get
/// the new one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Label {
    /// The record's identifier.
    pub id: Id,
    /// The slug, unique among labels.
    pub slug: Box<str>,
    /// The name that staff see, unique among labels, ignoring case.
    pub name: Box<str>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

record!(Label, "label", |label| &label.name, |label| &label.slug);

permissions! {
    LABELS_BROWSE: "labels", "browse" => Yes, Yes, Yes, Yes, Yes, No, BeyondSpecification;
    LABELS_ADD: "labels", "add" => Yes, Yes, Yes, No, No, No, BeyondSpecification;
    LABELS_EDIT: "labels", "edit" => Yes, Yes, Yes, No, No, No, BeyondSpecification;
    LABELS_DELETE: "labels", "delete" => Yes, Yes, Yes, No, No, No, BeyondSpecification;
}

impl Label {
    /// Checks the fields that can be validated without other records.
    ///
    /// # Errors
    ///
    /// `Validation` if the name is empty or too long.
    pub fn check(&self) -> Result<()> {
        let characters = self.name.chars().count();
        if self.name.trim().is_empty() || characters > NAME_CHARACTERS_MAX {
            Err(Error::new(
                Kind::Validation,
                format!(
                    "The name of a label has 1 to {NAME_CHARACTERS_MAX} characters; this one has {characters}."
                ),
            )
            .property("name"))
        } else {
            Ok(())
        }
    }
}
