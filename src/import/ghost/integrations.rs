//! Imports integrations by name. Their keys are not imported.

use super::{
    importer::{Importer, subject},
    rows::RowReader,
};
use crate::{
    domain::integration::Integration,
    error::{Error, Result},
    import::Outcome,
};

/// The name of integrations in the report.
const PLURAL: &str = "integrations";

/// The type of integrations that users added; others are built into Ghost.
const CUSTOM: &str = "custom";

impl Importer<'_> {
    /// Imports the integrations, each with new keys. An existing integration with the same name stays
    /// unchanged.
    pub fn integrations(&mut self) -> Result<()> {
        let tables = self.tables;
        // Ghost 6.65 writes this table only if a client requests it with `include=integrations`
        // (recorded in admin-db).
        for row in &tables.integrations {
            self.integration(&row.read())?;
        }
        Ok(())
    }

    fn integration(&mut self, row: &RowReader<'_>) -> Result<()> {
        let Some(name) = row.text("name") else {
            return Ok(());
        };
        if row.text("type").is_some_and(|kind| kind != CUSTOM) {
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
        let integration =
            Integration::generate(name, self.transaction.now()).map_err(Error::internal)?;
        let integration = Integration {
            description: row.boxed("description"),
            icon_image: self.image_url(row, ["icon_image"]),
            ..integration
        };
        let skipped = &["id", "slug", "created_at", "updated_at"];
        self.report_columns(&subject, row, PLURAL, skipped);
        if let Err(error) = self.transaction.save_integration(integration) {
            self.report.leave_out(subject, error.message());
            return Ok(());
        }
        self.report.count(PLURAL, Outcome::Added);
        self.report.change(
            subject,
            "has new keys: those of the old site are not imported",
        );
        Ok(())
    }
}
