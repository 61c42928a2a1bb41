//! Exact token counting.
