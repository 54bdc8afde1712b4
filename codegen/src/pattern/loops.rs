//! Repetitions that make a backtracking engine try exponentially many ways.
//!
//! The pattern becomes an automaton of its characters' positions, in which an edge also counts in how many ways it can
//! be taken (a loop in a loop: two). A pattern is exponential exactly if some position can come back to itself over one
//! text in two ways. Counts (`{2,5}`) are written out where that is small, else taken for `*`, which can only add ways.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::CharSet;
use super::value::Re;

/// Most positions that a counted repetition is written out to.
const WRITTEN_OUT: usize = 48;
/// Most steps of the search; a loop that needs more can't be judged and is taken for nested.
const STEPS: usize = 2_000_000;

/// The places of repetitions that backtrack exponentially, from the outermost.
pub(super) fn nested(re: &Re) -> Option<Range<usize>> {
    let mut automaton = Automaton::default();
    automaton.build(re);
    let components = automaton.components();
    let bad = components.iter().find(|component| automaton.ambiguous(component))?;
    let (low, high) = (bad.first()?, bad.last()?);
    automaton
        .loops
        .iter()
        .filter(|found| found.positions.start <= *low && *high < found.positions.end)
        .min_by_key(|found| found.positions.len())
        .map(|found| found.bytes.clone())
}

struct Loop {
    positions: Range<usize>,
    bytes: Range<usize>,
}

#[derive(Default)]
struct Automaton {
    sets: Vec<CharSet>,
    /// From, to: in how many ways (1, or 2 for more).
    edges: BTreeMap<(usize, usize), u8>,
    loops: Vec<Loop>,
}

/// How a part begins and ends, and in how many ways it can be empty.
#[derive(Clone, Default)]
struct Part {
    first: BTreeMap<usize, u8>,
    last: BTreeMap<usize, u8>,
    empty: u8,
}

fn add(a: u8, b: u8) -> u8 {
    a.saturating_add(b).min(2)
}

fn mul(a: u8, b: u8) -> u8 {
    a.saturating_mul(b).min(2)
}

fn merge(into: &mut BTreeMap<usize, u8>, from: &BTreeMap<usize, u8>, times: u8) {
    if times > 0 {
        for (&at, &ways) in from {
            let entry = into.entry(at).or_default();
            *entry = add(*entry, mul(ways, times));
        }
    }
}

impl Automaton {
    fn build(&mut self, re: &Re) -> Part {
        match re {
            Re::Empty | Re::Start | Re::End | Re::Border | Re::Repeat { max: Some(0), .. } => {
                Part { empty: 1, ..Part::default() }
            }
            Re::Set(set) => {
                let at = self.sets.len();
                self.sets.push(set.clone());
                let only = BTreeMap::from([(at, 1)]);
                Part { first: only.clone(), last: only, empty: 0 }
            }
            Re::Concat(list) => {
                let mut all = Part { empty: 1, ..Part::default() };
                for re in list {
                    let next = self.build(re);
                    all = self.follow(all, next);
                }
                all
            }
            Re::Alternatives(list) => {
                let mut all = Part::default();
                for re in list {
                    let one = self.build(re);
                    merge(&mut all.first, &one.first, 1);
                    merge(&mut all.last, &one.last, 1);
                    all.empty = add(all.empty, one.empty);
                }
                all
            }
            Re::Repeat { body, min, max: Some(max), .. }
                if *max == 1 || (!repeats(body) && size(body).saturating_mul(*max as usize) <= WRITTEN_OUT) =>
            {
                // x{1,3} is x(x(x)?)?: from the end to the front.
                let mut all = Part { empty: 1, ..Part::default() };
                for round in (0..*max).rev() {
                    // Positions must be numbered front to back only within one round, which they are.
                    let one = self.build(body);
                    all = self.follow(one, all);
                    if round >= *min {
                        all.empty = add(all.empty, 1);
                    }
                }
                all
            }
            Re::Repeat { body, min, bytes, .. } => {
                let start = self.sets.len();
                let mut part = self.build(body);
                self.loops.push(Loop { positions: start..self.sets.len(), bytes: bytes.clone() });
                self.connect(&part.last.clone(), &part.first.clone());
                if *min == 0 {
                    part.empty = 1; // engines do not go round without taking a character
                }
                part
            }
        }
    }

    fn connect(&mut self, from: &BTreeMap<usize, u8>, to: &BTreeMap<usize, u8>) {
        for (&a, &x) in from {
            for (&b, &y) in to {
                let entry = self.edges.entry((a, b)).or_default();
                *entry = add(*entry, mul(x, y));
            }
        }
    }

