//! A random training step, as it is and captured: a function of Simple that runs one of both and yields what can be seen, a text for each call.

use crate::random::Random;
use std::fmt::Write;

/// How often each step is called.
pub const CALLS: usize = 30;

/// What computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    Libtorch,
    Native,
    FakeCuda,
}

/// Where something is done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Inside,
    Outside,
    Nowhere,
}

/// A function `run{number}(captured: bool) -> [text]`, and whether the program is warned of the variable `flag{number}`.
pub struct Step {
    pub code: String,
    pub is_warned_of: bool,
}

/// With rates that are the same number in f32, which is what a captured step has them in on CUDA.
const OPTIMIZERS: [&str; 8] = [
    "SGD(weights, lr: 0.0625)",
    "SGD(weights, lr: 0.0625, momentum: 0.9)",
    "SGD(weights, lr: 0.0625, momentum: 0.5, nesterov: true, weight_decay: 0.01)",
    "Adam(weights, lr: 0.0078125)",
    "AdamW(weights, lr: 0.0078125)",
    "Adagrad(weights, lr: 0.0625)",
    "RMSprop(weights, lr: 0.0078125)",
    "SGD(weights, lr: 0.0625, momentum: 0.9, fused: false)",
];

const CURVES: [&str; 12] = [
    "relu()",
    "sigmoid()",
    "tanh()",
    "gelu()",
    "silu()",
    "abs()",
    "sin()",
    "square()",
    "softplus()",
    "clamp(-2.0, 2.0).exp()",
    "abs().sqrt()",
    "leaky_relu()",
];

/// How many rows the batches have, one after the other.
const BATCHES: [&[usize]; 8] = [
    &[4],
    &[4],
    &[4, 4, 4, 3],
    &[2, 5],
    &[1],
    &[16],
    &[33, 33, 7],
    &[8, 1],
];

struct Writer<'r> {
    random: &'r mut Random,
    place: Place,
    number: u64,
    setup: Vec<String>,
    step: Vec<String>,
    before: Vec<String>,
    after: Vec<String>,
    value: String,
    names: usize,
}

impl Step {
    /// Step `number` for a place. Equal numbers give the same step, but for what a place lacks.
    pub fn new(number: u64, place: Place) -> Step {
        let mut random = Random::new((number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut writer = Writer {
            random: &mut random,
            place,
            number,
            setup: Vec::new(),
            step: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            value: "h0".to_owned(),
            names: 0,
        };
        writer.write()
    }
}

impl Writer<'_> {
    fn chance(&mut self, of_ten: usize) -> bool {
        self.random.below(10) < of_ten
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.random.below(all.len())]
    }

    fn place_of(&mut self) -> Where {
        match self.random.below(7) {
            0..=2 => Where::Inside,
            3..=5 => Where::Outside,
            _ => Where::Nowhere,
        }
    }

    fn write(&mut self) -> Step {
        let (wide, hidden) = (self.one_of(&[1, 3, 4, 6]), self.one_of(&[1, 2, 5, 8]));
        let out = if self.chance(3) { 1 } else { wide };
        self.setup.push(format!(
            "val w1 = (Tensor.randn([{wide}, {hidden}]) * 0.3).requires_grad_()"
        ));
        self.setup.push(format!(
            "val w2 = (Tensor.randn([{hidden}, {out}]) * 0.3).requires_grad_()"
        ));
        self.setup.push(format!(
            "val b1 = Tensor.zeros([{hidden}]).requires_grad_()"
        ));
        self.setup
            .push(format!("val state = Tensor.zeros([3, {hidden}])"));
        self.setup.push("val count = Tensor.zeros([1])".to_owned());
        self.setup.push("val weights = [w1, w2, b1]".to_owned());
        let trains = self.chance(9);
        let optimizer = if trains && self.chance(7) {
            Some(self.one_of(&OPTIMIZERS))
        } else {
            None
        };
        let cleared = self.place_of();
        let stepped = if optimizer.is_some() {
            self.place_of()
        } else {
            Where::Nowhere
        };
        if let Some(made) = optimizer {
            self.setup.push(format!("val optimizer = {made}"));
        }
        let clearing = if optimizer.is_some() {
            "optimizer.zero_grad()".to_owned()
        } else {
            "for w in weights: w.zero_grad()".to_owned()
        };
        match cleared {
            Where::Inside if trains => self.step.push(clearing),
            Where::Outside => {
                // At each call, or gradients of several calls are added up.
                let every = self.one_of(&[1, 1, 3]);
                self.before
                    .push(format!("if turn % {every} == 0:\n    {clearing}"));
            }
            _ => {}
        }
        let is_warned_of = self.chance(2);
        self.network(hidden);
        if is_warned_of {
            self.condition();
        }
        if self.chance(2) {
            self.replaced(hidden);
        }
        let lower = self.place != Place::Native && self.chance(2);
        match lower {
            true => self.step.push(format!(
                "val out = (with autocast(\"bf16\"): {} @ w2).float()",
                self.value
            )),
            false => self.step.push(format!("val out = {} @ w2", self.value)),
        }
        let target = if out == wide {
            "y"
        } else {
            "y.sum(dim: 1, keepdim: true)"
        };
        let loss = match self.random.below(5) {
            0 => format!("((out - {target}) * (out - {target})).mean()"),
            1 => format!("mse_loss(out, {target})"),
            2 => format!("(out - {target}).abs().sum()"),
            3 => format!("(out .* {target}).mean() + (w1 * w1).sum() * 0.01"),
            _ => "out.sum(dim: 0).tanh().sum() + w2.sum(dim: 0).sum()".to_owned(),
        };
        self.step.push(format!("val loss = {loss}"));
        if trains {
            self.step.push("loss.backward()".to_owned());
        }
        let by_hand = optimizer.is_none() && trains && self.chance(7);
        let change = match (optimizer, by_hand) {
            (Some(_), _) => Some("optimizer.step()".to_owned()),
            (None, true) => {
                Some("nograd:\n    for w in weights: w.sub_(w.grad()! * 0.02)".to_owned())
            }
            (None, false) => None,
        };
        let changed = if by_hand { Where::Inside } else { stepped };
        if let Some(change) = change {
            match changed {
                Where::Inside => self.step.push(change),
                Where::Outside => self.after.push(change),
                Where::Nowhere => {}
            }
        }
        self.state();
        let result = match self.random.below(6) {
            0..=2 => "loss",
            3 => "loss.detach() + count",
            4 => "out.detach()",
            _ => "(out.detach() * 2.0)[0:1]",
        };
        self.step.push(result.to_owned());
        self.around(trains, optimizer.is_some());
        Step {
            code: self.code(wide, is_warned_of),
            is_warned_of,
        }
    }

