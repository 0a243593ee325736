//! A small generator of numbers (xorshift64*) for tests that mutate programs: equal seeds give equal mutants.

/// The state of the generator; never 0.
pub struct Random(u64);

impl Random {
    /// A generator for a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.max(1))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `limit`, 0 if that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        // The high bits are the good ones, also for seeds that follow each other.
        ((self.bits() >> 16) % limit.max(1) as u64) as usize
    }
}