    fn follow(&mut self, left: Part, right: Part) -> Part {
        self.connect(&left.last, &right.first);
        let mut first = left.first;
        merge(&mut first, &right.first, left.empty);
        let mut last = right.last;
        merge(&mut last, &left.last, right.empty);
        Part { first, last, empty: mul(left.empty, right.empty) }
    }

    /// Strongly connected components with an edge inside, each sorted.
    fn components(&self) -> Vec<Vec<usize>> {
        let count = self.sets.len();
        let mut next = vec![Vec::new(); count];
        let mut previous = vec![Vec::new(); count];
        for &(from, to) in self.edges.keys() {
            if let (Some(out), Some(back)) = (next.get_mut(from), previous.get_mut(to)) {
                out.push(to);
                back.push(from);
            }
        }
        // Kosaraju, without recursion.
        let mut seen = vec![false; count];
        let mut order = Vec::with_capacity(count);
        for start in 0..count {
            let mut stack = vec![(start, 0)];
            if std::mem::replace(seen.get_mut(start).unwrap_or(&mut true), true) {
                continue;
            }
            while let Some((at, child)) = stack.pop() {
                match next.get(at).and_then(|out| out.get(child)) {
                    Some(&to) => {
                        stack.push((at, child + 1));
                        if seen.get(to) == Some(&false) {
                            if let Some(flag) = seen.get_mut(to) {
                                *flag = true;
                            }
                            stack.push((to, 0));
                        }
                    }
                    None => order.push(at),
                }
            }
        }
        let mut taken = vec![false; count];
        let mut found = Vec::new();
        for &start in order.iter().rev() {
            let mut component = Vec::new();
            let mut stack = vec![start];
            while let Some(at) = stack.pop() {
                let Some(flag) = taken.get_mut(at) else { continue };
                if std::mem::replace(flag, true) {
                    continue;
                }
                component.push(at);
                stack.extend(previous.get(at).into_iter().flatten());
            }
            component.sort_unstable();
            let inside = match component.as_slice() {
                [] => false,
                [one] => self.edges.contains_key(&(*one, *one)),
                _ => true,
            };
            if inside {
                found.push(component);
            }
        }
        found
    }

    /// Whether a text leads from a position of this component back to it in two ways.
    fn ambiguous(&self, component: &[usize]) -> bool {
        let members: BTreeSet<usize> = component.iter().copied().collect();
        let mut next: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (&(from, to), &ways) in &self.edges {
            if members.contains(&from) && members.contains(&to) {
                if ways > 1 {
                    return true;
                }
                next.entry(from).or_default().push(to);
            }
        }
        // Pairs of positions that one text can lead to from one start: two that part and meet again are two ways.
        let mut seen: BTreeSet<(usize, usize)> = BTreeSet::new();
        let mut stack: Vec<(usize, usize)> = component.iter().map(|&at| (at, at)).collect();
        let none = Vec::new();
        let mut steps = 0;
        while let Some((left, right)) = stack.pop() {
            for &a in next.get(&left).unwrap_or(&none) {
                for &b in next.get(&right).unwrap_or(&none) {
                    steps += 1;
                    if steps > STEPS {
                        return true;
                    }
                    let meets = match (self.sets.get(a), self.sets.get(b)) {
                        (Some(x), Some(y)) => a == b || x.meets(y),
                        _ => false,
                    };
                    if !meets {
                        continue;
                    }
                    if a == b {
                        if left != right {
                            return true;
                        }
                    } else if seen.insert((a.min(b), a.max(b))) {
                        stack.push((a.min(b), a.max(b)));
                    }
                }
            }
        }
        false
    }
}

/// Whether it holds a repetition of more than four rounds.
fn repeats(re: &Re) -> bool {
    match re {
        Re::Concat(list) | Re::Alternatives(list) => list.iter().any(repeats),
        Re::Repeat { body, max, .. } => max.is_none_or(|max| max > 4) || repeats(body),
        Re::Empty | Re::Set(_) | Re::Start | Re::End | Re::Border => false,
    }
}

fn size(re: &Re) -> usize {
    match re {
        Re::Empty | Re::Start | Re::End | Re::Border => 0,
        Re::Set(_) => 1,
        Re::Concat(list) | Re::Alternatives(list) => list.iter().map(size).sum(),
        Re::Repeat { body, max, .. } => size(body).saturating_mul(max.map_or(1, |max| max.max(1) as usize)),
    }
}
