// Runs the extension of VS Code with a stand-in for VS Code against the real language server, and prints what it shows.
"use strict";

const Module = require("module");
const [folder, command] = process.argv.slice(2);

class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range {
    constructor(a, b, c, d) { this.start = new Position(a, b); this.end = new Position(c, d); }
}
const simple = (...names) => class { constructor(...values) { names.forEach((name, at) => { this[name] = values[at]; }); } };
const registered = {};
const register = (name) => (selector, provider) => { registered[name] = provider; return {}; };
const events = {};
const on = (name) => (listener) => { events[name] = listener; return {}; };
const published = [];
const commands = [];
const document = {
    languageId: "simple",
    version: 1,
    uri: { toString: () => "file:///tmp/extension.spl", fsPath: "/tmp/extension.spl" },
    text: "## Adds.\nfn add(a: i64, b: i64 = 1) -> i64: a + b\nfn main():\n    val sum = add(2, 3)\n    print sum\n",
    getText() { return this.text; },
};
const vscode = {
    Position, Range,
    MarkdownString: simple("value"), Hover: simple("contents", "range"), Location: simple("uri", "range"),
    Diagnostic: simple("range", "message", "severity"), DiagnosticSeverity: { Error: 0, Warning: 1 },
    CompletionItem: simple("label", "kind"), CompletionList: simple("items", "isIncomplete"),
    SignatureHelp: simple(), SignatureInformation: simple("label", "documentation"), ParameterInformation: simple("label"),
    DocumentSymbol: simple("name", "detail", "kind", "range", "selectionRange"), FoldingRange: simple("start", "end"),
    TextEdit: { replace: (range, text) => ({ range, text }) }, InlayHint: simple("position", "label", "kind"),
    CodeAction: simple("title", "kind"), CodeActionKind: { QuickFix: "quickfix" },
    WorkspaceEdit: class { constructor() { this.changes = []; } replace(...one) { this.changes.push(one); } },
    DocumentHighlight: simple("range"), SemanticTokens: simple("data"), SemanticTokensLegend: simple("types", "modifiers"),
    Uri: { parse: (text) => ({ toString: () => text }) },
    languages: {
        createDiagnosticCollection: () => ({ set: (uri, list) => published.push(list) }),
        registerHoverProvider: register("hover"), registerDefinitionProvider: register("definition"),
        registerReferenceProvider: register("references"), registerDocumentHighlightProvider: register("highlights"),
        registerCompletionItemProvider: register("completion"), registerSignatureHelpProvider: register("signature"),
        registerDocumentSymbolProvider: register("symbols"), registerFoldingRangeProvider: register("folds"),
        registerDocumentFormattingEditProvider: register("format"), registerRenameProvider: register("rename"),
        registerCodeActionsProvider: register("actions"), registerInlayHintsProvider: register("hints"),
        registerDocumentSemanticTokensProvider: register("tokens"),
    },
    workspace: {
        getConfiguration: () => ({ get: () => command }), workspaceFolders: undefined, textDocuments: [document],
        onDidOpenTextDocument: on("open"), onDidChangeTextDocument: on("change"), onDidSaveTextDocument: on("save"),
        onDidCloseTextDocument: on("close"),
    },
    window: { showErrorMessage: (text) => { throw new Error(text); }, terminals: [] },
    commands: { registerCommand: (name) => { commands.push(name); return {}; } },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

async function main() {
    const extension = require(`${folder}/extension.js`);
    await extension.activate({ subscriptions: [] });
    const call = new Position(3, 16);
    const hover = await registered.hover.provideHover(document, call);
    console.log("hover", JSON.stringify(hover.contents.value));
    const help = await registered.signature.provideSignatureHelp(document, new Position(3, 21));
    console.log("signature", help.signatures[0].label, help.activeParameter, help.signatures[0].documentation.value);
    const place = await registered.definition.provideDefinition(document, call);
    console.log("definition", place.uri.toString(), place.range.start.line);
    const names = await registered.completion.provideCompletionItems(document, new Position(4, 12));
    console.log("completion", names.items.some((item) => item.label === "sum"));
    const hints = await registered.hints.provideInlayHints(document, new Range(0, 0, 5, 0));
    console.log("hints", hints.map((hint) => hint.label).join(" "));
    const tokens = await registered.tokens.provideDocumentSemanticTokens(document);
    console.log("tokens", tokens.data.length % 5, tokens.data.length > 40);
    const symbols = await registered.symbols.provideDocumentSymbols(document);
    console.log("symbols", symbols.map((symbol) => symbol.name).join(" "));
    const edit = await registered.rename.provideRenameEdits(document, new Position(3, 9), "total");
    console.log("rename", edit.changes.length);
    console.log("format", (await registered.format.provideDocumentFormattingEdits(document)).length);
    // A change of one character makes a mistake, whose fix is offered.
    document.version = 2;
    events.change({ document, contentChanges: [{ range: new Range(4, 10, 4, 13), text: "summ" }] });
    await registered.hover.provideHover(document, call);
    const last = published[published.length - 1];
    console.log("diagnostics", last.map((one) => `${one.code} ${one.severity}`).join(" "));
    const actions = await registered.actions.provideCodeActions(document, new Range(4, 10, 4, 14));
    console.log("actions", actions.map((action) => action.title).join(" | "));
    console.log("commands", commands.join(" "));
    await extension.deactivate();
}

main().catch((error) => { console.error(error); process.exit(1); });
