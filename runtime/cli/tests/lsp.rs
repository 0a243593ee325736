//! `simple lsp`, driven as an editor drives it: over its standard input and output.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// An editor with one server.
struct Editor {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    folder: tempfile::TempDir,
    number: u64,
    /// What was published last about each file.
    published: std::collections::HashMap<String, Value>,
}

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Editor {
    fn new() -> Editor {
        let folder = tempfile::tempdir().expect("a folder");
        let mut server = Command::new(env!("CARGO_BIN_EXE_simple"))
            .arg("lsp")
            .current_dir(folder.path())
            .env("SIMPLE_HOME", home())
            .env("SIMPLE_DL_BACKEND", "native")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = server.stdin.take().expect("an input");
        let output = BufReader::new(server.stdout.take().expect("an output"));
        let mut editor = Editor {
            server,
            input,
            output,
            folder,
            number: 0,
            published: std::collections::HashMap::new(),
        };
        let about = editor.ask("initialize", json!({"capabilities": {}}));
        assert_eq!(about["capabilities"]["positionEncoding"], "utf-16");
        editor.tell("initialized", json!({}));
        editor
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.folder.path().join(name).display())
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it listens");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(
                self.output.read_line(&mut line).expect("a line") > 0,
                "the server has ended"
            );
            match line.trim_end().split_once(": ") {
                Some((_, value)) => length = value.parse().expect("a length"),
                None => break,
            }
        }
        let mut content = vec![0; length];
        self.output.read_exact(&mut content).expect("a message");
        serde_json::from_slice(&content).expect("JSON")
    }

    /// The answer to a request; what is published before it is kept.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let id = self.number;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["method"] == "textDocument/publishDiagnostics" {
                let uri = message["params"]["uri"]
                    .as_str()
                    .expect("a file")
                    .to_owned();
                self.published.insert(uri, message["params"].clone());
            }
            if message["id"] == id {
                return message;
            }
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    fn open(&mut self, name: &str, text: &str) {
        let document =
            json!({"uri": self.uri(name), "languageId": "simple", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn change(&mut self, name: &str, version: u64, text: &str) {
        let document = json!({"uri": self.uri(name), "version": version});
        self.tell(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": [{"text": text}]}),
        );
    }

    /// Asks about the place of `mark` in `text`, which is the first character of it.
    fn about(&mut self, method: &str, name: &str, text: &str, mark: &str) -> Value {
        let mut params = place(text, mark);
        params["textDocument"] = json!({"uri": self.uri(name)});
        self.ask(method, params)
    }

    fn said(&mut self, name: &str) -> Vec<String> {
        // A hover is about the newest text, so the reports are there before the answer.
        let uri = self.uri(name);
        let start = json!({"line": 0, "character": 0});
        self.ask(
            "textDocument/hover",
            json!({"textDocument": {"uri": uri}, "position": start}),
        );
        let uri = self.uri(name);
        let all = self.published[&uri]["diagnostics"]
            .as_array()
            .expect("a list");
        let one = |d: &Value| {
            let line = d["range"]["start"]["line"].as_u64().unwrap_or(0);
            let message = d["message"].as_str().unwrap_or_default();
            format!(
                "{line} {} {}",
                d["code"].as_str().unwrap_or("-"),
                message.lines().next().unwrap_or("")
            )
        };
        all.iter().map(one).collect()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // A test that has failed leaves no server.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn place(text: &str, mark: &str) -> Value {
    let at = text
        .find(mark)
        .unwrap_or_else(|| panic!("no `{mark}` in the text"));
    let line = text[..at].matches('\n').count();
    let character = text[..at]
        .rsplit('\n')
        .next()
        .unwrap_or("")
        .encode_utf16()
        .count();
    json!({"position": {"line": line, "character": character}})
}

fn labels(answer: &Value) -> Vec<&str> {
    let items = answer["items"].as_array().expect("a list");
    items
        .iter()
        .filter_map(|item| item["label"].as_str())
        .collect()
}

const SHAPES: &str = "\
## The area of a rectangle.
fn area(width: f64, height: f64) -> f64: width * height

class Room:
    width: f64
    height: f64 = 2.0
    fn size() -> f64: area(width, height)

fn main():
    val room = Room(3.0)
    val total = room.size() + area(1.0, 2.0)
    print total
";

#[test]
fn mistakes_are_reported_while_one_types_and_advice_can_be_taken() {
    let mut editor = Editor::new();
    editor.open("a.spl", "val counts = [1, 2]\nprint cuonts.len()\n");
    assert_eq!(editor.said("a.spl"), ["1 E0201 unknown name `cuonts`"]);
    let uri = editor.uri("a.spl");
    let range = json!({"start": {"line": 1, "character": 6}, "end": {"line": 1, "character": 6}});
    let actions = editor.ask(
        "textDocument/codeAction",
        json!({"textDocument": {"uri": uri}, "range": range, "context": {"diagnostics": []}}),
    );
    assert_eq!(actions[0]["title"], "Replace it with `counts`");
    assert_eq!(actions[0]["edit"]["changes"][&uri][0]["newText"], "counts");
    editor.change("a.spl", 2, "val counts = [1, 2]\nprint counts.len()\n");
    assert!(editor.said("a.spl").is_empty());
    assert_eq!(editor.published[&uri]["version"], 2);
}

#[test]
fn an_open_file_is_imported_as_it_is_in_the_editor() {
    let mut editor = Editor::new();
    std::fs::write(
        editor.folder.path().join("part.spl"),
        "fn half(n: i64) -> i64: n / 2\n",
    )
    .expect("a file");
    editor.open("main.spl", "use part.{half}\nprint half(4)\n");
    assert!(editor.said("main.spl").is_empty());
    editor.open("part.spl", "fn half(n: text) -> text: n\n");
    assert_eq!(
        editor.said("main.spl"),
        ["1 E0301 the argument `n` has the wrong type"]
    );
}

#[test]
fn places_know_their_type_their_declaration_and_their_uses() {
    let mut editor = Editor::new();
    editor.open("shapes.spl", SHAPES);
    assert!(editor.said("shapes.spl").is_empty());
    let hover = editor.about("textDocument/hover", "shapes.spl", SHAPES, "area(1.0");
    let text = hover["contents"]["value"].as_str().expect("a text");
    assert!(
        text.contains("fn area(width: f64, height: f64) -> f64"),
        "{text}"
    );
    assert!(text.contains("The area of a rectangle."), "{text}");
    let hover = editor.about("textDocument/hover", "shapes.spl", SHAPES, "room.size");
    assert_eq!(hover["contents"]["value"], "```simple\nroom: Room\n```");

    let line = |answer: &Value| answer["range"]["start"]["line"].as_u64();
    let found = editor.about("textDocument/definition", "shapes.spl", SHAPES, "area(1.0");
    assert_eq!(line(&found), Some(1));
    let found = editor.about("textDocument/definition", "shapes.spl", SHAPES, "room.size");
    assert_eq!(line(&found), Some(9));
    let found = editor.about("textDocument/definition", "shapes.spl", SHAPES, "Room(3.0");
    assert_eq!(line(&found), Some(3));

    let uses = editor.about("textDocument/references", "shapes.spl", SHAPES, "area(1.0");
    let lines: Vec<Option<u64>> = uses.as_array().expect("a list").iter().map(line).collect();
    assert_eq!(lines, [Some(1), Some(6), Some(10)]);
}

#[test]
fn a_variable_is_renamed_everywhere_and_a_function_is_not() {
    let mut editor = Editor::new();
    editor.open("shapes.spl", SHAPES);
    let mut params = place(SHAPES, "total = ");
    params["textDocument"] = json!({"uri": editor.uri("shapes.spl")});
    params["newName"] = json!("sum");
    let edit = editor.ask("textDocument/rename", params.clone());
    let edits = edit["changes"][editor.uri("shapes.spl")]
        .as_array()
        .expect("a list")
        .len();
    assert_eq!(edits, 2);
    params["position"] = place(SHAPES, "area(1.0")["position"].clone();
    assert_eq!(editor.ask("textDocument/rename", params), Value::Null);
}

#[test]
fn names_are_completed_members_arguments_and_imports_too() {
    let mut editor = Editor::new();
    let text = format!("{SHAPES}    print room.wi\n    print to\n");
    editor.open("shapes.spl", &text);
    let ask = |editor: &mut Editor, mark: &str, after: usize| {
        let mut params = place(&text, mark);
        let character = params["position"]["character"].as_u64().expect("a number");
        params["position"]["character"] = json!(character + after as u64);
        params["textDocument"] = json!({"uri": editor.uri("shapes.spl")});
        editor.ask("textDocument/completion", params)
    };
    let found = ask(&mut editor, "room.wi", 5);
    assert!(
        ["height", "size", "width"]
            .iter()
            .all(|name| labels(&found).contains(name)),
        "{found}"
    );
    let found = ask(&mut editor, "room.wi", 7);
    assert_eq!(labels(&found), ["width"]);
    let found = ask(&mut editor, "print to\n", 8);
    assert!(labels(&found).contains(&"total"), "{found}");

    editor.open("use.spl", "use std.math.{sq}\n");
    let found = editor.about(
        "textDocument/completion",
        "use.spl",
        "use std.math.{sq}\n",
        "}",
    );
    assert!(labels(&found).contains(&"sqrt"), "{found}");
}

#[test]
fn a_text_that_does_not_compile_still_has_answers() {
    let mut editor = Editor::new();
    editor.open("shapes.spl", SHAPES);
    assert!(editor.said("shapes.spl").is_empty());
    let broken = SHAPES.replace("    print total", "    val x = (\n    print total");
    editor.change("shapes.spl", 2, &broken);
    assert!(!editor.said("shapes.spl").is_empty());
    let hover = editor.about("textDocument/hover", "shapes.spl", &broken, "room.size");
    assert_eq!(hover["contents"]["value"], "```simple\nroom: Room\n```");
    let hover = editor.about("textDocument/hover", "shapes.spl", &broken, "total\n");
    assert_eq!(hover["contents"]["value"], "```simple\ntotal: f64\n```");
}

#[test]
fn a_file_has_symbols_folds_and_types_beside_its_names() {
    let mut editor = Editor::new();
    editor.open("shapes.spl", SHAPES);
    let document = json!({"textDocument": {"uri": editor.uri("shapes.spl")}});
    let symbols = editor.ask("textDocument/documentSymbol", document.clone());
    let names: Vec<&str> = symbols
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|s| s["name"].as_str())
        .collect();
    assert_eq!(names, ["area", "Room", "main"]);
    assert_eq!(symbols[1]["children"].as_array().map(Vec::len), Some(3));
    let folds = editor.ask("textDocument/foldingRange", document);
    assert!(
        folds.as_array().is_some_and(|folds| folds.len() >= 2),
        "{folds}"
    );
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let hints = editor.ask(
        "textDocument/inlayHint",
        json!({"textDocument": {"uri": editor.uri("shapes.spl")}, "range": range}),
    );
    let shown: Vec<&str> = hints
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|h| h["label"].as_str())
        .collect();
    assert_eq!(shown, [": Room", ": f64"]);
}

#[test]
fn a_file_is_formatted_unless_it_does_not_parse() {
    let mut editor = Editor::new();
    editor.open("a.spl", "val x=1\nprint   x\n");
    let document = json!({"textDocument": {"uri": editor.uri("a.spl")}, "options": {"tabSize": 4}});
    let edits = editor.ask("textDocument/formatting", document.clone());
    assert_eq!(edits[0]["newText"], "val x = 1\nprint x\n");
    editor.change("a.spl", 2, "val x = (\n");
    assert_eq!(editor.ask("textDocument/formatting", document), json!([]));
}

#[test]
fn random_edits_neither_end_the_server_nor_leave_old_reports() {
    let mut editor = Editor::new();
    editor.open("shapes.spl", SHAPES);
    let mut text = SHAPES.to_owned();
    let mut state = 12345u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % below.max(1)
    };
    let pieces = [
        "(",
        ")",
        ":",
        "\n",
        "    ",
        "val ",
        "fn ",
        "\"",
        "{",
        ".",
        "room",
        "ü",
        "[",
        "class X:\n",
    ];
    for step in 0..150u64 {
        let at = random(text.len() + 1);
        let at = (0..=at)
            .rev()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(0);
        if random(3) == 0 {
            let end = (at + random(8)).min(text.len());
            let end = (end..=text.len())
                .find(|at| text.is_char_boundary(*at))
                .unwrap_or(text.len());
            text.replace_range(at..end, "");
        } else {
            text.insert_str(at, pieces[random(pieces.len())]);
        }
        editor.change("shapes.spl", step + 2, &text);
        let line = random(text.lines().count());
        let position = json!({"line": line, "character": random(30)});
        let params =
            json!({"textDocument": {"uri": editor.uri("shapes.spl")}, "position": position});
        let method = [
            "textDocument/hover",
            "textDocument/completion",
            "textDocument/definition",
            "textDocument/references",
        ][random(4)];
        editor.ask(method, params);
        editor.said("shapes.spl");
        let uri = editor.uri("shapes.spl");
        assert_eq!(editor.published[&uri]["version"], step + 2);
    }
    editor.change("shapes.spl", 1000, SHAPES);
    assert!(editor.said("shapes.spl").is_empty());
}

