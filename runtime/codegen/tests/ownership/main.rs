//! Who owns what: drops at the right moment, nothing dropped twice, nothing left over, also when an error passes.
//!
//! Every program's output shows its drops in order; whatever is alive at the end would be reported as a leak.

mod make;
#[path = "../support/mod.rs"]
mod support;

programs! {
    eager_after_last_use: "use a\ndrop a\nmiddle\nuse b\ndrop b\nend\nexit 0\n";
    eager_in_branches: "use a\ndrop a\nafter\ndrop a\nother\nafter\nexit 0\n";
    eager_behind_a_loop: "use a\nuse a\nuse a\ndrop a\nend\nexit 0\n";
    eager_with_break: "use a\nuse a\ndrop a\nend\nexit 0\n";
    eager_unused: "drop a\nend\nexit 0\n";
    assignment_drops_the_old: "drop a\nassigned\ndrop b\nexit 0\n";
    returned_is_moved: "made\ngot x\ndrop x\nexit 0\n";
    results_are_matched: "ok good!\nerr bad!\nexit 0\n";
    while_some: "got c\ndrop c\ngot b\ndrop b\ngot a\ndrop a\nexit 0\n";
    nested_arrays_copy: "[[1], [2]]\n[[1, 7], [2]]\nexit 0\n";
    field_arrays: "[1, 2, 3]\n[1, 2]\nexit 0\n";
    trait_objects: "dog rex\ncat 9\nPoint(x: 9)\nexit 0\n";
    or_patterns: "left a\nright b\nleft c\nexit 0\n";
    tuples_come_apart: "b a\nexit 0\n";
    array_methods: "drop b\nlen 2\ndrop a\ncleared\nexit 0\n";
    error_in_the_middle: "error index 3 is out of range for a length of 0 in main\n";
    drop_that_fails: "end\nexit 0\n";
    defer_that_fails: "second\nfirst\nerror division by zero in main\n";
    stored_self_stays: "end\nexit 0\nleaks: 1 object still lives: 1 Keeper\n";
    choices_of_texts: "plain x\ngiven y\nexit 0\n";
    perhaps_used: "no\nyes\nexit 0\n";
    append_to_itself: "abab\nab\nexit 0\n";
    failing_method_gives_back: "drop t\nerror division by zero in Pair.bump < main\n";
    globals_changed_by_methods: "[1, 2]\n[1, 2, 5]\nexit 0\n";
    early_return: "drop b\ndrop a\ngot early\ndrop b\ndrop a\ngot late\nexit 0\n";
    guards: "short\nlong abcdef\nexit 0\n";
}
