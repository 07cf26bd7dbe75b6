//! Metrics of this process, from the operating system.

use std::{fs, io};

use rustix::{
    process::{Resource, getrlimit},
    time::{ClockId, clock_gettime},
};

/// Clock ticks in a second, the unit of a process's start time in Linux.
const TICKS: f64 = 100.0;

/// Metrics of this process.
#[derive(Clone, Copy, Debug)]
pub struct Process {
    /// Memory that is not swapped out, in bytes.
    pub resident_bytes: u64,
    /// Address space, in bytes.
    pub virtual_bytes: u64,
    /// Time on processors, in seconds.
    pub cpu_seconds: f64,
    /// Open files, including sockets.
    pub open_files: u64,
    /// Limit of open files; `None` for no limit.
    pub open_files_max: Option<u64>,
    /// Time of the start, in seconds since 1970.
    pub started_at: f64,
}

impl Process {
    /// Reads the metrics.
    ///
    /// # Errors
    ///
    /// If the system does not provide them.
    pub fn now() -> io::Result<Self> {
        let status = fs::read_to_string("/proc/self/status")?;
        let bytes = |key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key))?;
            let number = line.trim().strip_suffix(" kB")?;
            number.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
        };
        let cpu = clock_gettime(ClockId::ProcessCPUTime);
        // One of them is the folder being read.
        let open_files = fs::read_dir("/proc/self/fd")?.count().saturating_sub(1);
        Ok(Self {
            resident_bytes: bytes("VmRSS:").ok_or(io::ErrorKind::InvalidData)?,
            virtual_bytes: bytes("VmSize:").ok_or(io::ErrorKind::InvalidData)?,
            cpu_seconds: cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9,
            open_files: open_files as u64,
            open_files_max: getrlimit(Resource::Nofile).current,
            started_at: started_at()?.ok_or(io::ErrorKind::InvalidData)?,
        })
    }
}

fn started_at() -> io::Result<Option<f64>> {
    let system = fs::read_to_string("/proc/stat")?;
    let booted_at = system.lines().find_map(|line| line.strip_prefix("btime "));
    let own = fs::read_to_string("/proc/self/stat")?;
    // The name of the program, in parentheses, may contain any characters; the start time is the
    // twentieth field after it.
    let began = own
        .rsplit_once(") ")
        .and_then(|(_, fields)| fields.split(' ').nth(19));
    let number = |text: Option<&str>| text?.trim().parse::<f64>().ok();
    Ok(number(booted_at)
        .zip(number(began))
        .map(|(booted_at, ticks)| booted_at + ticks / TICKS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_of_this_process_are_plausible() {
        let process = Process::now().unwrap();
        assert!(process.resident_bytes > 1 << 20);
        assert!(process.virtual_bytes >= process.resident_bytes);
        assert!(process.open_files >= 3);
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
        let age = now.as_secs_f64() - process.started_at;
        assert!((-2.0..86_400.0).contains(&age), "{age} s old");
    }
}
