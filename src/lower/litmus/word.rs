//! How wide the registers and cells of a test are, where its machine has several sizes.

use super::ppc;
use crate::front::litmus::ast::{LineKind, LitmusValue, Machine, Number, Prop, Test};
use base::diag::Diag;

/// True when the test uses 64 bits somewhere: in an instruction, a type or a number.
pub(super) fn needs_64_bits(test: &Test) -> bool {
    let long = |n: &Number| !n.fits(32);
    let types = test
        .init
        .iter()
        .any(|i| i.ty.is_some_and(|t| t.width == Some(64)));
    let values = test.init.iter().flat_map(|i| &i.values);
    let numbers = values
        .into_iter()
        .any(|v| matches!(v, LitmusValue::Number(n) if long(n)));
    let props = test.filter.iter().chain([&test.condition.prop]);
    let code = test.threads.iter().flat_map(|t| &t.lines);
    types
        || numbers
        || props.into_iter().any(|p| any_number(p, &long))
        || code.into_iter().any(|l| {
            matches!(&l.kind, LineKind::Ppc(i) if ppc::is_64_bits(i))
                || matches!(&l.kind, LineKind::X86(i) if i.size == Some(64))
        })
}

fn any_number(prop: &Prop, found: &dyn Fn(&Number) -> bool) -> bool {
    match prop {
        Prop::Constant(_) => false,
        Prop::Equal(_, value) => matches!(value, LitmusValue::Number(n) if found(n)),
        Prop::Not(p) => any_number(p, found),
        Prop::And(all) | Prop::Or(all) => all.iter().any(|p| any_number(p, found)),
        Prop::Implies(a, b) => any_number(a, found) || any_number(b, found),
    }
}

/// What a test for x86 with registers of 64 bits has that depends on how an instruction of another size sees a
/// negative number: which cells of memory are that large, herd7 takes from their types.
pub(super) fn sign_of_parts(test: &Test) -> Option<Diag> {
    let lines = test.threads.iter().flat_map(|t| &t.lines);
    let mut sizes = lines.filter_map(|l| match &l.kind {
        LineKind::X86(i) => i.size,
        _ => None,
    });
    if test.machine != Machine::X86_64 || sizes.all(|size| size == 64) {
        return None;
    }
    let values = test.init.iter().flat_map(|i| &i.values);
    let is_negative = |v: &&LitmusValue| matches!(v, LitmusValue::Number(n) if n.negative);
    let given = values
        .into_iter()
        .find(is_negative)
        .map(|_| test.condition.span);
    let props = test.filter.iter().chain([&test.condition.prop]);
    let negative = |n: &Number| n.negative;
    let compared = props.into_iter().any(|p| any_number(p, &negative));
    let place = given.or(compared.then_some(test.condition.span))?;
    let message =
        "negative numbers in a test with instructions of less than 64 bits are not supported";
    Some(Diag::unsupported(place, message))
}
