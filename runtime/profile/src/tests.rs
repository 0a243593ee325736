//! A made-up recording: sums, places and files of it are known.

use crate::*;

/// One layer with two operators, one inside the other, then a backward pass, inside a label; one call outside.
fn recording() -> Recording {
    let span = |kind, name, stack, layer, start, end| Span {
        kind,
        name,
        stack,
        layer,
        start,
        end,
        cost: 5,
    };
    let op = |name, sequence, backward, start, end, allocated| Op {
        name,
        thread: 1,
        sequence,
        backward,
        forward_thread: u64::from(backward),
        start,
        end,
        allocated,
        ..Op::default()
    };
    let place = |line| Place {
        function: "main".into(),
        file: "a.spl".into(),
        line,
    };
    Recording {
        start: 1000,
        end: 2000,
        spans: vec![
            span(SpanKind::Call, 0, 0, 1, 1120, 1220),
            span(SpanKind::Layer, 0, 0, 1, 1110, 1240),
            span(SpanKind::Call, 1, 1, 0, 1300, 1500),
            span(SpanKind::Label, 2, 0, 0, 1100, 1600),
            span(SpanKind::Call, 3, 1, 0, 1700, 1750),
        ],
        names: ["rt_linear", "rt_backward", "a <step>", "rt_free"]
            .map(str::to_owned)
            .to_vec(),
        stacks: vec![vec![place(3), place(9)], vec![place(4)]],
        layers: vec![
            Layer::default(),
            Layer {
                path: "net.fc1".into(),
                class: "Linear".into(),
            },
        ],
        torch: Torch {
            main_thread: 1,
            peak: 2048,
            names: ["aten::linear", "aten::addmm", "AddmmBackward0", "gemm"]
                .map(str::to_owned)
                .to_vec(),
            ops: vec![
                op(0, 7, false, 1130, 1210, 100),
                op(1, 7, false, 1140, 1200, 100),
                op(2, 7, true, 1310, 1490, 40),
                // On a thread of the engine, while the second call waits.
                Op {
                    thread: 2,
                    ..op(2, 7, true, 1320, 1330, 0)
                },
                // On a thread that loads data.
                Op {
                    thread: 3,
                    ..op(0, -1, false, 1000, 1900, 0)
                },
            ],
            kernels: vec![Kernel {
                name: 3,
                op: Some(1),
                device: 0,
                stream: 7,
                start: 1150,
                end: 1180,
            }],
        },
        dropped: 0,
    }
}

#[test]
fn every_moment_belongs_to_one_thing() {
    let profile = Profile::new(recording());
    let sum = profile.summary();
    assert_eq!(sum.total, 1000);
    assert_eq!(
        sum.operators + sum.labels + sum.outside + sum.profiler,
        sum.total
    );
    // 100 + 200 + 50, of which the engine's thread took none of its own.
    assert_eq!(sum.operators, 350);
    // The label without both calls, and without what measuring them and the layer took.
    assert_eq!(sum.labels, 500 - 300 - 15);
    assert_eq!((sum.profiler, sum.aside, sum.device), (25, 900, 30));
    let own: u64 = profile
        .operators(SortBy::Own, false)
        .iter()
        .map(|row| row.own)
        .sum();
    assert_eq!(own, sum.operators + sum.labels + sum.aside);
}

#[test]
fn rows_by_operator_line_and_layer() {
    let profile = Profile::new(recording());
    let rows = profile.operators(SortBy::Total, false);
    let row = |name: &str| {
        rows.iter()
            .find(|row| row.name == name)
            .unwrap_or_else(|| panic!("no row {name}"))
            .clone()
    };
    let linear = row("aten::linear");
    assert_eq!(
        (linear.own, linear.device_own, linear.device),
        (20 + 900, 0, 30)
    );
    let addmm = row("aten::addmm");
    assert_eq!((addmm.own, addmm.total, addmm.allocated), (60, 60, 100));
    assert_eq!(row("rt_linear").own, 20);
    assert_eq!(row("a <step>").calls, 1);

    let lines = profile.lines();
    let lines: Vec<(u32, u64, u64)> = lines
        .iter()
        .map(|row| (row.place.line, row.calls, row.total))
        .collect();
    assert_eq!(lines, [(4, 2, 250), (3, 1, 100)]);

    let layers = profile.layers();
    assert_eq!(layers.len(), 1);
    let layer = &layers[0];
    assert_eq!(
        (layer.path.as_str(), layer.calls, layer.own, layer.forward),
        ("net.fc1", 1, 100, 125)
    );
    assert_eq!(
        (layer.backward, layer.device, layer.allocated),
        (190, 30, 100)
    );
}

#[test]
fn a_trace_is_json_with_whole_events() {
    let text = Profile::new(recording()).trace();
    let trace: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("a list");
    let timed: Vec<_> = events.iter().filter(|event| event["ph"] == "X").collect();
    assert_eq!(timed.len(), 11);
    for event in &timed {
        assert!(event["name"].is_string() && event["pid"].is_u64() && event["tid"].is_u64());
        assert!(event["ts"].as_f64() >= Some(0.0) && event["dur"].as_f64() >= Some(0.0));
    }
    let addmm = timed
        .iter()
        .find(|event| event["name"] == "aten::addmm")
        .expect("the operator");
    assert_eq!(addmm["args"]["line"], "a.spl:3");
    assert_eq!(addmm["args"]["layer"], "net.fc1");
    assert_eq!(
        (addmm["ts"].as_f64(), addmm["dur"].as_f64()),
        (Some(0.14), Some(0.06))
    );
}

#[test]
fn a_flame_graph_escapes_names_and_leaves_out_other_threads() {
    let text = Profile::new(recording()).flame_graph();
    assert!(text.contains("a &lt;step&gt;") && !text.contains("a <step>"));
    assert!(text.contains("net.fc1 (Linear)") && text.contains("main a.spl:9"));
    assert!(text.ends_with("</svg>\n"));
    assert_eq!(text.matches("<g>").count(), text.matches("</g>").count());
}

#[test]
fn what_the_library_wrote_is_read_and_damage_is_left_out() {
    let torch = Torch::read(
        "main\t4\t99\nname\taten::mm\nop\t0\t-1\t4\t0\t3\t0\t10\t20\t7\nkernel\t0\t0\t1\t2\t12\t18\nnonsense\top\n",
    );
    assert_eq!((torch.main_thread, torch.peak), (4, 99));
    let op = torch.ops[0];
    assert_eq!(
        (op.shapes, op.sequence, op.start, op.end),
        (None, 3, 10, 20)
    );
    assert_eq!(torch.kernels[0].op, Some(0));
    assert_eq!(Torch::read("op\t\n\n\t\nmain").ops.len(), 1);
}

#[test]
fn a_recording_of_nothing_is_shown() {
    let profile = Profile::new(Recording::default());
    assert!(profile.tables(SortBy::Own, 5).contains("operator"));
    assert!(serde_json::from_str::<serde_json::Value>(&profile.trace()).is_ok());
    assert!(profile.flame_graph().contains("</svg>"));
}

#[test]
fn words_to_sort_by_are_pytorchs() {
    assert_eq!(SortBy::read("cpu_time_total"), Ok(SortBy::Total));
    assert!(SortBy::read("speed").is_err_and(|why| why.contains("self_cpu_time_total")));
}
