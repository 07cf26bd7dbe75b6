//! The memory that this process may use, from which default limits are derived.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The bounds of a default limit, in bytes.
const SHARE_BYTES_MIN: u64 = 64 << 20;
const SHARE_BYTES_MAX: u64 = 256 << 20;

/// The folder of control groups.
const GROUPS: &str = "/sys/fs/cgroup";

/// Returns the default of a memory limit: a quarter of the memory that the process may use, 64 to 256 MiB.
pub fn share_bytes() -> u64 {
    (usable_bytes() / 4).clamp(SHARE_BYTES_MIN, SHARE_BYTES_MAX)
}

/// Returns the memory of the machine, or the limit of the control groups of the process if it is lower, in
/// bytes.
fn usable_bytes() -> u64 {
    let machine = rustix::system::sysinfo();
    // The types of the fields differ between architectures.
    let machine = (machine.totalram as u64).saturating_mul(u64::from(machine.mem_unit));
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    limit_of_groups(&groups, Path::new(GROUPS)).map_or(machine, |limit| limit.min(machine))
}

/// Returns the lowest limit of the listed control groups, of both versions, and of their ancestors.
fn limit_of_groups(groups: &str, root: &Path) -> Option<u64> {
    let mut limits = Vec::new();
    for line in groups.lines() {
        // Number, controllers, path. Version 2 has no controllers.
        let mut parts = line.splitn(3, ':').skip(1);
        let (root, files) = match parts.next() {
            // Above `memory.high`, the kernel slows the processes of a group down (cgroup v2).
            Some("") => (root.to_owned(), &["memory.max", "memory.high"][..]),
            Some("memory") => (root.join("memory"), &["memory.limit_in_bytes"][..]),
            _ => continue,
        };
        let path = parts.next().unwrap_or_default().trim_start_matches('/');
        for folder in Path::new(path).ancestors() {
            let read = |file: &&str| number_in(root.join(folder).join(file));
            limits.extend(files.iter().filter_map(read));
        }
    }
    limits.into_iter().min()
}

/// Returns the number in a file; `None` for a group without a limit.
fn number_in(path: PathBuf) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        root
    }

    #[test]
    fn lowest_limit_of_a_group_and_those_above_counts() {
        let root = groups(&[
            ("system.slice/memory.max", "900\n"),
            ("system.slice/galley.service/memory.max", "512\n"),
            ("system.slice/galley.service/memory.high", "384\n"),
            ("other.slice/memory.max", "max\n"),
            ("memory/user/memory.limit_in_bytes", "700\n"),
        ]);
        let limit = |groups| limit_of_groups(groups, root.path());
        assert_eq!(limit("0::/system.slice/galley.service\n"), Some(384));
        assert_eq!(limit("0::/system.slice\n"), Some(900));
        assert_eq!(limit("0::/other.slice\n"), None);
        assert_eq!(
            limit("8:memory:/user/own\n3:cpuset:/\n0::/other.slice\n"),
            Some(700)
        );
        assert_eq!(limit("a line of another kind"), None);
    }

    #[test]
    fn share_of_a_machine_has_bounds() {
        assert!((SHARE_BYTES_MIN..=SHARE_BYTES_MAX).contains(&share_bytes()));
    }
}
