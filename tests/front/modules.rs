//! Modules of LLVM IR by hand: what their instructions mean, what is refused by name, and how they are linked.

use std::path::Path;
use support::wmbmc;

/// Answers of modules, of which the first one has `main`.
fn answer(modules: &[&str], options: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut args = Vec::new();
    for (i, text) in modules.iter().enumerate() {
        let path = folder.path().join(format!("m{i}.ll"));
        std::fs::write(&path, text).expect("the folder is writable");
        args.push(path.display().to_string());
    }
    args.extend(options.iter().map(|o| o.to_string()));
    let output = wmbmc(&args);
    let errors = String::from_utf8_lossy(&output.stderr);
    let text = String::from_utf8_lossy(&output.stdout) + errors;
    text.replace(&format!("{}/", Path::new(folder.path()).display()), "")
}

/// A `main` with these instructions, which ends with an assertion about `%holds`.
fn program(declarations: &str, body: &str) -> String {
    format!(
        "declare void @__VERIFIER_assert(i32)\n\
         declare i32 @__VERIFIER_nondet_int()\n\
         {declarations}\n\
         define i32 @main() {{\n{body}\n\
         {}ret i32 0\n}}\n",
        match body.contains("%holds") {
            true =>
                "%asserted = zext i1 %holds to i32\ncall void @__VERIFIER_assert(i32 %asserted)\n",
            false => "",
        }
    )
}

#[track_caller]
fn expect(declarations: &str, body: &str, verdict: &str) {
    let text = program(declarations, body);
    let answer = answer(&[&text], &["--check", "assert,memory,overflow"]);
    let first = answer.lines().next().unwrap_or_default();
    assert_eq!(first, verdict, "{text}\n{answer}");
}

#[test]
fn phis_are_assigned_at_once() {
    let swap = "br label %loop\n\
        loop:\n\
        %a = phi i32 [ 1, %0 ], [ %b, %loop ]\n\
        %b = phi i32 [ 2, %0 ], [ %a, %loop ]\n\
        %i = phi i32 [ 0, %0 ], [ %next, %loop ]\n\
        %next = add i32 %i, 1\n\
        %done = icmp eq i32 %next, 4\n\
        br i1 %done, label %end, label %loop\n\
        end:\n\
        %sum = shl i32 %a, 4\n\
        %pair = or i32 %sum, %b\n";
    expect(
        "",
        &format!("{swap}%holds = icmp eq i32 %pair, 33\n"),
        "SAFE",
    );
    expect(
        "",
        &format!("{swap}%holds = icmp eq i32 %pair, 34\n"),
        "UNSAFE",
    );
}

#[test]
fn integers_of_other_widths_have_their_bits_alone() {
    let rows = [
        ("i1", "add", "1", "1", "0"),
        ("i7", "add", "120", "10", "2"),
        ("i7", "mul", "100", "100", "16"),
        ("i33", "shl", "4294967297", "1", "2"),
        ("i48", "sub", "0", "1", "-1"),
        ("i64", "mul", "4294967296", "4294967296", "0"),
        ("i5", "sdiv", "-16", "2", "-8"),
        ("i5", "ashr", "-16", "2", "-4"),
        ("i5", "lshr", "-16", "2", "4"),
        ("i8", "srem", "-7", "3", "-1"),
        ("i16", "udiv", "-1", "2", "32767"),
    ];
    for (ty, op, a, b, result) in rows {
        let body = |predicate: &str| {
            format!(
                "%x = freeze {ty} {a}\n%y = {op} {ty} %x, {b}\n%holds = icmp {predicate} {ty} %y, {result}\n"
            )
        };
        expect("", &body("eq"), "SAFE");
        expect("", &body("ne"), "UNSAFE");
    }
}