    fn new_value(&mut self, formula: &str) {
        self.names += 1;
        let name = format!("h{}", self.names);
        self.step.push(format!(
            "val {name} = {}",
            formula.replace('$', &self.value)
        ));
        self.value = name;
    }

    /// The layers between both products.
    fn network(&mut self, hidden: usize) {
        let first = match self.place != Place::Native && self.chance(2) {
            true => "val h0 = (with autocast(\"bf16\"): x @ w1).float() .+ b1",
            false => "val h0 = (x @ w1) .+ b1",
        };
        self.step.push(first.to_owned());
        for _ in 0..1 + self.random.below(5) {
            match self.random.below(16) {
                0..=4 => {
                    let curve = self.one_of(&CURVES);
                    self.new_value(&format!("$.{curve}"));
                }
                5 => {
                    let share = self.one_of(&["0.1", "0.5"]);
                    self.new_value(&format!("$.dropout({share}, true)"));
                }
                6 => {
                    let kind = self.one_of(&["rand_like", "randn_like"]);
                    self.new_value(&format!("$ + $.{kind}() * 0.1"));
                }
                7 => self.new_value("$.softmax(1)"),
                8 => {
                    let dim = self.random.below(2);
                    self.new_value(&format!("$ .- $.mean(dim: {dim}, keepdim: true)"));
                }
                9 => {
                    let dim = self.random.below(2);
                    self.new_value(&format!("$.flip([{dim}])"));
                }
                10 => {
                    self.new_value("$ * 1.0");
                    let change =
                        self.one_of(&["mul_(0.5)", "add_(0.1)", "sigmoid_()", "clamp_(-0.5, 0.5)"]);
                    let value = self.value.clone();
                    self.step.push(format!("{value}.{change}"));
                }
                11 => self.new_value("cat([$[:, 0:1], $[:, 1:]], dim: 1)"),
                12 => self.new_value("$.where($ > 0.0, $ * 0.2)"),
                13 => self.new_value("$.cumsum(1)"),
                14 => self.new_value("$ .* b1.tanh() + $.T.T"),
                _ => self.new_value(&format!("$ .+ state[{}]", hidden % 3)),
            }
        }
    }

    /// An `if` on a variable of the module, which the program says that it has changed.
    fn condition(&mut self) {
        let number = self.number;
        self.new_value(&format!("if flag{number}: $ * 2.0 else: $.tanh()"));
        self.before.push(format!(
            "if turn % 11 == 7:\n    flag{number} = not flag{number}\n    step.reset()"
        ));
    }

    /// A tensor of an object that the program replaces; the graph of a loss may hold the old one.
    fn replaced(&mut self, hidden: usize) {
        self.setup
            .push(format!("val holder = Holder(Tensor.ones([{hidden}]))"));
        self.new_value("$ .* holder.mask");
        let held = match self.chance(5) {
            true => format!(
                "    holder.held = [(holder.mask * Tensor.ones([{hidden}]).requires_grad_()).sum()]\n"
            ),
            false => String::new(),
        };
        self.before.push(format!(
            "if turn % 9 == 8:\n{held}    holder.mask = Tensor.full([{hidden}], 0.1 * turn as f64)"
        ));
    }

