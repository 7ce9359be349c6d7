//! Constants.

use super::*;

#[test]
fn integers() {
    let table = [
        ("i32", "7", 7),
        ("i32", "-1", u128::MAX),
        ("i8", "-128", u128::MAX - 127),
        ("i128", "-170141183460469231731687303715884105728", 1 << 127),
        ("i128", "340282366920938463463374607431768211455", u128::MAX),
        ("i1", "true", 1),
        ("i1", "false", 0),
        ("i16", "u0xFFFF", 0xFFFF),
        ("i16", "s0x7FFF", u128::MAX << 15 | 0x7FFF),
        ("i16", "s0x0001", u128::MAX),
        ("i64", "s0x0", 0),
        ("i32", "007", 7),
    ];
    for (ty, text, value) in table {
        assert_eq!(constant(ty, text), ValueKind::Int(value), "{ty} {text}");
    }
}

#[test]
fn floating_numbers() {
    let table = [
        ("double", "1.5", 0x3FF8_0000_0000_0000),
        ("double", "0x7FF8000000000000", 0x7FF8_0000_0000_0000),
        ("double", "-0.0", 0x8000_0000_0000_0000),
        ("double", "1.000000e+300", 1e300f64.to_bits().into()),
        ("double", "+1.", 0x3FF0_0000_0000_0000),
        ("float", "1.0", 0x3F80_0000),
        ("float", "-2.500000e-01", (-0.25f32).to_bits().into()),
        ("float", "0x3FB99999A0000000", 0.1f32.to_bits().into()),
        ("float", "0x36A0000000000000", 1),
        ("float", "0x7FF0000000000000", 0x7F80_0000),
        ("float", "0xFFF8000000000000", 0xFFC0_0000),
        ("float", "0x7FF0000020000000", 0x7F80_0001),
        ("float", "0x47EFFFFFE0000000", f32::MAX.to_bits().into()),
        ("half", "0xH3C00", 0x3C00),
        ("half", "1.0", 0x3C00),
        ("half", "0x3F10000000000000", 0x0400),
        ("half", "0x3E70000000000000", 1),
        ("bfloat", "0xR3F80", 0x3F80),
        ("bfloat", "1.0", 0x3F80),
        (
            "x86_fp80",
            "0xK3FFF8000000000000000",
            0x3FFF_8000_0000_0000_0000,
        ),
        (
            "fp128",
            "0xL00000000000000013FFF000000000000",
            0x3FFF_0000_0000_0000 << 64 | 1,
        ),
        (
            "ppc_fp128",
            "0xM3FF00000000000000000000000000001",
            1 << 64 | 0x3FF0_0000_0000_0000,
        ),
    ];
    for (ty, text, value) in table {
        assert_eq!(constant(ty, text), ValueKind::Float(value), "{ty} {text}");
    }
}

#[test]
fn narrow_numbers_are_those_of_the_machine() {
    let exact = [
        0.0,
        1.0,
        0.5,
        3.75,
        65504.0,
        1e30,
        1e-30,
        f32::MIN_POSITIVE,
        f32::MAX,
    ];
    let small = f32::from_bits(0x0012_3456);
    for number in exact.into_iter().chain([small, -small, f32::INFINITY]) {
        let text = format!("0x{:016X}", f64::from(number).to_bits());
        let bits = number.to_bits().into();
        assert_eq!(constant("float", &text), ValueKind::Float(bits), "{number}");
    }
}

#[test]
fn words() {
    let table = [
        ("ptr", "null", ValueKind::Null),
        ("i32*", "null", ValueKind::Null),
        ("i32", "undef", ValueKind::Undef),
        ("{ i32 }", "poison", ValueKind::Poison),
        ("[3 x i8]", "zeroinitializer", ValueKind::Zero),
        ("token", "none", ValueKind::None),
        ("ptr", "@g", ValueKind::Global("g".into())),
        (
            "[3 x i8]",
            "c\"a\\\\\\FF\"",
            ValueKind::String(vec![b'a', b'\\', 0xFF]),
        ),
    ];
    for (ty, text, kind) in table {
        assert_eq!(constant(ty, text), kind, "{ty} {text}");
    }
}

#[test]
fn aggregates() {
    let elements = |ty: &str, text: &str| match constant(ty, text) {
        ValueKind::Aggregate(elements) => elements,
        kind => panic!("{kind:?} is no aggregate"),
    };
    assert_eq!(elements("[2 x i8]", "[i8 1, i8 2]").len(), 2);
    assert_eq!(elements("[0 x i8]", "[]").len(), 0);
    let structure = elements(
        "{ i32, <{ i8, ptr }> }",
        "{ i32 1, <{ i8, ptr }> <{ i8 2, ptr @g }> }",
    );
    assert!(matches!(&structure[1].kind, ValueKind::Aggregate(e) if e[1].ty == pointer()));
    assert_eq!(elements("<2 x float>", "<float 1.0, float 2.0>").len(), 2);
    let splat = elements("<3 x i32>", "splat (i32 7)");
    assert!(splat.iter().all(|e| e.kind == ValueKind::Int(7)) && splat.len() == 3);
}

