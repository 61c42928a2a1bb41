//! Sets of characters as sorted ranges.

/// The last code point.
pub(super) const MAX: u32 = 0x10_FFFF;

/// A set of code points (or of UTF-16 units, in a pattern without `u`): sorted, disjoint, not adjacent, inclusive ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct CharSet {
    ranges: Vec<(u32, u32)>,
}

impl CharSet {
    /// A set of ranges in any order.
    pub fn from_ranges(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        let mut out: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (lo, hi) in ranges {
            match out.last_mut() {
                Some(last) if lo <= last.1.saturating_add(1) => last.1 = last.1.max(hi),
                _ => out.push((lo, hi)),
            }
        }
        CharSet { ranges: out }
    }

    /// The set of one character.
    pub fn single(c: u32) -> Self {
        CharSet { ranges: vec![(c, c)] }
    }

    /// Every character.
    pub fn all() -> Self {
        CharSet { ranges: vec![(0, MAX)] }
    }

    /// The ranges, in order.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// Is any character from `lo` to `hi` in it?
    pub fn meets(&self, lo: u32, hi: u32) -> bool {
        let next = self.ranges.partition_point(|range| range.1 < lo);
        self.ranges.get(next).is_some_and(|range| range.0 <= hi)
    }

    pub fn contains(&self, c: u32) -> bool {
        let i = self.ranges.partition_point(|&(_, hi)| hi < c);
        self.ranges.get(i).is_some_and(|&(lo, _)| lo <= c)
    }

    /// The members one by one; for small sets.
    pub fn chars(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranges.iter().flat_map(|&(lo, hi)| lo..=hi)
    }

    /// Adds one range; keeps the order.
    pub fn add(&mut self, lo: u32, hi: u32) {
        let from = self.ranges.partition_point(|&(_, h)| h.saturating_add(1) < lo);
        let to = self.ranges.partition_point(|&(l, _)| l <= hi.saturating_add(1));
        if from >= to {
            self.ranges.insert(from, (lo, hi));
            return;
        }
        let lo = lo.min(self.ranges[from].0);
        let hi = hi.max(self.ranges[to - 1].1);
        self.ranges.splice(from..to, [(lo, hi)]);
    }

    pub fn union(&self, other: &CharSet) -> CharSet {
        let mut all = self.ranges.clone();
        all.extend_from_slice(&other.ranges);
        CharSet::from_ranges(all)
    }

    pub fn complement(&self) -> CharSet {
        let mut out = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = 0;
        for &(lo, hi) in &self.ranges {
            if lo > next {
                out.push((next, lo - 1));
            }
            next = hi + 1;
        }
        if next <= MAX {
            out.push((next, MAX));
        }
        CharSet { ranges: out }
    }

    pub fn intersect(&self, other: &CharSet) -> CharSet {
        let mut out = Vec::new();
        let (mut i, mut j) = (0, 0);
        while let (Some(&(alo, ahi)), Some(&(blo, bhi))) = (self.ranges.get(i), other.ranges.get(j)) {
            let (lo, hi) = (alo.max(blo), ahi.min(bhi));
            if lo <= hi {
                out.push((lo, hi));
            }
            if ahi < bhi {
                i += 1;
            } else {
                j += 1;
            }
        }
        CharSet { ranges: out }
    }

    pub fn subtract(&self, other: &CharSet) -> CharSet {
        self.intersect(&other.complement())
    }
}

/// `\d`.
pub(super) fn digits() -> CharSet {
    CharSet::from_ranges(vec![(0x30, 0x39)])
}

/// `\w`; with `u` and `i` it also holds the two letters that fold into ASCII.
pub(super) fn word(unicode_ignore_case: bool) -> CharSet {
    let mut set = vec![(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
    if unicode_ignore_case {
        set.extend([(0x17F, 0x17F), (0x212A, 0x212A)]);
    }
    CharSet::from_ranges(set)
}

/// `\s`: WhiteSpace and LineTerminator.
pub(super) fn space() -> CharSet {
    CharSet::from_ranges(vec![
        (0x09, 0x0D),
        (0x20, 0x20),
        (0xA0, 0xA0),
        (0x1680, 0x1680),
        (0x2000, 0x200A),
        (0x2028, 0x2029),
        (0x202F, 0x202F),
        (0x205F, 0x205F),
        (0x3000, 0x3000),
        (0xFEFF, 0xFEFF),
    ])
}

/// The characters that end a line for `.`, `^` and `$`.
pub(super) fn line_ends() -> CharSet {
    CharSet::from_ranges(vec![(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)])
}

/// Whether a character ends a line.
pub(super) fn is_line_end(c: u32) -> bool {
    matches!(c, 0x0A | 0x0D | 0x2028 | 0x2029)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ranges: &[(u32, u32)]) -> CharSet {
        CharSet::from_ranges(ranges.to_vec())
    }

    #[test]
    fn ranges_merge_when_they_touch() {
        assert_eq!(set(&[(5, 9), (1, 4), (20, 30), (25, 40)]).ranges(), [(1, 9), (20, 40)]);
        let mut s = set(&[(1, 2), (10, 12), (20, 22)]);
        s.add(3, 9);
        assert_eq!(s.ranges(), [(1, 12), (20, 22)]);
        s.add(14, 15);
        assert_eq!(s.ranges(), [(1, 12), (14, 15), (20, 22)]);
        s.add(0, MAX);
        assert_eq!(s, CharSet::all());
    }

    #[test]
    fn set_algebra() {
        let (a, b) = (set(&[(1, 10), (20, 30)]), set(&[(5, 25)]));
        assert_eq!(a.intersect(&b).ranges(), [(5, 10), (20, 25)]);
        assert_eq!(a.subtract(&b).ranges(), [(1, 4), (26, 30)]);
        assert_eq!(a.union(&b).ranges(), [(1, 30)]);
        assert_eq!(a.complement().complement(), a);
        assert_eq!(a.intersect(&a.complement()), CharSet::default());
        assert_eq!(CharSet::default().complement(), CharSet::all());
        assert!(a.contains(10) && !a.contains(11) && a.contains(20) && !a.contains(31));
    }
}
