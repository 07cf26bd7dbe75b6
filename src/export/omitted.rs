//! Records that a format cannot contain, for the person who exports.

use crate::{
    catalog::Catalog,
    domain::{
        routes::Routes,
        setting::{Reach, SETTINGS},
    },
};

/// Kinds of records that some format omits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OmittedKind {
    /// Members and their labels.
    Members,
    /// Offers.
    Offers,
    /// Recommendations.
    Recommendations,
    /// Settings that content files do not have.
    Settings,
    /// Routes.
    Routes,
}

/// Returns a remark for each of these kinds that the site has records of.
pub fn remarks(catalog: &Catalog, kinds: &[OmittedKind]) -> Vec<String> {
    let remarks = kinds.iter().map(|kind| remark(catalog, *kind));
    remarks.flatten().collect()
}

fn remark(catalog: &Catalog, kind: OmittedKind) -> Option<String> {
    let counted = |kinds: &str, count: usize, how: &str| {
        (count > 0).then(|| format!("{kinds}: {count}; {how}"))
    };
    match kind {
        OmittedKind::Members => counted(
            "members, which are not in this export",
            catalog.members.len(),
            "export them as NAME.csv",
        ),
        OmittedKind::Offers => counted(
            "offers, which are not in this export",
            catalog.offers.len(),
            "export the site as NAME.json",
        ),
        OmittedKind::Recommendations => counted(
            "recommendations, which are not in this export",
            catalog.recommendations.len(),
            "export the site as NAME.json",
        ),
        OmittedKind::Routes => (*catalog.routes != Routes::default()).then(|| {
            "routes, which are not in this export; the Admin API has them at settings/routes/yaml/"
                .to_owned()
        }),
        OmittedKind::Settings => {
            let set = catalog.settings.set_values();
            let keys = SETTINGS.iter().filter(|setting| {
                matches!(setting.reach, Reach::Records | Reach::Staff)
                    && set.get(setting.key).is_some_and(|value| !value.is_null())
            });
            let keys: Vec<&str> = keys.map(|setting| setting.key).collect();
            (!keys.is_empty()).then(|| {
                let keys = keys.join(", ");
                format!("settings that content files do not have are not exported: {keys}")
            })
        }
    }
}
