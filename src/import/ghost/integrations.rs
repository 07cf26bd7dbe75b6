//! The integrations of an export: their names, not their keys.

use super::{
    importer::{Importer, subject},
    rows::Reading,
};
use crate::{
    domain::integration::Integration,
    error::{Error, Result},
    import::Outcome,
};

/// What integrations are called in the report.
const PLURAL: &str = "integrations";

/// The type of those that somebody made; others came with Ghost.
const MADE: &str = "custom";

impl Importer<'_> {
    /// Brings in the integrations, each with new keys. One whose name there is stays as it is.
    pub fn integrations(&mut self) -> Result<()> {
        let tables = self.tables;
        for row in &tables.integrations {
            self.integration(&row.read())?;
        }
        Ok(())
    }

    fn integration(&mut self, row: &Reading<'_>) -> Result<()> {
        let Some(name) = row.text("name") else {
            return Ok(());
        };
        if row.text("type").is_some_and(|kind| kind != MADE) {
            return Ok(());
        }
        let name = name.trim();
        let subject = subject("integration", name);
        let is_known = self
            .transaction
            .catalog()
            .integrations()
            .any(|known| &*known.name == name);
        if is_known {
            self.report.count(PLURAL, Outcome::Unchanged);
            return Ok(());
        }
        let made = Integration::generate(name, self.transaction.now()).map_err(Error::internal)?;
        let made = Integration {
            description: row.boxed("description"),
            icon_image: self.address(row, &["icon_image"]),
            ..made
        };
        if let Err(error) = self.transaction.save_integration(made) {
            self.report.leave_out(subject, error.message());
            return Ok(());
        }
        self.report.count(PLURAL, Outcome::Added);
        self.report.change(
            subject,
            "has new keys: those of the old site are not taken over",
        );
        Ok(())
    }
}