fn expression(ty: &str, text: &str) -> ConstantExpr {
    match constant(ty, text) {
        ValueKind::Expr(expression) => *expression,
        kind => panic!("{kind:?} is no constant expression"),
    }
}

#[test]
fn constant_expressions() {
    let cast = |ty: &str, text: &str| match expression(ty, text) {
        ConstantExpr::Cast(op, value) => (op, value.ty),
        other => panic!("{other:?} is no conversion"),
    };
    assert_eq!(
        cast("i8*", "bitcast (i32* @g to i8*)"),
        (CastOp::BitCast, pointer_to(int(32)))
    );
    assert_eq!(
        cast("i64", "ptrtoint (ptr @g to i64)"),
        (CastOp::PtrToInt, pointer())
    );
    assert_eq!(
        cast("i64", "ptrtoaddr (ptr @g to i64)"),
        (CastOp::PtrToAddr, pointer())
    );
    assert_eq!(
        cast("ptr", "inttoptr (i64 -1 to ptr)"),
        (CastOp::IntToPtr, int(64))
    );
    assert_eq!(cast("i64", "zext (i1 true to i64)"), (CastOp::ZExt, int(1)));
    assert_eq!(
        cast(
            "ptr addrspace(1)",
            "addrspacecast (ptr @g to ptr addrspace(1))"
        )
        .0,
        CastOp::AddrSpaceCast
    );

    let binary = |text: &str| match expression("i64", text) {
        ConstantExpr::Binary(op, flags, ..) => (op, flags),
        other => panic!("{other:?} is no operator"),
    };
    let (op, flags) = binary("add nuw nsw (i64 ptrtoint (ptr @g to i64), i64 1)");
    assert_eq!(op, BinaryOp::Add);
    assert!(flags.no_unsigned_wrap && flags.no_signed_wrap);
    assert!(binary("sdiv exact (i64 4, i64 2)").1.exact);
    assert_eq!(binary("lshr (i64 4, i64 2)").0, BinaryOp::LShr);
    assert!(matches!(
        expression("double", "fadd (double 1.0, double 2.0)"),
        ConstantExpr::Binary(BinaryOp::FAdd, ..)
    ));
    assert!(matches!(
        expression("i1", "icmp ult (ptr @g, ptr null)"),
        ConstantExpr::Compare(IntPredicate::Ult, ..)
    ));
    assert!(matches!(
        expression("i32", "select (i1 true, i32 1, i32 2)"),
        ConstantExpr::Select(..)
    ));
}

#[test]
fn pointers_to_elements() {
    let pointer = |ty: &str, text: &str| match expression(ty, text) {
        ConstantExpr::ElementPointer(pointer) => pointer,
        other => panic!("{other:?} is no pointer to an element"),
    };
    let typed = pointer(
        "i8*",
        "getelementptr inbounds ([4 x i8], [4 x i8]* null, i64 0, inrange i32 1)",
    );
    assert!(typed.inbounds);
    assert_eq!(typed.source, Type::Array(4, int(8).into()));
    assert_eq!(typed.indices.len(), 2);
    let opaque = pointer(
        "ptr",
        "getelementptr inbounds nuw inrange(-16, 16) (i8, ptr @g, i64 4)",
    );
    assert!(opaque.inbounds);
    assert_eq!(opaque.base.kind, ValueKind::Global("g".into()));
    assert!(!pointer("ptr", "getelementptr nusw nuw (i8, ptr @g, i64 4)").inbounds);
}

#[test]
fn constants_that_are_kept_by_name() {
    let table = [
        ("ptr", "dso_local_equivalent @g", "dso_local_equivalent"),
        ("ptr", "no_cfi @g", "no_cfi"),
        ("ptr", "ptrauth (ptr @g, i32 0, i64 65535)", "ptrauth"),
        ("i32", "extractvalue ({ i32 } { i32 1 }, 0)", "extractvalue"),
        ("i1", "fcmp oeq (double 1.0, double 2.0)", "fcmp"),
        ("double", "fneg (double 1.0)", "fneg"),
        (
            "i32",
            "extractelement (<1 x i32> <i32 1>, i32 0)",
            "extractelement",
        ),
        ("<1000000 x i8>", "splat (i8 7)", "splat"),
    ];
    for (ty, text, name) in table {
        assert_eq!(
            expression(ty, text),
            ConstantExpr::Unsupported(name.into()),
            "{text}"
        );
    }
}

#[test]
fn addresses_of_blocks() {
    let text = "@x = global ptr blockaddress(@f, %a)
define void @f() {
  br label %a
a:
  ret void
}
";
    let init = module(text).globals.remove(0).init.expect("it has a value");
    assert_eq!(init.kind, ValueKind::BlockAddress("f".into(), "a".into()));
}
