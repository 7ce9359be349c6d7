//! Instructions.

use super::*;

#[test]
fn operators() {
    let flags = |line: &str, wanted: BinaryOp| match operation(line) {
        Op::Binary(op, flags, left, right) => {
            assert_eq!(op, wanted);
            assert_eq!(left.ty, right.ty);
            flags
        }
        op => panic!("{op:?} is no operator"),
    };
    let none = Flags::default();
    let both = Flags {
        no_unsigned_wrap: true,
        no_signed_wrap: true,
        ..none
    };
    assert_eq!(flags("add nuw nsw i32 %i, 1", BinaryOp::Add), both);
    assert!(flags("udiv exact i32 %i, 1", BinaryOp::UDiv).exact);
    assert!(flags("or disjoint i32 %i, 1", BinaryOp::Or).disjoint);
    assert_eq!(
        flags(
            "fmul nnan ninf nsz arcp contract afn reassoc double %d, 1.0",
            BinaryOp::FMul
        ),
        none
    );
    assert_eq!(flags("frem fast double %d, %d", BinaryOp::FRem), none);
    assert_eq!(
        flags("xor <4 x i32> %v, splat (i32 -1)", BinaryOp::Xor),
        none
    );
    assert!(matches!(operation("fneg fast double %d"), Op::FNeg(_)));
}

#[test]
fn conversions() {
    let cast = |line: &str| match operation(line) {
        Op::Cast(op, flags, _, to) => (op, flags, to),
        op => panic!("{op:?} is no conversion"),
    };
    let (op, flags, to) = cast("zext nneg i32 %i to i64");
    assert_eq!((op, to), (CastOp::ZExt, int(64)));
    assert!(flags.non_negative);
    assert!(cast("trunc nuw nsw i32 %i to i8").1.no_signed_wrap);
    assert_eq!(cast("fptosi double %d to i32").0, CastOp::FpToSi);
    assert_eq!(
        cast("fptrunc contract double %d to float").2,
        Type::Float(FloatKind::Float)
    );
    assert_eq!(cast("inttoptr i64 %l to i8*").2, pointer_to(int(8)));
    assert_eq!(
        cast("addrspacecast ptr %p to ptr addrspace(1)").0,
        CastOp::AddrSpaceCast
    );
}

#[test]
fn comparisons() {
    let predicate = |line: &str| match operation(line) {
        Op::IntCompare(predicate, ..) => predicate,
        op => panic!("{op:?} is no comparison"),
    };
    assert_eq!(predicate("icmp eq ptr %p, null"), IntPredicate::Eq);
    assert_eq!(predicate("icmp samesign ult i32 %i, 5"), IntPredicate::Ult);
    let floating = |line: &str| match operation(line) {
        Op::FloatCompare(p, ..) => [p.less, p.equal, p.greater, p.unordered],
        op => panic!("{op:?} is no comparison"),
    };
    assert_eq!(
        floating("fcmp oeq double %d, 1.0"),
        [false, true, false, false]
    );
    assert_eq!(
        floating("fcmp nnan une double %d, 1.0"),
        [true, false, true, true]
    );
    assert_eq!(
        floating("fcmp uge double %d, 1.0"),
        [false, true, true, true]
    );
    assert_eq!(
        floating("fcmp ord double %d, 1.0"),
        [true, true, true, false]
    );
    assert_eq!(floating("fcmp true double %d, 1.0"), [true; 4]);
    assert_eq!(floating("fcmp false double %d, 1.0"), [false; 4]);
}