#[test]
fn conversions_and_comparisons_look_at_signs() {
    let rows = [
        (
            "%y = sext i5 -3 to i32\n%holds = icmp eq i32 %y, -3",
            "SAFE",
        ),
        (
            "%y = zext i5 -3 to i32\n%holds = icmp eq i32 %y, 29",
            "SAFE",
        ),
        (
            "%y = trunc i32 511 to i8\n%holds = icmp eq i8 %y, -1",
            "SAFE",
        ),
        ("%holds = icmp slt i8 -1, 0", "SAFE"),
        ("%holds = icmp ult i8 -1, 0", "UNSAFE"),
        (
            "%y = sext i1 true to i64\n%holds = icmp eq i64 %y, -1",
            "SAFE",
        ),
        (
            "%y = bitcast float 1.0 to i32\n%holds = icmp eq i32 %y, 1065353216",
            "SAFE",
        ),
        (
            "%y = fadd double 1.5, 2.5\n%holds = fcmp oeq double %y, 4.0",
            "SAFE",
        ),
        (
            "%y = fdiv double 0.0, 0.0\n%holds = fcmp uno double %y, %y",
            "SAFE",
        ),
        (
            "%y = fdiv double 0.0, 0.0\n%holds = fcmp ueq double %y, 1.0",
            "SAFE",
        ),
        (
            "%y = fdiv double 0.0, 0.0\n%holds = fcmp one double %y, 1.0",
            "UNSAFE",
        ),
        (
            "%y = sitofp i8 -3 to double\n%holds = fcmp olt double %y, 0.0",
            "SAFE",
        ),
    ];
    for (body, verdict) in rows {
        expect("", &format!("{body}\n"), verdict);
    }
}

#[test]
fn an_undefined_value_is_any_value_at_each_use() {
    let twice = "%x = freeze i32 undef\n%y = xor i32 %x, %x\n%holds = icmp eq i32 %y, 0\n";
    expect("", twice, "SAFE");
    let uses = "%y = xor i32 undef, undef\n%holds = icmp eq i32 %y, 0\n";
    expect("", uses, "UNSAFE");
    let poison = "%y = select i1 poison, i32 1, i32 2\n%holds = icmp eq i32 %y, 1\n";
    expect("", poison, "UNSAFE");
}

#[test]
fn objects_live_as_their_marks_say() {
    let marks = "declare void @llvm.lifetime.start.p0(i64, ptr)\n\
                 declare void @llvm.lifetime.end.p0(i64, ptr)\n@kept = global ptr null\n";
    let object = |after: &str| {
        format!(
            "%x = alloca [2 x i32]\n\
             call void @llvm.lifetime.start.p0(i64 8, ptr %x)\n\
             %p = getelementptr i32, ptr %x, i64 1\n\
             store i32 5, ptr %p\nstore ptr %p, ptr @kept\n{after}\n\
             call void @llvm.lifetime.end.p0(i64 8, ptr %x)\n"
        )
    };
    let look = "%k = load ptr, ptr @kept\n%v = load i32, ptr %k\n%holds = icmp eq i32 %v, 5\n";
    expect(marks, &object(look), "SAFE");
    expect(marks, &format!("{}{look}", object("")), "UNSAFE");
}

#[test]
fn aggregates_are_taken_apart() {
    let body = "%r = call { i32, [2 x i8] } @made()\n\
        %s = insertvalue { i32, [2 x i8] } %r, i8 9, 1, 0\n\
        %a = extractvalue { i32, [2 x i8] } %s, 0\n\
        %b = extractvalue { i32, [2 x i8] } %s, 1, 0\n\
        %c = extractvalue { i32, [2 x i8] } %s, 1, 1\n\
        %bw = zext i8 %b to i32\n%cw = zext i8 %c to i32\n\
        %t = add i32 %a, %bw\n%u = mul i32 %t, %cw\n";
    let made = "define { i32, [2 x i8] } @made() {\n\
        ret { i32, [2 x i8] } { i32 1, [2 x i8] [i8 2, i8 3] }\n}\n";
    expect(
        made,
        &format!("{body}%holds = icmp eq i32 %u, 30\n"),
        "SAFE",
    );
    expect(
        made,
        &format!("{body}%holds = icmp eq i32 %u, 31\n"),
        "UNSAFE",
    );
}

#[test]
fn a_switch_goes_to_one_block() {
    let body = |wanted: i32| {
        format!(
            "%x = call i32 @__VERIFIER_nondet_int()\n\
             switch i32 %x, label %other [ i32 1, label %one\n i32 -2, label %one\n i32 7, label %seven ]\n\
             one:\nbr label %end\nseven:\nbr label %end\nother:\nbr label %end\n\
             end:\n\
             %v = phi i32 [ 10, %one ], [ 20, %seven ], [ 30, %other ]\n\
             %is = icmp eq i32 %x, -2\n%as = icmp eq i32 %v, {wanted}\n\
             %not = xor i1 %is, true\n%holds = or i1 %not, %as\n"
        )
    };
    expect("", &body(10), "SAFE");
    expect("", &body(30), "UNSAFE");
}

