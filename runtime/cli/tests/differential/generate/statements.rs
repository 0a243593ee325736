//! Statements, and the blocks that they make.

use super::{Generator, T, Var};

impl Generator<'_> {
    pub(super) fn block(&mut self, depth: usize) {
        self.indent += 1;
        let kept = self.vars.len();
        self.block_inside(depth);
        self.vars.truncate(kept);
        self.indent -= 1;
    }

    pub(super) fn block_inside(&mut self, depth: usize) {
        let before = self.out.len();
        self.statements(depth);
        if self.out.len() == before {
            self.line("pass");
        }
    }

    pub(super) fn statements(&mut self, depth: usize) {
        let count = 1 + self.pick(5);
        for _ in 0..count {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            if !self.statement(depth) {
                return;
            }
        }
    }

    /// Whether more statements may follow.
    fn statement(&mut self, depth: usize) -> bool {
        let nested = depth < 3;
        match self.pick(23) {
            0..=3 => self.binding(),
            4 | 5 => self.assign(),
            6 | 7 => self.update(),
            8 if nested => self.if_statement(depth),
            9 if nested && self.loops < 2 => self.for_range(depth),
            10 if nested && self.loops < 2 => self.for_array(depth),
            11 if nested && self.loops < 2 => self.while_loop(depth),
            12 if nested => self.match_statement(depth),
            13 if nested => self.if_val(depth),
            14 => {
                let value = self.expr(T::Text, 2);
                self.line(&format!("defer note({value})"));
            }
            15 if self.loops > 0 && !self.leaving => {
                let cond = self.expr(T::Bool, 2);
                let word = ["break", "continue"][self.pick(2)];
                self.line(&format!("if {cond}: {word}"));
            }
            16 if self.indent > 1 && self.ret != T::Bool && !self.leaving => {
                let cond = self.expr(T::Bool, 2);
                let value = self.kept(self.ret, 2);
                self.line(&format!("if {cond}: return {value}"));
            }
            17 => {
                let value = self.expr(T::Text, 2);
                self.line(&format!("note({value})"));
            }
            18 => self.destructure(),
            19 if nested && self.loops < 2 => self.for_dict(depth),
            20 | 21 if nested => self.try_statement(depth),
            _ => {
                let ty = self.ty();
                let value = self.kept(ty, 3);
                let name = self.fresh();
                self.line(&format!("val {name}: {} = {value}", ty.name()));
                self.show(&name, ty);
                self.vars.push(Var {
                    name,
                    ty,
                    mutable: false,
                });
            }
        }
        true
    }

    fn binding(&mut self) {
        let ty = self.ty();
        let value = self.kept(ty, 3);
        let name = self.fresh();
        let mutable = self.pick(3) != 0;
        let word = if mutable { "var" } else { "val" };
        self.line(&format!("{word} {name}: {} = {value}", ty.name()));
        self.vars.push(Var { name, ty, mutable });
    }

    fn destructure(&mut self) {
        let value = self.expr(T::Pair, 2);
        let (a, b) = (self.fresh(), self.fresh());
        self.line(&format!("val ({a}, {b}) = {value}"));
        for (name, ty) in [(a, T::Int), (b, T::Text)] {
            self.vars.push(Var {
                name,
                ty,
                mutable: false,
            });
        }
    }

    fn assign(&mut self) {
        let ty = self.ty();
        let Some(name) = self.var_of(ty, true) else {
            return self.binding();
        };
        match ty {
            T::Int if self.pick(2) == 0 => {
                let value = self.expr(T::Int, 2);
                let op = ["+=", "-=", "="][self.pick(3)];
                self.line(&format!("{name} {op} {value}"));
                self.line(&format!("{name} %= 10007"));
            }
            T::Text => {
                let value = self.expr(T::Text, 2);
                self.line(&format!("if {name}.len() < 60: {name} += {value}"));
            }
            _ => {
                let value = self.kept(ty, 3);
                self.line(&format!("{name} = {value}"));
            }
        }
    }

    /// A change inside a collection, a struct or an object.
    fn update(&mut self) {
        let line = match self.pick(8) {
            0 => self.var_of(T::Ints, true).map(|v| {
                let value = self.expr(T::Int, 2);
                format!("if {v}.len() < 30: {v}.push({value})")
            }),
            1 => self.var_of(T::Ints, true).map(|v| {
                let (at, value) = (self.expr(T::Int, 1), self.expr(T::Int, 2));
                format!("{v}[{at} % 4] = {value}")
            }),
            2 => self.var_of(T::Point, true).map(|v| {
                let value = self.expr(T::Int, 2);
                format!("{v}.shift({value} % 500)")
            }),
            3 => self.var_of(T::Node, false).map(|v| {
                let value = self.expr(T::Int, 2);
                format!("if {v}.items.len() < 30: {v}.grow({value} % 500)")
            }),
            4 => self.var_of(T::Points, true).map(|v| {
                let value = self.expr(T::Int, 2);
                format!("{v}[0].x = {value}")
            }),
            5 => self.var_of(T::Texts, true).map(|v| {
                let value = self.expr(T::Text, 2);
                format!("if {v}.len() < 20: {v}.push({value})")
            }),
            6 => self.var_of(T::Counts, true).map(|v| {
                let (key, value) = (self.expr(T::Text, 1), self.expr(T::Int, 2));
                format!("{v}[{key}] = {value}")
            }),
            _ => self.var_of(T::Node, false).map(|v| {
                // Links go to new objects alone, so that no cycle comes about.
                let value = self.expr(T::Int, 1);
                format!("{v}.next = Node(value: {value} % 900)")
            }),
        };
        match line {
            Some(line) => self.line(&line),
            None => self.binding(),
        }
    }

    fn if_statement(&mut self, depth: usize) {
        let cond = self.expr(T::Bool, 3);
        self.line(&format!("if {cond}:"));
        self.block(depth + 1);
        if self.pick(3) == 0 {
            let cond = self.expr(T::Bool, 2);
            self.line(&format!("elif {cond}:"));
            self.block(depth + 1);
        }
        if self.pick(2) == 0 {
            self.line("else:");
            self.block(depth + 1);
        }
    }

    fn for_range(&mut self, depth: usize) {
        let name = self.fresh();
        let end = match self.pick(4) {
            0 => match self.var_of(T::Ints, false) {
                Some(v) => format!("0..{v}.len()"),
                None => "0..3".into(),
            },
            1 => "1..=4".into(),
            2 => format!("{}..5", self.expr(T::Int, 1)),
            _ => format!("0..{}", 1 + self.pick(6)),
        };
        // A start far below the end would run forever; `bounded` keeps it near.
        let header = if end.ends_with("..5") {
            format!("for {name} in max_of({}, -3)..5:", &end[..end.len() - 3])
        } else {
            format!("for {name} in {end}:")
        };
        self.line(&header);
        self.in_loop(name, T::Int, depth);
    }

    fn for_array(&mut self, depth: usize) {
        let name = self.fresh();
        let (list, ty) = match self.pick(3) {
            0 => (T::Ints, T::Int),
            1 => (T::Texts, T::Text),
            _ => (T::Points, T::Point),
        };
        let value = self.expr(list, 2);
        self.line(&format!("for {name} in {value}:"));
        self.in_loop(name, ty, depth);
    }

    fn for_dict(&mut self, depth: usize) {
        let (key, value) = (self.fresh(), self.fresh());
        let counts = self.expr(T::Counts, 2);
        self.line(&format!("for {key}, {value} in {counts}:"));
        let kept = self.vars.len();
        for (name, ty) in [(key, T::Text), (value.clone(), T::Int)] {
            self.vars.push(Var {
                name,
                ty,
                mutable: false,
            });
        }
        self.in_loop(value, T::Int, depth);
        self.vars.truncate(kept);
    }

    fn try_statement(&mut self, depth: usize) {
        self.line("try:");
        self.block(depth + 1);
        if self.pick(4) == 0 {
            self.indent += 1;
            let what = self.expr(T::Text, 1);
            self.line(&format!("throw {what}"));
            self.indent -= 1;
        }
        let finally = self.pick(3);
        if finally != 2 {
            let name = self.fresh();
            self.line(&format!("catch {name}:"));
            self.indent += 1;
            self.line(&format!("note(\"{{{name}.line}} {{{name}.message}}\")"));
            self.indent -= 1;
        }
        if finally != 0 {
            self.line("finally:");
            let left = std::mem::replace(&mut self.leaving, true);
            self.block(depth + 1);
            self.leaving = left;
        }
    }

    fn while_loop(&mut self, depth: usize) {
        let name = self.fresh();
        let end = 1 + self.pick(6);
        let cond = self.expr(T::Bool, 1);
        self.line(&format!("var {name} = 0"));
        let join = ["and", "or"][self.pick(2)];
        if join == "and" {
            self.line(&format!("while {name} < {end} and {cond}:"));
        } else {
            self.line(&format!("while {name} < {end}:"));
        }
        self.indent += 1;
        self.line(&format!("{name} += 1"));
        self.indent -= 1;
        self.in_loop(name, T::Int, depth);
    }

    pub(super) fn in_loop(&mut self, name: String, ty: T, depth: usize) {
        let kept = self.vars.len();
        self.vars.push(Var {
            name,
            ty,
            mutable: false,
        });
        self.loops += 1;
        self.block(depth + 1);
        self.loops -= 1;
        self.vars.truncate(kept);
    }

    fn match_statement(&mut self, depth: usize) {
        let value = self.expr(T::Shape, 2);
        let (n, label) = (self.fresh(), self.fresh());
        self.line(&format!("match {value}:"));
        self.indent += 1;
        self.line("case Dot:");
        self.block(depth + 1);
        self.line(&format!("case Line({n}):"));
        self.arm(&[(n.clone(), T::Int)], depth);
        if self.pick(2) == 0 {
            self.line(&format!("case Named({label}, {n}) if {n} > 4:"));
            self.arm(&[(n.clone(), T::Int), (label.clone(), T::Text)], depth);
            self.line("case _:");
            self.block(depth + 1);
        } else {
            self.line(&format!("case Named({label}, {n}):"));
            self.arm(&[(n, T::Int), (label, T::Text)], depth);
        }
        self.indent -= 1;
    }

    fn arm(&mut self, bound: &[(String, T)], depth: usize) {
        let kept = self.vars.len();
        for (name, ty) in bound {
            self.vars.push(Var {
                name: name.clone(),
                ty: *ty,
                mutable: false,
            });
        }
        self.block(depth + 1);
        self.vars.truncate(kept);
    }

    fn if_val(&mut self, depth: usize) {
        let name = self.fresh();
        let (from, ty) = if self.pick(2) == 0 {
            (T::MaybeInt, T::Int)
        } else {
            (T::MaybeNode, T::Node)
        };
        let value = self.expr(from, 2);
        self.line(&format!("if val {name} = {value}:"));
        self.arm(&[(name, ty)], depth);
        if self.pick(2) == 0 {
            self.line("else:");
            self.block(depth + 1);
        }
    }
}