#[test]
fn memory() {
    let ops = operations(
        "  %a = alloca i32, align 4
  %c = alloca [4 x i8], i64 %l, align 16, addrspace(0)
  %x = load i32, ptr %a, align 4, !tbaa !0
  %y = load atomic volatile i32, i32* %p syncscope(\"agent\") acquire, align 8
  store i32 %x, ptr %a
  store atomic volatile i32 %i, ptr %a seq_cst, align 4
  fence syncscope(\"singlethread\") acq_rel
  fence seq_cst",
    );
    assert!(matches!(&ops[0], Op::Alloca { ty, count: None, align: Some(4) } if *ty == int(32)));
    assert!(
        matches!(&ops[1], Op::Alloca { count: Some(n), align: Some(16), .. } if local(&n.kind) == "l")
    );
    assert!(matches!(
        &ops[2],
        Op::Load {
            atomic: None,
            volatile: false,
            align: Some(4),
            ..
        }
    ));
    let Op::Load {
        atomic: Some(atomic),
        volatile: true,
        pointer,
        ..
    } = &ops[3]
    else {
        panic!("{:?}", ops[3]);
    };
    assert_eq!(
        (atomic.ordering, atomic.scope.as_deref()),
        (Ordering::Acquire, Some("agent"))
    );
    assert_eq!(pointer.ty, pointer_to(int(32)));
    assert!(matches!(
        &ops[4],
        Op::Store {
            atomic: None,
            align: None,
            ..
        }
    ));
    assert!(
        matches!(&ops[5], Op::Store { atomic: Some(a), volatile: true, .. } if a.ordering == Ordering::SeqCst)
    );
    assert!(matches!(&ops[6], Op::Fence(a) if a.ordering == Ordering::AcqRel && a.scope.is_some()));
    assert!(matches!(&ops[7], Op::Fence(a) if a.scope.is_none()));
}

#[test]
fn read_modify_write() {
    let Op::CompareExchange {
        weak,
        volatile,
        success,
        failure,
        align,
        ..
    } = operation("cmpxchg weak volatile ptr %p, i32 0, i32 %i acq_rel monotonic, align 4")
    else {
        panic!("it is no cmpxchg");
    };
    assert!(weak && volatile);
    assert_eq!(
        (success.ordering, failure, align),
        (Ordering::AcqRel, Ordering::Monotonic, Some(4))
    );
    let table = [
        ("xchg ptr %p, i32 %i seq_cst", RmwOp::Xchg),
        ("volatile add ptr %p, i32 %i monotonic, align 4", RmwOp::Add),
        ("nand i32* %p, i32 %i syncscope(\"x\") release", RmwOp::Nand),
        ("umin ptr %p, i32 %i acquire", RmwOp::UMin),
        ("fadd ptr %p, double %d acq_rel", RmwOp::FAdd),
        ("udec_wrap ptr %p, i32 %i acquire", RmwOp::UDecWrap),
        ("usub_sat ptr %p, i32 %i acquire", RmwOp::USubSat),
    ];
    for (line, wanted) in table {
        let operation = operation(&format!("atomicrmw {line}"));
        assert!(
            matches!(operation, Op::Rmw { op, .. } if op == wanted),
            "{line}"
        );
    }
    let unsupported = operation("atomicrmw fmaximum ptr %p, double %d seq_cst");
    assert_eq!(unsupported, Op::Unsupported("atomicrmw fmaximum".into()));
}

#[test]
fn aggregates_and_pointers() {
    let ops = operations(
        "  %a = insertvalue { i32, [2 x i8] } undef, i8 1, 1, 0, !x !1
  %e0 = extractvalue { i32, [2 x i8] } %a, 1, 0
  %c = getelementptr inbounds nuw { i32, i64 }, ptr %p, i64 %l, i32 1, !dbg !1
  %e = getelementptr i8, i8* %p
  %f = select fast i1 %c1, i32 %i, i32 0
  %c1 = freeze i1 %c2
  %c2 = icmp eq i32 %i, 0
  %g = va_arg ptr %p, i32",
    );
    assert!(matches!(&ops[0], Op::InsertValue(_, _, at) if *at == [1, 0]));
    assert!(matches!(&ops[1], Op::ExtractValue(_, at) if *at == [1, 0]));
    assert!(matches!(&ops[2], Op::ElementPointer(e) if e.inbounds && e.indices.len() == 2));
    assert!(matches!(&ops[3], Op::ElementPointer(e) if !e.inbounds && e.indices.is_empty()));
    assert!(matches!(&ops[4], Op::Select(c, ..) if c.ty == int(1)));
    assert!(matches!(&ops[5], Op::Freeze(_)));
    assert!(matches!(&ops[7], Op::VaArg(_, ty) if *ty == int(32)));
}

fn call(line: &str) -> Call {
    match operation(line) {
        Op::Call(call) => call,
        op => panic!("{op:?} is no call"),
    }
}

#[test]
fn calls() {
    let plain =
        call("tail call fast fastcc noundef i32 @f(i32 noundef %i, ptr nonnull align 8 %p) #3");
    assert_eq!(plain.callee.kind, ValueKind::Global("f".into()));
    assert_eq!(plain.ty.params, [int(32), pointer()]);
    assert!(!plain.ty.variadic && plain.ty.ret == int(32));

    let variadic = call("call i32 (i8*, ...) @f(i8* null, i32 %i) nounwind");
    assert!(variadic.ty.variadic);
    assert_eq!(variadic.ty.params, [pointer_to(int(8))]);
    assert_eq!(variadic.args.len(), 2);

    let indirect =
        call("notail call addrspace(0) void %p(ptr byval({ i32 }) align 4 %p, i8 zeroext 3)");
    assert_eq!(local(&indirect.callee.kind), "p");
    let fields = vec![int(32)];
    let packed = false;
    assert_eq!(
        indirect.args[0].by_value,
        Some(Type::Struct { packed, fields })
    );
    assert_eq!(indirect.args[1].by_value, None);

    let cast = call("musttail call void bitcast (i32 (...)* @f to void (i32)*)(i32 1)");
    assert!(
        matches!(&cast.callee.kind, ValueKind::Expr(e) if matches!(**e, ConstantExpr::Cast(CastOp::BitCast, _)))
    );

    let bundle = call(
        "call void @f() [ \"deopt\"(i32 %i, ptr null), \"x\"(), \"y\"(metadata !\"z\") ], !dbg !1",
    );
    assert!(bundle.args.is_empty());

    let returns_pointer = call("call i32 (i32)* @f()");
    assert!(matches!(returns_pointer.ty.ret, Type::Pointer(Some(_))));
}

#[test]
fn inline_assembly() {
    let text = "call i32 asm sideeffect alignstack inteldialect unwind \"mov $1, $0\\0A\", \"=r,r,~{memory}\"(i32 %i)";
    let call = call(text);
    let ValueKind::Assembly(assembly) = &call.callee.kind else {
        panic!("{:?}", call.callee);
    };
    assert_eq!(assembly.template, "mov $1, $0\n");
    assert_eq!(assembly.constraints, "=r,r,~{memory}");
    assert!(assembly.side_effect && assembly.intel);
    assert_eq!(call.ty.ret, int(32));
}

#[test]
fn control_flow() {
    let text = "define i32 @f(i32 %x, i1 %c) {
entry:
  switch i32 %x, label %d [
    i32 1, label %a
    i32 -2, label %b
  ]
a:
  br i1 %c, label %b, label %d
b:
  %p = phi i32 [ 1, %entry ], [ %x, %a ], !dbg !0
  br label %d
d:
  unreachable
}
!0 = !{}
";
    let function = function(text);
    let last = |b: usize| &function.blocks[b].instructions.last().expect("it ends").op;
    let Op::Switch {
        value,
        default,
        cases,
    } = last(0)
    else {
        panic!("{:?}", last(0));
    };
    assert_eq!((local(&value.kind), default.as_str()), ("x", "d"));
    assert_eq!(cases[1].1, "b");
    assert_eq!(cases[1].0.kind, ValueKind::Int(u128::MAX - 1));
    assert!(
        matches!(last(1), Op::ConditionalBranch(c, then, otherwise) if local(&c.kind) == "c" && then == "b" && otherwise == "d")
    );
    let Op::Phi(ty, incoming) = &function.blocks[2].instructions[0].op else {
        panic!("{:?}", function.blocks[2]);
    };
    assert_eq!(
        (ty, incoming.len(), incoming[1].1.as_str()),
        (&int(32), 2, "a")
    );
    assert_eq!(last(3), &Op::Unreachable);
}

#[test]
fn exceptions() {
    let text = "define i32 @f() personality ptr @p {
  %1 = invoke noundef i32 @g(i32 1) [ \"x\"() ]
          to label %a unwind label %b, !dbg !0
a:
  ret i32 %1
b:
  %2 = landingpad { ptr, i32 }
          cleanup
          catch ptr null
          filter [1 x ptr] [ptr @p]
  resume { ptr, i32 } %2
}
declare i32 @g(i32)
declare i32 @p(...)
!0 = !{}
";
    let function = function(text);
    let invoke = &function.blocks[0].instructions[0];
    assert_eq!(
        (invoke.result.as_deref(), invoke.debug),
        (Some("1"), Some(0))
    );
    assert!(
        matches!(&invoke.op, Op::Invoke { normal, unwind, call } if normal == "a" && unwind == "b" && call.args.len() == 1)
    );
    let pad = &function.blocks[2].instructions;
    assert!(matches!(&pad[0].op, Op::LandingPad(Type::Struct { .. })));
    assert!(matches!(&pad[1].op, Op::Resume(v) if local(&v.kind) == "2"));
}

#[test]
fn instructions_that_are_kept_by_name() {
    let table = [
        ("extractelement <4 x i32> %v, i32 %i", "extractelement"),
        ("insertelement <4 x i32> %v, i32 1, i32 0", "insertelement"),
        (
            "shufflevector <4 x i32> %v, <4 x i32> undef, <4 x i32> zeroinitializer",
            "shufflevector",
        ),
        ("cleanuppad within none []", "cleanuppad"),
    ];
    for (line, name) in table {
        assert_eq!(operation(line), Op::Unsupported(name.into()));
    }
    let text = "define void @f(ptr %p) {
  indirectbr ptr %p, [ label %a,
                       label %b ]
a:
  %c = callbr i32 asm \"\", \"=r,!i\"() to label %b [label %a, label %b]
b:
  %s = catchswitch within none [label %h] unwind to caller
h:
  %q = catchpad within %s [ptr null, i32 64]
  catchret from %q to label %x
x:
  %r = cleanuppad within none [metadata !\"y\"]
  cleanupret from %r unwind label %b
}
";
    let function = function(text);
    let names: Vec<String> = function
        .blocks
        .iter()
        .flat_map(|b| b.instructions.iter())
        .map(|i| match &i.op {
            Op::Unsupported(name) => name.clone(),
            op => panic!("{op:?} is supported"),
        })
        .collect();
    let expected = [
        "indirectbr",
        "callbr",
        "catchswitch",
        "catchpad",
        "catchret",
        "cleanuppad",
        "cleanupret",
    ];
    assert_eq!(names, expected);
}

#[test]
fn spans_cover_what_they_say() {
    let text = "define i32 @f(i32* %p) {\nentry:\n  %x = load i32, i32* %p, align 4, !dbg !0\n  ret i32 %x\n}\n!0 = !{}\n";
    let mut sources = SourceMap::default();
    let file = sources.add("test.ll", text);
    let module = parse(&sources, file).expect("it is right");
    let f = &module.functions[0];
    assert_eq!(sources.snippet(f.span), "@f");
    assert_eq!(sources.snippet(f.params[0].span), "i32*");
    assert_eq!(sources.snippet(f.blocks[0].span), "entry:");
    let load = &f.blocks[0].instructions[0];
    assert_eq!(
        sources.snippet(load.span),
        "%x = load i32, i32* %p, align 4"
    );
    let Op::Load { pointer, .. } = &load.op else {
        panic!("{load:?}");
    };
    assert_eq!(sources.snippet(pointer.span), "i32* %p");
}