#[test]
fn what_is_not_understood_is_said_and_the_end_has_an_exit_code() {
    let mut editor = Editor::new();
    let answer = editor.request("simple/unknown", json!({}));
    assert_eq!(answer["error"]["code"], -32601);
    let text = "this is not JSON";
    write!(editor.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it listens");
    assert_eq!(editor.receive()["error"]["code"], -32700);
    assert_eq!(editor.ask("shutdown", json!(null)), Value::Null);
    editor.tell("exit", json!(null));
    assert_eq!(editor.server.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_call_says_what_it_takes_while_it_is_typed() {
    let mut editor = Editor::new();
    let start = "## Adds.\nfn add(a: i64, b: i64 = 1) -> i64: a + b\n\nclass Box:\n    size: i64\n    ## Grows.\n    fn grow(by: i64, times: i64 = 1) -> i64: size + by * times\n\nfn main():\n    val one = Box(1)\n    print add(2, 3), one.grow(2)\n";
    editor.open("calls.spl", start);
    assert_eq!(editor.said("calls.spl"), Vec::<String>::new());
    let mut version = 1;
    // The heads, the number of the parameter, and the comment, with this line at the end.
    let mut help = |editor: &mut Editor, line: &str| -> (Vec<String>, Value, Value) {
        version += 1;
        let text = format!("{start}    {line}\n");
        editor.change("calls.spl", version, &text.replace('|', ""));
        let answer = editor.about("textDocument/signatureHelp", "calls.spl", &text, "|");
        let all = answer["signatures"].as_array().cloned().unwrap_or_default();
        let labels = all
            .iter()
            .map(|one| one["label"].as_str().unwrap_or_default().to_owned());
        let docs = all
            .first()
            .map_or(Value::Null, |one| one["documentation"]["value"].clone());
        (labels.collect(), answer["activeParameter"].clone(), docs)
    };
    let (labels, active, docs) = help(&mut editor, "print add(1, |");
    assert_eq!(labels, ["fn add(a: i64, b: i64 = 1) -> i64"]);
    assert_eq!((active, docs), (json!(1), json!("Adds.")));
    let (labels, active, _) = help(&mut editor, "print add(b: |");
    assert_eq!((labels.len(), active), (1, json!(1)));
    let (labels, active, docs) = help(&mut editor, "print one.grow(|");
    assert_eq!(labels, ["fn grow(by: i64, times: i64 = 1) -> i64"]);
    assert_eq!((active, docs), (json!(0), json!("Grows.")));
    assert_eq!(help(&mut editor, "val two = Box(|").0, ["Box(size: i64)"]);
    assert!(help(&mut editor, "print (1, |").0.is_empty());
    assert!(help(&mut editor, "print nothing(|").0.is_empty());
}

#[test]
fn names_have_the_colour_of_what_they_are() {
    let mut editor = Editor::new();
    let text = "use std.math.{sqrt}\nval limit = 3\nclass Box:\n    size: i64\n    fn grow(by: i64) -> i64: size + by\nfn main():\n    var n = limit\n    n += Box(size: 1).grow(n)\n    val é = \"text\"\n    print sqrt(4.0), é, n\n";
    editor.open("names.spl", text);
    let document = json!({"textDocument": {"uri": editor.uri("names.spl")}});
    let answer = editor.ask("textDocument/semanticTokens/full", document);
    let numbers: Vec<u64> = answer["data"]
        .as_array()
        .expect("numbers")
        .iter()
        .map(|one| one.as_u64().expect("a number"))
        .collect();
    let kinds = [
        "namespace",
        "type",
        "class",
        "enum",
        "struct",
        "parameter",
        "variable",
        "property",
        "function",
        "method",
    ];
    let lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
    let (mut line, mut column, mut found) = (0, 0, Vec::new());
    for token in numbers.chunks(5) {
        column = if token[0] == 0 {
            column + token[1]
        } else {
            token[1]
        };
        line += token[0];
        let (from, to) = (column as usize, (column + token[2]) as usize);
        let name: String = lines[line as usize][from..to].iter().collect();
        let readonly = if token[4] & 2 > 0 { " readonly" } else { "" };
        let declaration = if token[4] & 1 > 0 { " declaration" } else { "" };
        found.push(format!(
            "{name} {}{declaration}{readonly}",
            kinds[token[3] as usize]
        ));
    }
    let expected = [
        "std namespace",
        "math namespace",
        "sqrt variable",
        "limit variable",
        "Box class declaration",
        "size property declaration",
        "i64 type",
        "grow function declaration",
        "by parameter readonly",
        "i64 type",
        "i64 type",
        "size property",
        "by parameter readonly",
        "main function declaration",
        "n variable",
        "limit variable",
        "n variable",
        "Box class",
        "size parameter",
        "grow method",
        "n variable",
        "é variable readonly",
        "print function",
        "sqrt function",
        "é variable readonly",
        "n variable",
    ];
    assert_eq!(found, expected);
}

#[test]
fn tensors_show_the_shapes_that_are_known() {
    let mut editor = Editor::new();
    let text = "use lib.tensor.{Tensor}\nfn pair<T>(x: T) -> T: x\nfn main():\n    val a = Tensor.zeros([2, 3])\n    val b = a @ Tensor.ones([3, 4])\n    val other = Tensor.zeros([pair(2), 5])\n    print b.sum(0), other\n";
    editor.open("shapes.spl", text);
    let shown = |editor: &mut Editor, mark: &str| {
        let answer = editor.about("textDocument/hover", "shapes.spl", text, mark);
        answer["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(
        shown(&mut editor, "a = "),
        "```simple\na: Tensor\n```\n\nshape `[2, 3]`"
    );
    assert_eq!(
        shown(&mut editor, "b = "),
        "```simple\nb: Tensor\n```\n\nshape `[2, 4]`"
    );
    assert!(
        shown(&mut editor, "sum(0)").contains("shape `[4]`"),
        "{}",
        shown(&mut editor, "sum(0)")
    );
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}});
    let hints = editor.ask(
        "textDocument/inlayHint",
        json!({"textDocument": {"uri": editor.uri("shapes.spl")}, "range": range}),
    );
    let labels: Vec<&str> = hints
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|hint| hint["label"].as_str())
        .collect();
    assert_eq!(labels[..2], [": Tensor [2, 3]", ": Tensor [2, 4]"]);
    assert!(labels[2].starts_with(": Tensor"), "{labels:?}");
}
