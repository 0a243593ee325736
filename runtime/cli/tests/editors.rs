//! The grammars and the extension in `doc/editors`: no keyword is missing, patterns can be read, and the extension shows
//! what the language server answers.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(file: &str) -> String {
    std::fs::read_to_string(home().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The keywords of the lexer, by its own list.
fn keywords() -> Vec<String> {
    let text = read("runtime/syntax/src/lexer/token.rs");
    let list = text
        .split("keywords {\n")
        .nth(1)
        .and_then(|rest| rest.split('}').next());
    let words = list.expect("the list").split('"').skip(1).step_by(2);
    words.map(str::to_owned).collect()
}

/// Every pattern of a grammar.
fn patterns(value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str() {
                    Some(text) if matches!(name.as_str(), "match" | "begin" | "end") => {
                        found.push(text.to_owned())
                    }
                    _ => patterns(value, found),
                }
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| patterns(item, found)),
        _ => {}
    }
}

fn words_of(text: &str) -> std::collections::HashSet<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect()
}

#[test]
fn the_grammars_know_every_keyword() {
    let keywords = keywords();
    assert!(keywords.len() > 50, "{keywords:?}");
    let grammar = read("doc/editors/vscode/syntaxes/simple.tmLanguage.json");
    let vim = read("doc/editors/vim/syntax/simple.vim");
    for (name, text) in [("TextMate", &grammar), ("vim", &vim)] {
        // The `b` of `\\b` before a word does not belong to it.
        let text = text.replace("\\\\b", " ");
        let known = words_of(&text);
        let missing: Vec<&String> = keywords
            .iter()
            .filter(|word| !known.contains(word.as_str()))
            .collect();
        assert!(missing.is_empty(), "{name} lacks {missing:?}");
    }
}

#[test]
fn what_the_extension_names_is_there() {
    let folder = home().join("doc/editors/vscode");
    let package: serde_json::Value =
        serde_json::from_str(&read("doc/editors/vscode/package.json")).expect("JSON");
    let contributes = &package["contributes"];
    let files = [
        &package["main"],
        &contributes["languages"][0]["configuration"],
        &contributes["grammars"][0]["path"],
    ];
    for file in files {
        assert!(
            folder.join(file.as_str().expect("a path")).is_file(),
            "{file}"
        );
    }
    let settings = read("doc/editors/vscode/language-configuration.json");
    assert!(serde_json::from_str::<serde_json::Value>(&settings).is_ok());
}

fn node(words: &[&str]) -> Option<String> {
    let output = Command::new("node")
        .args(words)
        .env("SIMPLE_HOME", home())
        .env("SIMPLE_DL_BACKEND", "native")
        .stdin(Stdio::null())
        .output();
    let Ok(output) = output else {
        eprintln!("without node the scripts are not run");
        return None;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn patterns_are_regular_expressions() {
    let grammar = read("doc/editors/vscode/syntaxes/simple.tmLanguage.json");
    let mut found = Vec::new();
    patterns(&serde_json::from_str(&grammar).expect("JSON"), &mut found);
    assert!(found.len() > 25);
    let list = serde_json::to_string(&found).expect("JSON");
    // The end of a line may end a text, so those patterns fit an empty text.
    let script = format!(
        "for (const one of {list}) if (new RegExp(one).test('') && !one.endsWith('|$')) console.log(one)"
    );
    if let Some(said) = node(&["-e", &script]) {
        assert_eq!(said, "", "what fits an empty text never ends");
    }
}

#[test]
fn the_extension_shows_what_the_server_answers() {
    let folder = home().join("doc/editors/vscode");
    let script = home().join("runtime/cli/tests/editors/vscode.js");
    let words = [&script, &folder, Path::new(env!("CARGO_BIN_EXE_simple"))]
        .map(|path| path.display().to_string());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some(shown) = node(&words) else {
        return;
    };
    let expected = [
        "hover \"```simple\\nfn add(a: i64, b: i64 = 1) -> i64\\n```\\n\\nAdds.\"",
        "signature fn add(a: i64, b: i64 = 1) -> i64 1 Adds.",
        "definition file:///tmp/extension.spl 1",
        "completion true",
        "hints : i64",
        "tokens 0 true",
        "symbols add main",
        "rename 2",
        "format 0",
        "diagnostics E0201 0",
    ];
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[..expected.len()], expected);
    assert!(lines[expected.len()].contains("sum"), "{shown}");
    assert_eq!(
        lines[expected.len() + 1],
        "commands simple.run simple.test simple.restart"
    );
}