#[test]
fn what_is_undefined_is_found() {
    let x = "%x = call i32 @__VERIFIER_nondet_int()\n";
    expect("", &format!("{x}%y = add nsw i32 %x, 1\n"), "UNSAFE");
    expect("", &format!("{x}%y = add i32 %x, 1\n"), "SAFE");
    let far = "@a = global [4 x i32] zeroinitializer\n";
    let at = "%i = sext i32 %x to i64\n\
              %p = getelementptr inbounds [4 x i32], ptr @a, i64 0, i64 %i\n%v = load i32, ptr %p\n";
    expect(far, &format!("{x}{at}"), "UNSAFE");
}

#[test]
fn what_is_not_supported_is_named_where_it_is_reached() {
    let rows = [
        (
            "%v = add <2 x i32> <i32 1, i32 2>, <i32 3, i32 4>",
            "a vector",
        ),
        (
            "%v = atomicrmw fadd ptr @g, float 1.0 seq_cst",
            "`atomicrmw` on this type",
        ),
        (
            "%v = load atomic i32, ptr @g unordered, align 4",
            "an `unordered` access",
        ),
        (
            "store i32 1, ptr @g, !nontemporal !0",
            "the instruction `store !nontemporal`",
        ),
        (
            "fence syncscope(\"agent\") seq_cst",
            "`syncscope(\"agent\")` of a fence",
        ),
        ("%v = load i20, ptr @g", "an integer of 20 bits in memory"),
        (
            "%v = call i32 @llvm.bitreverse.i32(i32 1)",
            "the intrinsic `llvm.bitreverse.i32`",
        ),
        ("%v = fpext double 1.0 to fp128", "a number of type fp128"),
        (
            "%p = inttoptr i64 16 to ptr addrspace(257)\n%v = load i32, ptr addrspace(257) %p",
            "a value of type `ptr addrspace(257)`",
        ),
        ("%v = load i32, ptr @far", "a global of this type"),
    ];
    let globals = "@g = global i32 0\n!0 = !{i32 1}\n@far = addrspace(3) global i32 0\n\
                   declare i32 @llvm.bitreverse.i32(i32)\n";
    for (instruction, named) in rows {
        let reached = program(globals, instruction);
        let answer_reached = answer(&[&reached], &[]);
        assert!(
            answer_reached.starts_with("UNKNOWN"),
            "{instruction}: {answer_reached}"
        );
        assert!(
            answer_reached.contains(named),
            "{instruction}: {answer_reached}"
        );
        let jumped = format!(
            "br label %end\nnever:\n{instruction}\nbr label %end\nend:\n%holds = icmp eq i32 1, 1\n"
        );
        let unreached = answer(&[&program(globals, &jumped)], &[]);
        assert!(unreached.starts_with("SAFE"), "{instruction}: {unreached}");
    }
}

#[test]
fn modules_are_linked() {
    let main = "@shared = external global i32\ndeclare i32 @twice(i32)\n\
                declare void @__VERIFIER_assert(i32)\n\
                define linkonce_odr i32 @same() { ret i32 7 }\n\
                define i32 @main() {\n\
                %a = load i32, ptr @shared\n%b = call i32 @twice(i32 %a)\n%c = call i32 @same()\n\
                %d = add i32 %b, %c\n%e = icmp eq i32 %d, 13\n%f = zext i1 %e to i32\n\
                call void @__VERIFIER_assert(i32 %f)\nret i32 0\n}\n";
    let other = "@shared = global i32 3\n\
                 define linkonce_odr i32 @same() { ret i32 7 }\n\
                 define i32 @twice(i32 %x) {\n%y = shl i32 %x, 1\nret i32 %y\n}\n";
    let linked = answer(&[main, other], &["--link", "--check", "assert"]);
    assert!(linked.starts_with("SAFE\n"), "{linked}");
    let wrong = other.replace("global i32 3", "global i32 4");
    let linked = answer(&[main, &wrong], &["--link", "--check", "assert"]);
    assert!(linked.starts_with("UNSAFE\n"), "{linked}");
}

#[test]
fn options_of_the_preprocessor_are_for_c() {
    let module = "define i32 @main() {\nret i32 0\n}\n";
    for option in ["-DX", "-I.", "--std=gnu99"] {
        let refused = answer(&[module], &[option]);
        assert!(refused.contains("is for C and C++"), "{option}: {refused}");
    }
}
