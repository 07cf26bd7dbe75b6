//! The folders of a project in which settings of their documents may be.

use std::path::Path;

/// Returns the folder `top` of the project `root` and the folders below it, each before those that it contains: at most
/// `count_max`, down to `depth_max` levels. Hidden folders, those that begin with `_`, and `node_modules` are left out.
pub fn folders_below(root: &Path, top: &str, depth_max: usize, count_max: usize) -> Vec<String> {
    let mut folders = vec![(top.to_owned(), 0)];
    let mut place = 0;
    while let Some((folder, depth)) = folders.get(place).cloned() {
        place += 1;
        if depth == depth_max || folders.len() >= count_max {
            continue;
        }
        let Ok(entries) = root.join(&folder).read_dir() else {
            continue;
        };
        let names = entries.filter_map(Result::ok);
        let names = names.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let mut names: Vec<String> = names
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| !name.starts_with(['.', '_']) && name != "node_modules")
            .collect();
        names.sort();
        folders.extend(
            names
                .into_iter()
                .map(|name| (below(&folder, &name), depth + 1)),
        );
    }
    folders.into_iter().map(|(folder, _)| folder).collect()
}

/// Returns the path of `name` in `folder`, which may be empty.
pub fn below(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}
