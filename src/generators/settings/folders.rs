//! Lists the folders of a project that may contain settings for their documents.

use std::path::Path;

/// Returns the folder `top` of the project `root` and the folders below it, parents before children: at most `count_max`
/// folders, down to `depth_max` levels. Hidden folders and those whose names `is_left_out` accepts are left out.
pub fn folders_below(
    root: &Path,
    top: &str,
    (depth_max, count_max): (usize, usize),
    is_left_out: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut folders = vec![(top.to_owned(), 0)];
    let mut index = 0;
    while let Some((folder, depth)) = folders.get(index).cloned() {
        index += 1;
        let room = count_max.saturating_sub(folders.len());
        if depth < depth_max && room > 0 {
            let inner = folders_in(root, &folder, &is_left_out);
            folders.extend(inner.into_iter().take(room).map(|inner| (inner, depth + 1)));
        }
    }
    folders.into_iter().map(|(folder, _)| folder).collect()
}

/// Returns the folders in `folder` of the project `root`, sorted by name, except hidden ones and those whose names
/// `is_left_out` accepts.
pub fn folders_in(root: &Path, folder: &str, is_left_out: impl Fn(&str) -> bool) -> Vec<String> {
    let Ok(entries) = root.join(folder).read_dir() else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        // `file_type` does not follow links, so a circular link cannot make the walk endless.
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.') && !is_left_out(name))
        .map(|name| below(folder, &name))
        .collect();
    // The order of directory entries differs between file systems, and the
    // limit must cut off the same folders on all.
    names.sort();
    names
}

/// Returns the path of `name` in `folder`, which may be empty.
pub fn below(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}
