//! Recommendations of other sites: `recommendations`.

use serde::Serialize;

use super::{
    super::{ExportError, Report},
    document::{ExportDocument, Time},
};
use crate::{catalog::Catalog, id::Id};

/// A row of `recommendations`.
#[derive(Serialize)]
struct RecommendationRow<'a> {
    id: Id,
    url: &'a str,
    title: &'a str,
    excerpt: Option<&'a str>,
    featured_image: Option<&'a str>,
    favicon: Option<&'a str>,
    description: Option<&'a str>,
    one_click_subscribe: bool,
    created_at: Time,
    updated_at: Time,
}

/// Writes all recommendations.
pub fn write(
    catalog: &Catalog,
    document: &mut ExportDocument,
    report: &mut Report,
) -> Result<(), ExportError> {
    let mut table = document.table("recommendations")?;
    for recommendation in catalog.recommendations.iter() {
        table.row(&RecommendationRow {
            id: recommendation.id,
            url: &recommendation.url,
            title: &recommendation.title,
            excerpt: recommendation.excerpt.as_deref(),
            featured_image: recommendation.featured_image.as_deref(),
            favicon: recommendation.favicon.as_deref(),
            description: recommendation.description.as_deref(),
            one_click_subscribe: recommendation.one_click_subscribe,
            created_at: Time(recommendation.created_at),
            updated_at: Time(recommendation.updated_at),
        })?;
    }
    report.add("recommendations", table.end()?);
    Ok(())
}
