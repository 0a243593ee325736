//! The text of bindings: head, types, constants, functions, and the list of what is not bound.

use crate::Options;
use crate::module::{Item, Module, Named};
use std::fmt::Write;

/// What the head says about the rules, for who edits the file.
const RULES: &str = "\
The header does not say everything. What was assumed, to be edited where it is wrong:
- Any address may be NULL, so types end in `?`. Without it the call refuses NULL. `const char *` is a C string.
- `T **` is `out` if it is the last parameter or its name says so, unless the name of the function says that it frees.
- What only the library looks into is an `extern type`; `@frees(...)` above it frees it at its last use.
- Functions that C calls are called before the call is over; what C keeps is a `Callback<fn(...)>`.
- `Ptr<()>` leads to anything: `void`, numbers that Simple does not have, functions. A field for a function holds the `address()`
  of a `Callback`.
`simple bind --check FILE` makes this file again from the lines above and says what is different.";

/// The whole module.
pub fn module(module: &Module, options: &Options) -> String {
    let mut out = format!(
        "# Bindings, made by `simple bind`.\n#\n# {}\n#\n",
        options.lines().join("\n# ")
    );
    for line in RULES.lines() {
        let _ = writeln!(out, "# {line}");
    }
    for named in &module.types {
        out.push('\n');
        item(&mut out, named, options);
    }
    let mut documented = true;
    for named in &module.constants {
        // Those without documentation are one block.
        if documented || named.docs.is_some() {
            out.push('\n');
        }
        documented = named.docs.is_some();
        item(&mut out, named, options);
    }
    for named in &module.functions {
        out.push('\n');
        item(&mut out, named, options);
    }
    if !module.unbound.is_empty() {
        out.push_str("\n# Not bound:\n");
    }
    for (unbound, place) in module.unbound.iter().zip(&module.places) {
        let _ = writeln!(out, "# {place}: {}: {}", unbound.name, unbound.reason.words);
    }
    out
}

fn item(out: &mut String, named: &Named, options: &Options) {
    docs(out, "", named.docs.as_deref());
    let name = &named.name;
    let _ = match &named.item {
        Item::Const { ty, value } => writeln!(out, "const {name}: {ty} = {value}"),
        Item::Opaque => writeln!(out, "extern type {name}"),
        Item::Alias(ty) => writeln!(out, "type {name} = {ty}"),
        Item::Record { union, fields } => {
            let argument = if *union { "(\"union\")" } else { "" };
            let default = if *union { " = nil" } else { "" };
            let _ = writeln!(out, "@c{argument}\nstruct {name}:");
            for (field, ty, said) in fields {
                docs(out, "    ", said.as_deref());
                let _ = writeln!(out, "    {field}: {ty}{default}");
            }
            Ok(())
        }
        Item::Enum(variants) => {
            let _ = writeln!(out, "@c\nenum {name}:");
            for (variant, value, said) in variants {
                docs(out, "    ", said.as_deref());
                let _ = writeln!(out, "    {variant} = {value}");
            }
            Ok(())
        }
        Item::Function {
            symbol,
            params,
            variadic,
            result,
        } => {
            let mut written: Vec<String> = params
                .iter()
                .map(|param| {
                    let out = if param.out { "out " } else { "" };
                    format!("{out}{}: {}", param.name, param.ty)
                })
                .collect();
            if *variadic {
                written.push("...".to_owned());
            }
            let result = result
                .as_ref()
                .map_or(String::new(), |ty| format!(" -> {ty}"));
            library(out, symbol.as_deref(), options);
            writeln!(out, "extern fn {name}({}){result}", written.join(", "))
        }
        Item::Variable {
            symbol,
            ty,
            mutable,
        } => {
            library(out, symbol.as_deref(), options);
            let word = if *mutable { "var" } else { "val" };
            writeln!(out, "extern {word} {name}: {ty}")
        }
    };
}

fn library(out: &mut String, symbol: Option<&str>, options: &Options) {
    let symbol = symbol.map_or(String::new(), |symbol| format!(", symbol: \"{symbol}\""));
    let _ = writeln!(out, "@Lib(\"{}\"{symbol})", options.lib);
}

fn docs(out: &mut String, indent: &str, docs: Option<&str>) {
    for line in docs.unwrap_or_default().lines() {
        let _ = writeln!(out, "{indent}## {line}").map(|()| {
            if line.is_empty() {
                out.truncate(out.len() - 2);
                out.push('\n');
            }
        });
    }
}
