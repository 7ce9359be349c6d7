//! Entities of modules, heads of functions, names and numbers, metadata.

use super::*;

#[test]
fn the_head_of_a_module() {
    let text = "; ModuleID = 'a.c'
source_filename = \"a\\22.c\"
target datalayout = \"e-m:e-i64:64\"
target triple = \"x86_64-pc-linux-gnu\"
module asm \".globl f\"
module asm \"f:\\0A ret\"
";
    let module = module(text);
    assert_eq!(module.source, "a\".c");
    assert_eq!(module.data_layout, "e-m:e-i64:64");
    assert_eq!(module.triple, "x86_64-pc-linux-gnu");
    let assembly: Vec<&str> = module.assembly.iter().map(|(s, _)| s.as_str()).collect();
    assert_eq!(assembly, [".globl f", "f:\n ret"]);
}

#[test]
fn types_by_name() {
    let text = "%struct.s = type { i32, %struct.s*, [4 x i8] }
%\"class.std::x\" = type <{ i8, i64 }>
%0 = type opaque
%array = type [2 x i16]
%union.u = type {}
@a = global %array [i16 1, i16 2]
";
    let module = module(text);
    let named = Type::Named("struct.s".into());
    let fields = vec![int(32), pointer_to(named), Type::Array(4, int(8).into())];
    let packed = false;
    assert_eq!(
        module.types["struct.s"],
        Some(Type::Struct { packed, fields })
    );
    let fields = vec![int(8), int(64)];
    let packed = true;
    assert_eq!(
        module.types["class.std::x"],
        Some(Type::Struct { packed, fields })
    );
    assert_eq!(module.types["0"], None);
    assert_eq!(module.globals[0].ty, Type::Named("array".into()));
}

#[test]
fn types_of_every_kind() {
    let types = [
        ("i1", int(1)),
        ("i128", int(128)),
        ("i8388608", int(8_388_608)),
        ("half", Type::Float(FloatKind::Half)),
        ("bfloat", Type::Float(FloatKind::BFloat)),
        ("float", Type::Float(FloatKind::Float)),
        ("double", Type::Float(FloatKind::Double)),
        ("x86_fp80", Type::Float(FloatKind::X86Fp80)),
        ("fp128", Type::Float(FloatKind::Fp128)),
        ("ppc_fp128", Type::Float(FloatKind::PpcFp128)),
        ("ptr", pointer()),
        ("ptr addrspace(0)", pointer()),
        (
            "ptr addrspace(3)",
            Type::Other("ptr addrspace(3)".to_string()),
        ),
        ("i32*", pointer_to(int(32))),
        (
            "i32 addrspace(1)*",
            Type::Other("ptr addrspace(1)".to_string()),
        ),
        (
            "i32 addrspace(1)**",
            pointer_to(Type::Other("ptr addrspace(1)".to_string())),
        ),
        (
            "<4 x float>",
            Type::Vector(4, Type::Float(FloatKind::Float).into()),
        ),
        ("<vscale x 4 x i32>", Type::Vector(4, int(32).into())),
        ("[0 x ptr]", Type::Array(0, pointer().into())),
        ("x86_mmx", Type::Other("x86_mmx".into())),
        (
            "target(\"spirv.Image\", i32, 0)",
            Type::Other("target(\"spirv.Image\", i32, 0)".into()),
        ),
    ];
    for (text, ty) in types {
        let module = module(&format!("@x = external global {text}\n"));
        assert_eq!(module.globals[0].ty, ty, "{text}");
    }
}

#[test]
fn pointers_to_functions() {
    let module = module("@x = external global i8 (i8*, ...)* (void ()*)\n");
    let void = Type::Function(Box::new(FunctionType {
        ret: Type::Void,
        params: vec![],
        variadic: false,
    }));
    let inner = Type::Function(Box::new(FunctionType {
        ret: int(8),
        params: vec![pointer_to(int(8))],
        variadic: true,
    }));
    let outer = Type::Function(Box::new(FunctionType {
        ret: pointer_to(inner),
        params: vec![pointer_to(void)],
        variadic: false,
    }));
    assert_eq!(module.globals[0].ty, outer);
}

