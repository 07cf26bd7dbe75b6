//! The options of scheduled backups.

use std::time::Duration;

use super::{ConfigError, values::Values};
use crate::{
    backup::{Destination, ScheduleOptions},
    bucket::BucketOptions,
    interruption::Interruption,
};

/// A day.
const DAY: Duration = Duration::from_secs(86_400);

/// Returns the options of the bucket that receives backups.
pub fn bucket(values: &Values) -> Result<BucketOptions, ConfigError> {
    let given = |key: &str| values.given(key).unwrap_or_default().to_owned();
    Ok(BucketOptions {
        table: "backup",
        endpoint: values.given_parsed("backup.endpoint")?,
        region: values.text("backup.region").to_owned(),
        access_key: given("backup.access_key"),
        secret_key: given("backup.secret_key"),
    })
}

/// Returns the options of scheduled backups, if they are configured.
pub fn options(values: &Values) -> Result<Option<ScheduleOptions>, ConfigError> {
    let Some(to) = values.given("backup.to").filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let destination = Destination::new(to, &bucket(values)?);
    let every = values.duration("backup.every")?;
    let keep = values.count("backup.keep")?;
    // By default, moments can be restored for as long as `backup.keep` whole backups cover.
    let retention = match values.given_number("backup.keep_days")? {
        Some(days) => DAY.saturating_mul(u32::try_from(days).unwrap_or(u32::MAX)),
        None => every.saturating_mul(u32::try_from(keep).unwrap_or(u32::MAX)),
    };
    Ok(Some(ScheduleOptions {
        destination: destination.map_err(|why| values.invalid("backup.to", &why))?,
        every,
        keep,
        retention,
        max_loss: values.duration("backup.max_loss")?,
        stopping: Interruption::default(),
    }))
}