    /// Tensors without gradients that the step changes, as a whole and through views.
    fn state(&mut self) {
        self.step.push("nograd:".to_owned());
        self.step.push("    count.add_(1.0)".to_owned());
        let value = self.value.clone();
        for _ in 0..self.random.below(4) {
            let change = match self.random.below(8) {
                0 => "state.mul_(0.9)".to_owned(),
                1 => "state.add_(w1.detach().sum() * 0.01)".to_owned(),
                2 => "state[1].add_(b1.detach())".to_owned(),
                3 => "state[:, 0:1].mul_(1.1)".to_owned(),
                4 => "state[2].copy_(b1.detach() * 2.0)".to_owned(),
                5 => "state.clamp_(-3.0, 3.0)".to_owned(),
                6 => format!("state[0].add_({value}.detach().mean(dim: 0))"),
                _ => "state.T[0].add_(0.5)".to_owned(),
            };
            self.step.push(format!("    {change}"));
        }
    }

    /// What the program does between the calls.
    fn around(&mut self, trains: bool, has_optimizer: bool) {
        if has_optimizer && self.chance(3) {
            self.before
                .push("if turn == 12: optimizer.set_lr(0.03125)".to_owned());
        }
        if self.chance(2) {
            self.before
                .push("if turn == 10:\n    nograd: w1.mul_(0.5)".to_owned());
        }
        if self.chance(1) {
            self.before.push(
                "if turn == 14: w1.requires_grad_(false)\nif turn == 21: w1.requires_grad_(true)"
                    .to_owned(),
            );
        }
        if self.chance(2) {
            self.before.push("val held = (w1 * w1).sum()".to_owned());
            self.after.push("try: held.backward()\ncatch problem: seen.push(\"{turn} {problem.message.contains(\"modified by an inplace operation\")}\")".to_owned());
        }
        if trains && self.chance(5) {
            self.after.push("for w in weights: seen.push(\"{turn} {if val g = w.grad(): \"{g.detach().to_list()}\" else: \"none\"}\")".to_owned());
        }
        if self.chance(3) {
            self.after.push("seen.push(\"{turn} {w1.detach().reshape([-1]).to_list()} {state.reshape([-1]).to_list()}\")".to_owned());
        }
    }

    fn code(&mut self, wide: usize, is_warned_of: bool) -> String {
        let number = self.number;
        let batches = self.one_of(&BATCHES);
        let mut code = String::new();
        if is_warned_of {
            let _ = writeln!(code, "var flag{number} = true");
        }
        let _ = writeln!(code, "fn run{number}(captured: bool) -> [text]:");
        let _ = writeln!(code, "    var seen: [text] = []");
        if is_warned_of {
            let _ = writeln!(code, "    flag{number} = true");
        }
        let _ = writeln!(code, "    manual_seed({number})");
        let mut lines = |depth: usize, text: &str| {
            for line in text.lines() {
                let _ = writeln!(code, "{}{line}", "    ".repeat(depth));
            }
        };
        for line in &self.setup {
            lines(1, line);
        }
        lines(1, "val body = \\x: Tensor, y: Tensor:");
        for line in &self.step {
            lines(2, line);
        }
        lines(1, "val step = capture(body)");
        lines(1, &format!("for turn in 0..{CALLS}:"));
        lines(
            2,
            &format!("val rows = {batches:?}[turn % {}]", batches.len()),
        );
        let turned = self.random.below(6) == 0;
        let x = match turned {
            true => format!("val x = input(turn, {wide}, rows).T"),
            false => format!("val x = input(turn, rows, {wide})"),
        };
        lines(2, &x);
        lines(2, &format!("val y = input(turn + 100, rows, {wide})"));
        for line in &self.before {
            lines(2, line);
        }
        let call = "(if captured: step(x, y) else: body(x, y).detach())";
        let shown = "seen.push(\"{turn} {given.reshape([-1]).to_list()}\")";
        match self.random.below(8) {
            // A block around each call, or around some of them.
            0 | 1 if self.place != Place::Native => {
                let on = self.one_of(&["true", "turn % 2 == 0", "turn > 12"]);
                lines(
                    2,
                    &format!("val given = with autocast(\"bf16\", enabled: {on}): {call}"),
                );
                lines(2, &shown.replace("given.", "given.float()."));
            }
            // One around several parts of the program, in which parameters change.
            2 if self.place != Place::Native => {
                lines(2, "autocast(\"bf16\"):");
                lines(3, "for _ in 0..2:");
                lines(4, "clear_autocast_cache()");
                lines(4, &format!("val given = {call}"));
                lines(4, &shown.replace("given.", "given.float()."));
            }
            _ => {
                lines(2, &format!("val given = {call}"));
                lines(2, shown);
            }
        }
        for line in &self.after {
            lines(2, line);
        }
        lines(
            1,
            "for w in weights + [state, count]: seen.push(\"{w.detach().reshape([-1]).to_list()}\")",
        );
        lines(1, "seen");
        code
    }
}