#[test]
fn global_variables() {
    let text = "$c = comdat any
@a = dso_local global i32 7, align 4, !dbg !1
@b = private unnamed_addr constant [2 x i8] c\"x\\00\", section \".rodata\", partition \"p\", comdat($c), align 1
@c = external thread_local(initialexec) local_unnamed_addr global ptr, align 8
@d = internal thread_local global i8 0, no_sanitize_address, code_model \"large\", comdat
@e = extern_weak hidden externally_initialized global i32
@f = linkonce_odr dllexport addrspace(3) global i32 undef
@g = common global i32 zeroinitializer #0
@h = available_externally global i32 1
@llvm.used = appending global [1 x i8*] [i8* bitcast (i32* @a to i8*)], section \"llvm.metadata\"
@\"\\01foo bar\" = global i32 0
@0 = weak protected global i32 0
attributes #0 = { \"bss-section\"=\"x\" alignstack=8 memory(argmem: read) }
!1 = !{}
";
    let module = module(text);
    let by_name = |name: &str| {
        module
            .globals
            .iter()
            .find(|g| g.name == name)
            .expect("it is there")
    };
    let a = by_name("a");
    assert_eq!(
        (a.linkage, a.align, a.debug),
        (Linkage::External, Some(4), Some(1))
    );
    assert!(!a.constant && !a.thread_local);
    let b = by_name("b");
    assert_eq!((b.linkage, b.align), (Linkage::Internal, Some(1)));
    assert!(b.constant);
    assert!(matches!(&b.init, Some(v) if v.kind == ValueKind::String(b"x\0".to_vec())));
    let c = by_name("c");
    assert!(c.thread_local && c.init.is_none() && c.align == Some(8));
    assert!(by_name("d").thread_local);
    assert_eq!(by_name("e").linkage, Linkage::ExternWeak);
    let f = by_name("f");
    assert_eq!((f.linkage, f.address_space), (Linkage::Weak, 3));
    assert_eq!(by_name("g").linkage, Linkage::Weak);
    assert_eq!(by_name("h").linkage, Linkage::AvailableExternally);
    assert_eq!(by_name("llvm.used").linkage, Linkage::Appending);
    assert_eq!(by_name("\u{1}foo bar").ty, int(32));
    assert_eq!(by_name("0").linkage, Linkage::Weak);
}

#[test]
fn globals_without_names_are_numbered() {
    let module = module("global i32 1\n@1 = constant i32 2\ninternal global i32 3\n");
    let names: Vec<&str> = module.globals.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["0", "1", "2"]);
}

#[test]
fn aliases_and_ifuncs() {
    let text = "@x = global i32 0
@a = weak alias i32, i32* @x
@b = alias i8, bitcast (i32* @x to i8*)
@c = hidden alias i8, getelementptr inbounds (i8, ptr @x, i64 1), partition \"p\"
@i = ifunc void (), ptr @resolve
declare ptr @resolve()
";
    let module = module(text);
    let [a, b, c, i] = &module.aliases[..] else {
        panic!("{:?}", module.aliases);
    };
    assert_eq!((a.linkage, &a.ty), (Linkage::Weak, &int(32)));
    assert_eq!(a.target.kind, ValueKind::Global("x".into()));
    assert_eq!(a.target.ty, pointer_to(int(32)));
    assert_eq!(b.target.ty, pointer_to(int(8)));
    assert!(
        matches!(&c.target.kind, ValueKind::Expr(e) if matches!(**e, ConstantExpr::ElementPointer(_)))
    );
    assert!(i.ifunc && !a.ifunc);
    assert_eq!(i.target.kind, ValueKind::Global("resolve".into()));
}

