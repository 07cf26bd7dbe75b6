//! The settings of a bucket.

use url::Url;

/// The settings needed to use a bucket.
#[derive(Clone, Debug, Default)]
pub struct BucketOptions {
    /// The name of the configuration table with these options, for errors.
    pub table: &'static str,
    /// The URL of the service; the default is that of Amazon in the region.
    pub endpoint: Option<Url>,
    /// The region.
    pub region: String,
    /// The identifier of the key.
    pub access_key: String,
    /// The key.
    pub secret_key: String,
}

impl BucketOptions {
    /// Returns the names of the options for the key that are not set.
    pub(super) fn missing_keys(&self) -> Vec<String> {
        let keys = [
            ("access_key", &self.access_key),
            ("secret_key", &self.secret_key),
        ];
        let missing = keys.into_iter().filter(|(_, value)| value.is_empty());
        missing
            .map(|(name, _)| format!("{}.{name}", self.table))
            .collect()
    }
}
