//! Reproducible random numbers: randomised tests print their seed, and `tests/endurance/run` sets
//! their number of rounds.

use std::env;

/// A generator that returns the same numbers for the same seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct TestRandom(u64);

impl TestRandom {
    /// Starts with the seed in `GALLEY_SEED`, or else with a new one, and prints it.
    pub fn begin() -> Self {
        let given = env::var("GALLEY_SEED").ok();
        let seed = given.map_or_else(
            || std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64,
            |seed| seed.parse().expect("GALLEY_SEED is a number"),
        );
        println!("GALLEY_SEED={seed}");
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    /// Returns true with a probability of `percent`.
    pub fn happens(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Returns one of `choices`.
    pub fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// Shuffles a slice.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for index in (1..things.len()).rev() {
            things.swap(index, self.below(index as u64 + 1) as usize);
        }
    }
}

/// Returns the number of rounds of a test: `GALLEY_ENDURANCE_ROUNDS`, or else `usual`.
pub fn rounds(usual: u64) -> u64 {
    let given = env::var("GALLEY_ENDURANCE_ROUNDS").ok();
    given.map_or(usual, |rounds| {
        rounds.parse().expect("GALLEY_ENDURANCE_ROUNDS is a number")
    })
}
