//! The limits of a rendering.

use std::time::Duration;

/// The limits of a rendering, which hold for any templates.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum nesting depth of partials, layouts and blocks.
    pub depth: usize,
    /// Maximum size of the output, in bytes.
    pub output_bytes: usize,
    /// Maximum total size of the values that helpers return to other helpers and to partials, in
    /// bytes.
    pub value_bytes: usize,
    /// Maximum number of steps. Each rendered tag and each iteration is a step.
    pub steps: usize,
    /// Maximum time. It is checked between steps, so the step in progress is completed.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 200,
            output_bytes: 16 << 20,
            value_bytes: 8 << 20,
            steps: 2_000_000,
            time: Duration::from_secs(5),
        }
    }
}
