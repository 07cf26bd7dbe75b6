//! Properties of member lists: each row is imported or reported; a repeated import changes nothing; an export is a list
//! of the same members; spreadsheets evaluate none of its cells.

use std::path::Path;

use galley::{
    error::{Kind, Result},
    export,
    import::{
        Report,
        members::{self, ListOptions},
    },
    progress::NoProgress,
};

use super::small_site::{NO_DATA, SmallSite};

/// First characters of cells that spreadsheets evaluate.
const FORMULAS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Panics unless these properties hold for a list.
pub fn check(input: &[u8]) {
    let site = SmallSite::new(Path::new(NO_DATA));
    let before = site.everything();
    let (rows, report) = match list(&site, input) {
        Ok(outcome) => outcome,
        Err(error) => {
            assert_eq!(error.kind(), Kind::Validation, "{error}");
            site.everything().assert_same_as(&before);
            return;
        }
    };
    let count = members_of(&site);
    assert!(count as u64 <= rows && (count > 0 || rows == 0 || !report.left_out.is_empty()));
    let exported = exported(&site);
    check_cells(&exported);

    let imported = site.everything();
    list(&site, input).unwrap_or_else(|error| panic!("the second import failed: {error}"));
    site.everything().assert_same_as(&imported);

    let other = SmallSite::new(Path::new(NO_DATA));
    list(&other, &exported).unwrap_or_else(|error| panic!("its export is rejected: {error}"));
    assert_eq!(
        String::from_utf8_lossy(&self::exported(&other)),
        String::from_utf8_lossy(&exported)
    );
}

/// Imports a list and returns its number of rows and the report.
fn list(site: &SmallSite, csv: &[u8]) -> Result<(u64, Report)> {
    let mut report = Report::default();
    let options = ListOptions::default();
    let rows = site.site.write_once(|transaction| {
        let bytes = csv.len() as u64;
        members::import(transaction, csv, bytes, &options, &mut report, &NoProgress)
    })?;
    Ok((rows, report))
}

fn members_of(site: &SmallSite) -> usize {
    let snapshot = site.site.current();
    let members = snapshot.catalog.members.iter();
    members
        .inspect(|member| assert!(member.check().is_ok(), "{member:?}"))
        .count()
}

fn exported(site: &SmallSite) -> Vec<u8> {
    let snapshot = site.site.current();
    let mut members: Vec<_> = snapshot.catalog.members.iter().collect();
    members.sort_by(|one, other| one.email.cmp(&other.email));
    let mut out = Vec::new();
    let members = members.into_iter().map(|member| &**member);
    export::members::write(&snapshot.catalog, members, &mut out).unwrap();
    out
}

fn check_cells(csv: &[u8]) {
    let mut reader = csv::ReaderBuilder::new().from_reader(csv);
    for row in reader.records() {
        for cell in &row.unwrap() {
            assert!(!cell.starts_with(FORMULAS), "{cell:?}");
        }
    }
}