#[test]
fn heads_of_functions() {
    let text = "%t = type { i64 }
declare !dbg !3 noundef nonnull align 8 dereferenceable(8) ptr @a(ptr noundef %x, i32 signext, ...) local_unnamed_addr #1
declare fastcc range(i32 0, 5) i32 @b(ptr sret(%t) align(8) captures(none) initializes((0, 8)), double nofpclass(nan inf)) memory(argmem: readwrite, inaccessiblemem: none) nounwind \"a\"=\"b\" \"c\"
define weak_odr hidden cc 10 void @c(ptr byval(%t) align 8 %x, %t* byval %y, ptr byref(i8) %z, ptr readonly elementtype(i32) %w, i32 \"k\" %0) unnamed_addr addrspace(0) #0 section \"s\" partition \"p\" comdat align 16 gc \"g\" prefix i32 1 prologue i8 2 personality ptr @a !dbg !4 !prof !5 {
  ret void
}
attributes #0 = { nounwind uwtable(sync) \"frame-pointer\"=\"all\" vscale_range(1,16) }
attributes #1 = { allockind(\"alloc,zeroed\") allocsize(0,1) }
$c = comdat any
!3 = !{}
!4 = !{}
!5 = !{}
";
    let module = module(text);
    let [a, b, c] = &module.functions[..] else {
        panic!("{:?}", module.functions);
    };
    assert_eq!((&a.ret, a.variadic, a.debug), (&pointer(), true, Some(3)));
    assert_eq!(a.params.len(), 2);
    assert!(a.params.iter().all(|p| p.name.is_empty()) && a.blocks.is_empty());
    assert_eq!((&b.ret, b.params[0].by_value.as_ref()), (&int(32), None));
    assert_eq!((c.linkage, c.debug), (Linkage::Weak, Some(4)));
    let copied = Some(Type::Named("t".into()));
    let params: Vec<_> = c
        .params
        .iter()
        .map(|p| (p.name.as_str(), &p.by_value))
        .collect();
    let none = &None;
    assert_eq!(
        params,
        [
            ("x", &copied),
            ("y", &copied),
            ("z", none),
            ("w", none),
            ("0", none)
        ]
    );
}

#[test]
fn implicit_numbers_are_one_sequence() {
    let text = "define i32 @f(i32, i32 %x, i32 %1) {
  %3 = add i32 %0, %1
  br label %4

; <label>:4:
  %5 = add i32 %3, 1
  add i32 %5, 1
  call void @g()
  br i1 true, label %named, label %8

named:
  %7 = phi i32 [ %6, %4 ]
  br label %8

8:                                                ; preds = %4
  %9 = phi i32 [ 0, %4 ], [ %7, %named ]
  ret i32 %9
}
declare void @g()
";
    let function = function(text);
    let params: Vec<&str> = function.params.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(params, ["0", "x", "1"]);
    let labels: Vec<&str> = function.blocks.iter().map(|b| b.label.as_str()).collect();
    assert_eq!(labels, ["2", "4", "named", "8"]);
    let results = |b: usize| -> Vec<Option<&str>> {
        let instructions = function.blocks[b].instructions.iter();
        instructions.map(|i| i.result.as_deref()).collect()
    };
    assert_eq!(results(1), [Some("5"), Some("6"), None, None]);
    assert_eq!(results(3), [Some("9"), None]);
}

#[test]
fn names_in_quotes() {
    let text = "define i32 @\"a b\"(i32 %\"x y\", i32 %\"7\") {
\"the entry\":
  %-.$_ = add i32 %\"x y\", %\"7\"
  br label %\"\\41\\5C\"
\"A\\\\\":
  ret i32 %-.$_
}
";
    let function = function(text);
    assert_eq!(function.name, "a b");
    assert_eq!(function.params[0].name, "x y");
    // Not the number.
    assert_eq!(function.params[1].name, "\"7\"");
    assert_eq!(function.blocks[0].label, "the entry");
    assert_eq!(function.blocks[1].label, "A\\");
    let last = function.blocks[0].instructions.last().expect("it has two");
    assert_eq!(last.op, Op::Branch("A\\".into()));
}

