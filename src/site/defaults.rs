//! The records that every site has from the beginning.

use super::{Transaction, posts::HAS_FILE_REFERENCES};
use crate::{
    domain::{
        newsletter::{self, Newsletter},
        tier::Tier,
    },
    error::Result,
    store::Table,
};

/// Key of the time of the site's creation.
pub(super) const BEGAN_AT: &[u8] = b"began_at";

impl Transaction {
    /// Adds the records that the site lacks because it is new, or was last opened by an earlier
    /// version.
    pub(super) fn complete_site(&mut self) -> Result<()> {
        // Without any commit, the site is new.
        if self.catalog().revision == 0 {
            self.add_defaults()?;
        }
        if self.catalog().member_secret.is_none() {
            self.make_member_secret()?;
        }
        if self
            .read::<bool>(Table::Meta, HAS_FILE_REFERENCES)?
            .is_none()
        {
            self.add_file_references()?;
        }
        Ok(())
    }

    /// Adds the records of every new site: a free tier, a paid tier and a newsletter, dated when the site
    /// was created (Ghost 6.65, recorded). On a site of content files they lose that date, since the same
    /// files must produce the same site on any day.
    fn add_defaults(&mut self) -> Result<()> {
        let now = self.now();
        self.put(Table::Meta, BEGAN_AT, &now)?;
        self.catalog_mut().began_at = Some(now);
        let title = self.catalog().settings.text("title").unwrap_or_default();
        for tier in [Tier::free(), Tier::default_paid(&title)] {
            self.save(Tier {
                created_at: now,
                updated_at: Some(now),
                ..tier
            })?;
        }
        self.save(Newsletter {
            created_at: now,
            updated_at: now,
            ..Newsletter::new(newsletter::DEFAULT_SLUG, &title)
        })
    }
}
