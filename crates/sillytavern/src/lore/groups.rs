//! Inclusion groups: of the candidates that share a group, one stays.
//!
//! SillyTavern cuts losers out of a list one by one, and cuts the *last* candidate when a loser is gone already (an
//! entry can lose in two groups). Each cut shortens the list by one and a bystander is only ever cut as the last one.
//! So what remains is: the candidates that never lost, less as many from the end as there were second losses.

use std::collections::HashSet;

use indexmap::IndexMap;

use super::json;
use super::reason::GroupLoss;

/// What the groups need to know about a candidate.
#[derive(Debug, Clone)]
pub(crate) struct Member<'a> {
    /// Group names, comma separated, as written.
    pub(crate) names: Vec<&'a str>,
    pub(crate) sticky: bool,
    pub(crate) cooling: bool,
    /// Own scoring rule.
    pub(crate) scoring: Option<bool>,
    pub(crate) overrides: bool,
    pub(crate) order: f64,
    pub(crate) weight: f64,
}

/// How one candidate lost.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Loss {
    pub(crate) group: String,
    pub(crate) how: GroupLoss,
    pub(crate) winner: Option<usize>,
}

/// What the groups decided.
#[derive(Debug, Default)]
pub(crate) struct Decision {
    /// Candidates that stay, ascending.
    pub(crate) kept: Vec<usize>,
    /// How the others lost; only those that lost by the rules.
    pub(crate) losses: Vec<(usize, Loss)>,
}

/// The questions that deciding asks.
pub(crate) trait GroupHost {
    /// How many keys of the candidate match.
    fn score(&mut self, candidate: usize) -> usize;
    /// The next random number.
    fn random(&mut self) -> f64;
}

