//! Numbers with their history: which reads of the thread they depend on.
//!
//! Dependencies are the syntactic ones of the architectures: whatever is computed from a value read
//! depends on the read, even when the result does not (`r ^ r`).

use ir::program::*;
use ir::shadow::{Word, shadow_binary, shadow_cast, shadow_choice, shadow_unary};

/// Reads of one thread by their positions among its events.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Deps(Vec<u64>);

impl Deps {
    /// One read.
    pub fn one(event: usize) -> Deps {
        let mut words = vec![0; event / 64 + 1];
        words[event / 64] = 1 << (event % 64);
        Deps(words)
    }

    /// Adds all of `other`.
    pub fn add(&mut self, other: &Deps) {
        if other.0.len() > self.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine |= theirs;
        }
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 == 1);
        let words = self.0.iter().enumerate();
        words.flat_map(move |(i, word)| bits(*word).map(move |bit| i * 64 + bit))
    }
}

/// What a register or private memory holds.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ConcreteValue {
    /// Bits above the width are zero.
    pub number: u64,
    pub width: Width,
    pub deps: Deps,
    /// It is the same in every execution, by the look of the expressions it comes from.
    pub fixed: bool,
    /// Its indeterminate bits.
    pub shadow: u64,
}

impl ConcreteValue {
    /// A number that the program says itself.
    pub fn fixed(number: u64, width: Width) -> ConcreteValue {
        ConcreteValue {
            number: number & mask(width),
            width,
            deps: Deps::default(),
            fixed: true,
            shadow: 0,
        }
    }

    /// A number that some executions have.
    pub fn any(number: u64, width: Width) -> ConcreteValue {
        ConcreteValue {
            fixed: false,
            ..ConcreteValue::fixed(number, width)
        }
    }

    /// What memory holds that contains it.
    pub fn word(&self) -> Word {
        Word {
            number: self.number,
            shadow: self.shadow,
        }
    }

    /// The same with these indeterminate bits.
    pub fn with_shadow(self, shadow: u64) -> ConcreteValue {
        ConcreteValue { shadow, ..self }
    }

    /// `width` bits from bit `low` on.
    pub fn piece(&self, low: Width, width: Width) -> ConcreteValue {
        ConcreteValue {
            number: self.number >> low & mask(width),
            shadow: self.shadow >> low & mask(width),
            width,
            ..self.clone()
        }
    }

    /// Truncated, or extended with zeros.
    pub fn resized(self, width: Width) -> ConcreteValue {
        ConcreteValue {
            number: self.number & mask(width),
            shadow: self.shadow & mask(width),
            width,
            ..self
        }
    }
}

/// An operator as its operands say it, and that this is so in every execution.
pub(super) fn plain(op: BinOp, a: u64, b: u64, width: Width) -> (u64, bool) {
    (eval_binary(op, a, b, width), true)
}

/// The value of an expression. `register` must know every register in it, `address` says where
/// static objects are, `binary` what an operator makes of two numbers and whether it does in every
/// execution.
pub(super) fn eval<'v>(
    e: &Expr,
    program: &Program,
    register: &dyn Fn(LocalId) -> Option<&'v ConcreteValue>,
    address: &dyn Fn(GlobalId) -> u64,
    binary: &dyn Fn(BinOp, u64, u64, Width) -> (u64, bool),
) -> ConcreteValue {
    let pointer = program.data_model.pointer_width();
    let of = |e: &Expr| eval(e, program, register, address, binary);
    match e {
        Expr::Const { value, width } => ConcreteValue::fixed(*value, *width),
        Expr::Local(l) => register(*l)
            .cloned()
            .unwrap_or_else(|| ConcreteValue::any(0, 1)),
        Expr::Global(g) => ConcreteValue::fixed(address(*g), pointer),
        Expr::Proc(p) => ConcreteValue::fixed(program.procedure_address(*p), pointer),
        Expr::Unary(op, a) => {
            let a = of(a);
            ConcreteValue {
                number: eval_unary(*op, a.number, a.width),
                shadow: shadow_unary(*op, a.shadow, a.width),
                ..a
            }
        }
        Expr::Binary(op, a, b) => {
            let (a, b) = (of(a), of(b));
            let found = binary(*op, a.number, b.number, a.width);
            let width = if op.is_comparison() { 1 } else { a.width };
            let sides = [&a, &b].map(|v| (v.number, v.shadow));
            let shadow = shadow_binary(*op, sides[0], sides[1], a.width);
            outcome(found, [a, b], width).with_shadow(shadow)
        }
        Expr::Ite(c, a, b) => {
            let (c, a, b) = (of(c), of(a), of(b));
            let number = if c.number == 1 { a.number } else { b.number };
            let width = a.width;
            let [sc, sa, sb] = [&c, &a, &b].map(|v| (v.number, v.shadow));
            let shadow = shadow_choice(sc, sa, sb);
            join(number, width, [c, a, b]).with_shadow(shadow)
        }
        Expr::Cast(cast, width, a) => {
            let a = of(a);
            ConcreteValue {
                number: eval_cast(*cast, a.number, a.width, *width),
                shadow: shadow_cast(*cast, a.shadow, a.width, *width),
                width: *width,
                ..a
            }
        }
    }
}

/// A number computed from others.
pub(super) fn join<const N: usize>(
    number: u64,
    width: Width,
    from: [ConcreteValue; N],
) -> ConcreteValue {
    let mut out = ConcreteValue::fixed(number, width);
    for value in from {
        out.deps.add(&value.deps);
        out.fixed &= value.fixed;
    }
    out
}

/// What the comparison of two words gives, with what it depends on.
pub(super) fn outcome(
    (number, fixed): (u64, bool),
    [a, b]: [ConcreteValue; 2],
    width: Width,
) -> ConcreteValue {
    let mut value = join(number, width, [a, b]);
    value.fixed &= fixed;
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_sets() {
        let mut deps = Deps::one(3);
        deps.add(&Deps::one(70));
        deps.add(&Deps::one(3));
        assert_eq!(deps.iter().collect::<Vec<_>>(), [3, 70]);
        assert!(Deps::default().is_empty() && !deps.is_empty());
    }

    #[test]
    fn a_value_that_cancels_out_keeps_its_dependency() {
        let mut read = ConcreteValue::any(7, 32);
        read.deps = Deps::one(0);
        let local = || Box::new(Expr::Local(LocalId(0)));
        let e = Expr::Binary(BinOp::Xor, local(), local());
        let value = eval(&e, &Program::default(), &|_| Some(&read), &|_| 0, &plain);
        assert_eq!((value.number, value.width), (0, 32));
        assert_eq!(value.deps, Deps::one(0));
        assert!(!value.fixed);
    }
}
