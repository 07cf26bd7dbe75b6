//! A linearizability check of concurrent reads and writes of several sites over one store.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst},
    },
    thread,
};

use galley::{
    domain::tag::Tag,
    error::Result,
    site::{Site, Transaction},
};

use super::{following::state, open, tag};
use crate::shared_store::SharedStore;

/// A read or a write of a record in the history of a test.
#[derive(Clone, Debug)]
struct Operation {
    record: usize,
    /// Start and end, in ticks of a shared clock.
    began: u64,
    ended: u64,
    /// The value that was found.
    found: String,
    /// The value that was written; `None` for a read.
    written: Option<String>,
}

const PROCESSES: usize = 3;
const RECORDS: usize = 4;
const WRITES: usize = 40;

fn value(tag: Option<&Arc<Tag>>) -> String {
    let description = tag.and_then(|tag| tag.description.as_deref());
    description.unwrap_or_default().to_owned()
}

fn write_value(transaction: &mut Transaction, record: usize, written: &str) -> Result<String> {
    let name = format!("record-{record}");
    let found = value(transaction.catalog().tags.by_slug(&name));
    transaction.save(Tag {
        description: Some(written.into()),
        ..tag(&name)
    })?;
    Ok(found)
}

pub fn concurrent_changes_of_several_processes_are_linearizable(store: &dyn SharedStore) {
    let clock = AtomicU64::new(0);
    let history: Mutex<Vec<Operation>> = Mutex::default();
    let sites: Vec<Site> = (0..PROCESSES).map(|_| open(store)).collect();
    let writers = AtomicUsize::new(PROCESSES * 2);
    let note = |operation: Operation| history.lock().unwrap().push(operation);
    thread::scope(|scope| {
        for (process, site) in sites.iter().enumerate() {
            for writer in 0..2 {
                let (clock, note, writers) = (&clock, &note, &writers);
                scope.spawn(move || {
                    for number in 0..WRITES {
                        let record = (number * 7 + process + writer) % RECORDS;
                        let written = format!("{process}.{writer}.{number}");
                        let began = clock.fetch_add(1, SeqCst);
                        let found = match number % 10 {
                            9 => site.write_once(|transaction| {
                                write_value(transaction, record, &written)
                            }),
                            _ => {
                                site.write(|transaction| write_value(transaction, record, &written))
                            }
                        };
                        note(Operation {
                            record,
                            began,
                            ended: clock.fetch_add(1, SeqCst),
                            found: found.unwrap(),
                            written: Some(written),
                        });
                    }
                    writers.fetch_sub(1, SeqCst);
                });
            }
            let (clock, note, writers) = (&clock, &note, &writers);
            scope.spawn(move || {
                while writers.load(SeqCst) > 0 {
                    let began = clock.fetch_add(1, SeqCst);
                    site.follow().unwrap();
                    let snapshot = Arc::clone(&site.current());
                    let ended = clock.fetch_add(1, SeqCst);
                    for record in 0..RECORDS {
                        let tags = &snapshot.catalog.tags;
                        note(Operation {
                            record,
                            began,
                            ended,
                            found: value(tags.by_slug(&format!("record-{record}"))),
                            written: None,
                        });
                    }
                }
            });
        }
    });
    let history = history.into_inner().unwrap();
    for record in 0..RECORDS {
        let of_record = history
            .iter()
            .filter(|operation| operation.record == record);
        let of_record: Vec<&Operation> = of_record.collect();
        if let Err(why) = check_history(&of_record) {
            let lines: Vec<String> = of_record.iter().map(|line| format!("{line:?}")).collect();
            panic!("{why}\n{}", lines.join("\n"));
        }
    }
    let states = sites.iter().map(|site| {
        site.follow().unwrap();
        state(site)
    });
    let states: Vec<_> = states.collect();
    assert!(states.iter().all(|known| *known == state(&open(store))));
}

/// Checks that the operations on one record are linearizable. There must be an order that is consistent with the times
/// at which they began and ended, and in which each operation reads the value of the preceding write. Each write has a
/// unique value, so the values that were read determine the order of the writes.
///
/// # Errors
///
/// The reason why there is no such order.
fn check_history(operations: &[&Operation]) -> std::result::Result<(), String> {
    let writes = operations
        .iter()
        .filter(|operation| operation.written.is_some());
    let mut after: BTreeMap<&str, &Operation> = BTreeMap::new();
    for write in writes.clone() {
        if after.insert(&write.found, write).is_some() {
            return Err(format!("two writes found {:?}", write.found));
        }
    }
    // The writes in order, and the position of each value: 0 before all writes.
    let mut order: Vec<&Operation> = Vec::new();
    let mut positions = BTreeMap::from([("", 0)]);
    let mut last = "";
    while let Some(write) = after.get(last) {
        order.push(write);
        last = write.written.as_deref().unwrap_or_default();
        positions.insert(last, order.len());
    }
    if order.len() != writes.count() {
        return Err(format!("a write after {last:?} is lost"));
    }
    let mut ended_until = Vec::new();
    let mut latest_begin = 0;
    for write in &order {
        if write.ended < latest_begin {
            return Err(format!("{write:?} ended before an earlier one began"));
        }
        latest_begin = latest_begin.max(write.began);
        ended_until.push(write.ended);
    }
    for read in operations
        .iter()
        .filter(|operation| operation.written.is_none())
    {
        let position = *positions
            .get(read.found.as_str())
            .ok_or("a value of no write")?;
        if position > 0 && order[position - 1].began > read.ended {
            return Err(format!("{read:?} found what was written later"));
        }
        if ended_until
            .get(position)
            .is_some_and(|ended| *ended < read.began)
        {
            return Err(format!("{read:?} missed an acknowledged write"));
        }
    }
    Ok(())
}