/// Decides between candidates. `active` are the group texts of entries that are active already.
pub(crate) fn decide(
    members: &[Member<'_>],
    active: &HashSet<String>,
    global_scoring: bool,
    host: &mut dyn GroupHost,
) -> Decision {
    let mut groups: IndexMap<&str, Vec<usize>> = IndexMap::new();
    for (i, member) in members.iter().enumerate() {
        for name in &member.names {
            groups.entry(name).or_default().push(i);
        }
    }
    groups.sort_by(|a, _, b, _| {
        let place = |name: &str| json::array_index(name).map_or((1, 0), |index| (0, index));
        place(a).cmp(&place(b))
    });
    let mut cuts = Cuts { lost: vec![false; members.len()], again: 0, losses: Vec::new() };

    let mut sticky_groups: HashSet<&str> = HashSet::new();
    for (name, group) in &groups {
        let sticky = group.iter().copied().find(|i| members[*i].sticky);
        if sticky.is_some() {
            sticky_groups.insert(name);
            group
                .iter()
                .filter(|i| !members[**i].sticky)
                .for_each(|i| cuts.cut(*i, name, GroupLoss::Sticky, sticky));
        }
        group
            .iter()
            .filter(|i| members[**i].cooling)
            .for_each(|i| cuts.cut(*i, name, GroupLoss::Timed, None));
    }

    for (name, group) in &mut groups {
        let asked = global_scoring || group.iter().any(|i| members[*i].scoring == Some(true));
        if !asked || sticky_groups.contains(name) {
            continue;
        }
        let scores: Vec<usize> = group.iter().map(|i| host.score(*i)).collect();
        let best = scores.iter().copied().max().unwrap_or(0);
        let leader = group.iter().zip(&scores).find(|(_, score)| **score == best).map(|(i, _)| *i);
        let mut at = 0;
        group.retain(|i| {
            let score = scores[at];
            at += 1;
            let loses = members[*i].scoring.unwrap_or(global_scoring) && score < best;
            if loses {
                cuts.cut(*i, name, GroupLoss::Score { score, best }, leader);
            }
            !loses
        });
    }

    for (name, group) in &groups {
        if sticky_groups.contains(name) {
            continue;
        }
        if active.contains(*name) {
            group.iter().for_each(|i| cuts.cut(*i, name, GroupLoss::AlreadyActive, None));
            continue;
        }
        if group.len() <= 1 {
            continue;
        }
        let (winner, how) = match strongest(members, group) {
            Some(winner) => (Some(winner), GroupLoss::Override),
            None => roll(members, group, host),
        };
        if winner.is_some() {
            let losers = group.iter().filter(|i| Some(**i) != winner);
            losers.for_each(|i| cuts.cut(*i, name, how.clone(), winner));
        }
    }
    cuts.finish()
}

/// The overriding member with the highest order.
fn strongest(members: &[Member<'_>], group: &[usize]) -> Option<usize> {
    let overriding = group.iter().copied().filter(|i| members[*i].overrides);
    // The first of equals wins.
    overriding.reduce(|best, i| if members[i].order > members[best].order { i } else { best })
}

/// The member that the roll falls on.
fn roll(members: &[Member<'_>], group: &[usize], host: &mut dyn GroupHost) -> (Option<usize>, GroupLoss) {
    let total: f64 = group.iter().map(|i| members[*i].weight).sum();
    let rolled = host.random() * total;
    let mut sum = 0.0;
    let winner = group.iter().copied().find(|i| {
        sum += members[*i].weight;
        rolled <= sum
    });
    (winner, GroupLoss::Weight { rolled, total })
}

struct Cuts {
    lost: Vec<bool>,
    /// How often one lost that was gone already.
    again: usize,
    losses: Vec<(usize, Loss)>,
}

impl Cuts {
    fn cut(&mut self, i: usize, group: &str, how: GroupLoss, winner: Option<usize>) {
        if std::mem::replace(&mut self.lost[i], true) {
            self.again += 1;
        } else {
            self.losses.push((i, Loss { group: group.to_owned(), how, winner }));
        }
    }

    fn finish(self) -> Decision {
        let mut kept: Vec<usize> = (0..self.lost.len()).filter(|i| !self.lost[*i]).collect();
        kept.truncate(kept.len().saturating_sub(self.again));
        Decision { kept, losses: self.losses }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(f64, Vec<usize>);

    impl GroupHost for Fixed {
        fn score(&mut self, candidate: usize) -> usize {
            self.1[candidate]
        }
        fn random(&mut self) -> f64 {
            self.0
        }
    }

    fn member<'a>(names: &[&'a str]) -> Member<'a> {
        Member {
            names: names.to_vec(),
            sticky: false,
            cooling: false,
            scoring: None,
            overrides: false,
            order: 100.0,
            weight: 100.0,
        }
    }

    fn kept(members: &[Member<'_>], active: &[&str], scoring: bool, mut host: Fixed) -> Vec<usize> {
        let active = active.iter().map(|name| (*name).to_owned()).collect();
        decide(members, &active, scoring, &mut host).kept
    }

    #[test]
    fn the_roll_falls_on_a_weight() {
        let mut members = vec![member(&["g"]), member(&["g"]), member(&[]), member(&["g"])];
        members[3].weight = 50.0;
        let with = |r| kept(&members, &[], false, Fixed(r, vec![]));
        assert_eq!(with(0.0), [0, 2]);
        assert_eq!(with(0.4), [0, 2]);
        assert_eq!(with(0.5), [1, 2]);
        assert_eq!(with(0.9), [2, 3]);
        let mut odd = members.clone();
        odd[0].weight = f64::NAN;
        assert_eq!(kept(&odd, &[], false, Fixed(0.5, vec![])), [0, 1, 2, 3], "nobody wins, nobody loses");
    }

    #[test]
    fn overriding_beats_weight_and_the_highest_order_beats_the_others() {
        let mut members = vec![member(&["g"]), member(&["g"]), member(&["g"])];
        members[0].overrides = true;
        members[1].overrides = true;
        members[1].order = 200.0;
        assert_eq!(kept(&members, &[], false, Fixed(0.0, vec![])), [1]);
    }

    #[test]
    fn losing_twice_costs_the_last_candidate_its_place() {
        // The recorded case w109.
        let mut members = vec![member(&["g", "h"]), member(&["g"]), member(&["h"]), member(&[])];
        members[1].overrides = true;
        members[2].overrides = true;
        assert_eq!(kept(&members, &[], false, Fixed(0.0, vec![])), [1, 2]);
    }

    #[test]
    fn sticky_members_and_active_members_win() {
        let mut members = vec![member(&["g"]), member(&["g"]), member(&["x"])];
        assert_eq!(kept(&members, &["g"], false, Fixed(0.0, vec![])), [2]);
        members[1].sticky = true;
        assert_eq!(kept(&members, &["g"], false, Fixed(0.0, vec![])), [1, 2]);
        // Sticky and resting: it wins its group and then rests.
        members[1].cooling = true;
        assert_eq!(kept(&members, &[], false, Fixed(0.0, vec![])), [2]);
    }

    #[test]
    fn scores_come_before_the_roll() {
        let mut members = vec![member(&["g"]), member(&["g"]), member(&["g"])];
        assert_eq!(kept(&members, &[], true, Fixed(0.9, vec![1, 2, 2])), [2]);
        // One that is not scored stays in.
        members[0].scoring = Some(false);
        assert_eq!(kept(&members, &[], true, Fixed(0.0, vec![1, 2, 2])), [0]);
        assert_eq!(kept(&members, &[], false, Fixed(0.0, vec![1, 2, 2])), [0]);
    }

    #[test]
    fn groups_named_by_numbers_are_decided_first() {
        let mut calls = 0.0;
        struct Counting<'a>(&'a mut f64);
        impl GroupHost for Counting<'_> {
            fn score(&mut self, _: usize) -> usize {
                0
            }
            fn random(&mut self) -> f64 {
                *self.0 += 0.4;
                *self.0
            }
        }
        let members = vec![member(&["b"]), member(&["b"]), member(&["7"]), member(&["7"])];
        let decision = decide(&members, &HashSet::new(), false, &mut Counting(&mut calls));
        assert_eq!(decision.kept, [1, 2]);
    }
}
