//! Remarks about records that a format cannot contain, for the person who exports them.

use crate::{
    catalog::Catalog,
    domain::{
        routes::Routes,
        setting::{SETTINGS, SettingSources},
    },
};

/// Kinds of records that some formats omit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OmittedKind {
    /// Members and their labels.
    Members,
    /// Offers.
    Offers,
    /// Recommendations.
    Recommendations,
    /// Settings that content files cannot contain.
    Settings,
    /// Routes.
    Routes,
}

/// Returns a remark for each of these kinds of which the site has records.
pub fn remarks(catalog: &Catalog, kinds: &[OmittedKind]) -> Vec<String> {
    let remarks = kinds.iter().map(|kind| remark(catalog, *kind));
    remarks.flatten().collect()
}

fn remark(catalog: &Catalog, kind: OmittedKind) -> Option<String> {
    let counted = |kinds: &str, count: usize, how: &str| {
        (count > 0).then(|| format!("{count} {kinds} are not in this export; {how}"))
    };
    match kind {
        OmittedKind::Members => counted(
            "members",
            catalog.members.len(),
            "export members as NAME.csv",
        ),
        OmittedKind::Offers => counted(
            "offers",
            catalog.offers.len(),
            "export the site as NAME.json",
        ),
        OmittedKind::Recommendations => counted(
            "recommendations",
            catalog.recommendations.len(),
            "export the site as NAME.json",
        ),
        OmittedKind::Routes => (*catalog.routes != Routes::default()).then(|| {
            "routes are not in this export; download them from settings/routes/yaml/ of the Admin API"
                .to_owned()
        }),
        OmittedKind::Settings => {
            let set = catalog.settings.set_values();
            let keys = SETTINGS.iter().filter(|setting| {
                matches!(setting.sources, SettingSources::Records | SettingSources::Staff)
                    && set.get(setting.key).is_some_and(|value| !value.is_null())
            });
            let keys: Vec<&str> = keys.map(|setting| setting.key).collect();
            (!keys.is_empty()).then(|| {
                let keys = keys.join(", ");
                format!("settings that content files cannot contain are not exported: {keys}")
            })
        }
    }
}