#[test]
fn metadata_of_modules() {
    let text = "!llvm.module.flags = !{!0, !1}
!0 = !{i32 1, !\"wchar_size\", i32 4, null, !1, !DIExpression(), !{!0}}
!1 = distinct !DISubprogram(name: \"f\", scope: !0, line: 12, type: !2, spFlags: DISPFlagDefinition | DISPFlagOptimized, flags: DIFlagPrototyped, isLocal: true, templateParams: null, retainedNames: !{})
!2 = !DIEnumerator(name: \"x\", value: -3, isUnsigned: false)
!3 = !DITemplateValueParameter(type: !1, value: i8* null)
!4 = !DIExpression(DW_OP_plus_uconst, 8, DW_OP_LLVM_fragment, 0, 32)
!5 = distinct !{}
!6 = !DIBasicType(name: \"a\\22\", size: 8, encoding: DW_ATE_signed, align: 18446744073709551616)
";
    let module = module(text);
    let tuple = &module.metadata[&0];
    assert_eq!(tuple.kind, "");
    let values: Vec<&MetadataValue> = tuple.fields.iter().map(|(_, v)| v).collect();
    assert!(matches!(values[0], MetadataValue::Value(v) if v.kind == ValueKind::Int(1)));
    assert_eq!(values[1], &MetadataValue::String("wchar_size".into()));
    assert_eq!(values[3], &MetadataValue::Text("null".into()));
    assert_eq!(values[4], &MetadataValue::Node(1));
    assert_eq!(values[5], &MetadataValue::Text("!DIExpression()".into()));
    assert_eq!(values[6], &MetadataValue::Text("!{!0}".into()));
    let f = &module.metadata[&1];
    assert_eq!(f.kind, "DISubprogram");
    assert_eq!(f.field("name"), Some(&MetadataValue::String("f".into())));
    assert_eq!(f.field("line"), Some(&MetadataValue::Int(12)));
    let flags = "DISPFlagDefinition | DISPFlagOptimized";
    assert_eq!(f.field("spFlags"), Some(&MetadataValue::Text(flags.into())));
    assert_eq!(
        f.field("isLocal"),
        Some(&MetadataValue::Text("true".into()))
    );
    assert_eq!(
        f.field("retainedNames"),
        Some(&MetadataValue::Text("!{}".into()))
    );
    assert_eq!(
        module.metadata[&2].field("value"),
        Some(&MetadataValue::Int(-3))
    );
    let parameter = module.metadata[&3].field("value");
    assert!(matches!(parameter, Some(MetadataValue::Value(v)) if v.kind == ValueKind::Null));
    assert_eq!(
        module.metadata[&4].fields[1],
        (String::new(), MetadataValue::Int(8))
    );
    assert!(module.metadata[&5].fields.is_empty());
    let size = 1i128 << 64;
    assert_eq!(
        module.metadata[&6].field("align"),
        Some(&MetadataValue::Int(size))
    );
}

#[test]
fn attachments_and_operands_of_metadata() {
    let text = "define void @f(i32 %x) !dbg !1 {
  call void @llvm.dbg.value(metadata i32 %x, metadata !2, metadata !DIExpression(DW_OP_deref)), !dbg !3
  call void @llvm.dbg.value(metadata !DIArgList(i32 %x, i32 %x), metadata !2, metadata !DIExpression()), !dbg !3
  call void @llvm.foo(metadata !\"fpexcept.strict\", metadata !{}), !tbaa !1, !dbg !DILocation(line: 7, scope: !1), !srcloc !2
  ret void, !dbg !3
}
!1 = !{}
!2 = !{}
!3 = !DILocation(line: 1, column: 2, scope: !1)
declare void @llvm.dbg.value(metadata, metadata, metadata)
";
    let module = module(text);
    let instructions = &module.functions[0].blocks[0].instructions;
    let args = |i: usize| match &instructions[i].op {
        Op::Call(call) => call
            .args
            .iter()
            .map(|a| a.value.kind.clone())
            .collect::<Vec<_>>(),
        op => panic!("{op:?} is no call"),
    };
    let text = |s: &str| ValueKind::Metadata(MetadataValue::Text(s.into()));
    assert!(
        matches!(&args(0)[0], ValueKind::Metadata(MetadataValue::Value(v)) if local(&v.kind) == "x" && v.ty == int(32))
    );
    assert_eq!(args(0)[1], ValueKind::Metadata(MetadataValue::Node(2)));
    assert_eq!(args(0)[2], text("!DIExpression(DW_OP_deref)"));
    assert_eq!(args(1)[0], text("!DIArgList(i32 %x, i32 %x)"));
    let string = MetadataValue::String("fpexcept.strict".into());
    assert_eq!(args(2), [ValueKind::Metadata(string), text("!{}")]);
    assert_eq!(instructions[0].debug, Some(3));
    // A location in place gets a number of its own.
    let number = instructions[2].debug.expect("it has a location");
    assert_eq!(
        module.metadata[&number].field("line"),
        Some(&MetadataValue::Int(7))
    );
    assert_eq!(instructions[3].debug, Some(3));
}

#[test]
fn debug_records_are_calls() {
    let text = "define void @f(ptr %x) {
    #dbg_declare(ptr %x, !2, !DIExpression(), !3)
    #dbg_value(i32 poison, !2, !DIExpression(DW_OP_deref), !DILocation(line: 4, scope: !1))
    #dbg_label(!2, !3)
  ret void
}
!1 = !{}
!2 = !{}
!3 = !{}
";
    let module = module(text);
    let instructions = &module.functions[0].blocks[0].instructions;
    let Op::Call(declare) = &instructions[0].op else {
        panic!("{:?}", instructions[0]);
    };
    assert_eq!(
        declare.callee.kind,
        ValueKind::Global("llvm.dbg.declare".into())
    );
    assert_eq!(
        declare.ty.params,
        [Type::Metadata, Type::Metadata, Type::Metadata]
    );
    let first = &declare.args[0].value;
    assert_eq!(first.ty, Type::Metadata);
    assert!(
        matches!(&first.kind, ValueKind::Metadata(MetadataValue::Value(v)) if local(&v.kind) == "x")
    );
    let node = ValueKind::Metadata(MetadataValue::Node(2));
    assert_eq!(declare.args[1].value.kind, node);
    let expression = ValueKind::Metadata(MetadataValue::Text("!DIExpression()".into()));
    assert_eq!(declare.args[2].value.kind, expression);
    assert_eq!(
        (&instructions[0].result, instructions[0].debug),
        (&None, Some(3))
    );
    let number = instructions[1].debug.expect("it has a location");
    assert_eq!(module.metadata[&number].kind, "DILocation");
    assert!(matches!(&instructions[2].op, Op::Call(c) if c.args.len() == 1));
}

#[test]
fn what_is_read_over() {
    let text = "@x = global i32 0
define void @f(i1 %c) {
a:
  br i1 %c, label %b, label %d
b:
  br label %d
d:
  ret void
  uselistorder label %d, { 1, 0 }
  uselistorder i1 %c, { 1, 0 }
}
uselistorder ptr @x, { 1, 0 }
uselistorder_bb @f, %d, { 1, 0 }
^0 = module: (path: \"a.bc\", hash: (0, 0, 0, 0, 0))
^1 = gv: (name: \"f\", summaries: (function: (module: ^0, flags: (linkage: external, live: 0), insts: 3))) ; guid = 1
^2 = flags: 8
^3 = blockcount: 5
";
    assert_eq!(function(text).blocks.len(), 3);
}

#[test]
fn errors_of_several_functions_are_seen() {
    let text = "define void @f() {
  foo
  bar }
define void @g() {
  ret void
}
define i32 @h() {
  ret i32 %x
}
@x = global i32 true
declare void @i(i32
declare void @j()
";
    let errors = read(text).expect_err("it is wrong");
    let expected = [
        "2:3 `foo` is no instruction of LLVM IR",
        "8:11 `%x` is not defined in this function",
        "10:17 `true` is no value of the type that is written before it, but of `i1`",
        "12:1 expected `,` or `)`, found `declare`",
    ];
    assert_eq!(errors, expected);
}
