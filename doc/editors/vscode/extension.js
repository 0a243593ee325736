// The extension of VS Code: starts `simple lsp` and passes on what it answers. It needs no other packages.
"use strict";

const vscode = require("vscode");
const { Client } = require("./client");

const LANGUAGE = "simple";
let client;
let diagnostics;

function command() {
    return vscode.workspace.getConfiguration("simple").get("command") || "simple";
}

const toRange = (range) =>
    new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
const fromPosition = (position) => ({ line: position.line, character: position.character });
const fromRange = (range) => ({ start: fromPosition(range.start), end: fromPosition(range.end) });
const about = (document) => ({ textDocument: { uri: document.uri.toString() } });
const at = (document, position) => ({ ...about(document), position: fromPosition(position) });
const markdown = (text) => new vscode.MarkdownString(typeof text === "string" ? text : text.value);

// The kinds of the protocol are those of VS Code and one more.
const kind = (number) => (number === undefined ? undefined : number - 1);

function toDiagnostic(found) {
    const severity = found.severity === 2 ? vscode.DiagnosticSeverity.Warning : vscode.DiagnosticSeverity.Error;
    const one = new vscode.Diagnostic(toRange(found.range), found.message, severity);
    one.code = found.code;
    one.source = "simple";
    return one;
}

function toEdit(edit) {
    const changes = new vscode.WorkspaceEdit();
    for (const [uri, list] of Object.entries(edit.changes || {})) {
        for (const one of list) changes.replace(vscode.Uri.parse(uri), toRange(one.range), one.newText);
    }
    return changes;
}

function toSymbol(one) {
    const range = toRange(one.range);
    const symbol = new vscode.DocumentSymbol(one.name, one.detail || "", kind(one.kind), range,
        toRange(one.selectionRange || one.range));
    symbol.children = (one.children || []).map(toSymbol);
    return symbol;
}

// What VS Code asks; each answer is `null` where the server has none.
function providers() {
    const ask = (method, params) => client.ask(`textDocument/${method}`, params);
    const own = { language: LANGUAGE };
    const languages = vscode.languages;
    return [
        languages.registerHoverProvider(own, {
            async provideHover(document, position) {
                const found = await ask("hover", at(document, position));
                return found && new vscode.Hover(markdown(found.contents), found.range && toRange(found.range));
            },
        }),
        languages.registerDefinitionProvider(own, {
            async provideDefinition(document, position) {
                const found = await ask("definition", at(document, position));
                return found && new vscode.Location(vscode.Uri.parse(found.uri), toRange(found.range));
            },
        }),
        languages.registerReferenceProvider(own, {
            async provideReferences(document, position) {
                const context = { includeDeclaration: true };
                const found = await ask("references", { ...at(document, position), context });
                return (found || []).map((one) => new vscode.Location(vscode.Uri.parse(one.uri), toRange(one.range)));
            },
        }),
        languages.registerDocumentHighlightProvider(own, {
            async provideDocumentHighlights(document, position) {
                const found = await ask("documentHighlight", at(document, position));
                return (found || []).map((one) => new vscode.DocumentHighlight(toRange(one.range)));
            },
        }),
        languages.registerCompletionItemProvider(own, {
            async provideCompletionItems(document, position) {
                const found = await ask("completion", at(document, position));
                const items = ((found && found.items) || []).map((one) => {
                    const item = new vscode.CompletionItem(one.label, kind(one.kind));
                    item.range = toRange(one.textEdit.range);
                    item.insertText = one.textEdit.newText;
                    return item;
                });
                return new vscode.CompletionList(items, Boolean(found && found.isIncomplete));
            },
        }, "."),
        languages.registerSignatureHelpProvider(own, {
            async provideSignatureHelp(document, position) {
                const found = await ask("signatureHelp", at(document, position));
                if (!found) return null;
                const help = new vscode.SignatureHelp();
                help.activeSignature = found.activeSignature;
                help.activeParameter = found.activeParameter;
                help.signatures = found.signatures.map((one) => {
                    const signature = new vscode.SignatureInformation(one.label, markdown(one.documentation));
                    signature.parameters = one.parameters.map((each) => new vscode.ParameterInformation(each.label));
                    signature.activeParameter = one.activeParameter;
                    return signature;
                });
                return help;
            },
        }, { triggerCharacters: ["(", ","], retriggerCharacters: [",", ":"] }),
        languages.registerDocumentSymbolProvider(own, {
            async provideDocumentSymbols(document) {
                return ((await ask("documentSymbol", about(document))) || []).map(toSymbol);
            },
        }),
        languages.registerFoldingRangeProvider(own, {
            async provideFoldingRanges(document) {
                const found = await ask("foldingRange", about(document));
                return (found || []).map((one) => new vscode.FoldingRange(one.startLine, one.endLine));
            },
        }),
        languages.registerDocumentFormattingEditProvider(own, {
            async provideDocumentFormattingEdits(document) {
                const found = await ask("formatting", { ...about(document), options: {} });
                return (found || []).map((one) => vscode.TextEdit.replace(toRange(one.range), one.newText));
            },
        }),
        languages.registerRenameProvider(own, {
            async prepareRename(document, position) {
                const found = await ask("prepareRename", at(document, position));
                if (!found) throw new Error("only variables of a function can be renamed");
                return toRange(found);
            },
            async provideRenameEdits(document, position, newName) {
                const found = await ask("rename", { ...at(document, position), newName });
                return found && toEdit(found);
            },
        }),
        languages.registerCodeActionsProvider(own, {
            async provideCodeActions(document, range) {
                const found = await ask("codeAction",
                    { ...about(document), range: fromRange(range), context: { diagnostics: [] } });
                return (found || []).map((one) => {
                    const action = new vscode.CodeAction(one.title, vscode.CodeActionKind.QuickFix);
                    action.edit = toEdit(one.edit);
                    action.isPreferred = one.isPreferred;
                    return action;
                });
            },
        }),
        languages.registerInlayHintsProvider(own, {
            async provideInlayHints(document, range) {
                const found = await ask("inlayHint", { ...about(document), range: fromRange(range) });
                return (found || []).map((one) => new vscode.InlayHint(
                    new vscode.Position(one.position.line, one.position.character), one.label, one.kind));
            },
        }),
    ];
}

function semanticTokens(legend) {
    return vscode.languages.registerDocumentSemanticTokensProvider({ language: LANGUAGE }, {
        async provideDocumentSemanticTokens(document) {
            const found = await client.ask("textDocument/semanticTokens/full", about(document));
            return found && new vscode.SemanticTokens(new Uint32Array(found.data));
        },
    }, new vscode.SemanticTokensLegend(legend.tokenTypes, legend.tokenModifiers));
}

function opened(document) {
    if (document.languageId !== LANGUAGE || !client) return;
    client.tell("textDocument/didOpen", { textDocument: {
        uri: document.uri.toString(), languageId: LANGUAGE, version: document.version, text: document.getText() } });
}

function changed(event) {
    if (event.document.languageId !== LANGUAGE || !client) return;
    client.tell("textDocument/didChange", {
        textDocument: { uri: event.document.uri.toString(), version: event.document.version },
        contentChanges: event.contentChanges.map((one) => ({ range: fromRange(one.range), text: one.text })),
    });
}

async function start() {
    const folder = vscode.workspace.workspaceFolders && vscode.workspace.workspaceFolders[0].uri.fsPath;
    const mine = new Client(command(), folder, (method, params) => {
        if (method === "textDocument/publishDiagnostics") {
            diagnostics.set(vscode.Uri.parse(params.uri), params.diagnostics.map(toDiagnostic));
        }
    }, (why) => {
        if (client !== mine) return;
        client = undefined;
        vscode.window.showErrorMessage(
            `Simple: ${why}; the command is \`${command()} lsp\`, see the setting simple.command`);
    });
    client = mine;
    const about = await mine.ask("initialize", { processId: process.pid, rootUri: null,
        capabilities: { general: { positionEncodings: ["utf-16"] } } });
    mine.tell("initialized", {});
    vscode.workspace.textDocuments.forEach(opened);
    return about.capabilities.semanticTokensProvider.legend;
}

// Runs a command of Simple for the file that is shown, in a terminal.
function inTerminal(word) {
    const editor = vscode.window.activeTextEditor;
    if (!editor || editor.document.languageId !== LANGUAGE) return;
    editor.document.save();
    const known = vscode.window.terminals.find((one) => one.name === "Simple");
    const terminal = known || vscode.window.createTerminal("Simple");
    const file = editor.document.uri.fsPath.replace(/'/g, "'\\''");
    terminal.show();
    terminal.sendText(`${command()} ${word} '${file}'`);
}

async function activate(context) {
    diagnostics = vscode.languages.createDiagnosticCollection("simple");
    const legend = await start();
    const workspace = vscode.workspace;
    context.subscriptions.push(diagnostics, ...providers(), semanticTokens(legend),
        workspace.onDidOpenTextDocument(opened), workspace.onDidChangeTextDocument(changed),
        workspace.onDidSaveTextDocument((document) => {
            if (document.languageId === LANGUAGE && client) client.tell("textDocument/didSave", about(document));
        }),
        workspace.onDidCloseTextDocument((document) => {
            if (document.languageId === LANGUAGE && client) client.tell("textDocument/didClose", about(document));
        }),
        vscode.commands.registerCommand("simple.run", () => inTerminal("run")),
        vscode.commands.registerCommand("simple.test", () => inTerminal("test")),
        vscode.commands.registerCommand("simple.restart", async () => {
            const old = client;
            client = undefined;
            if (old) await old.stop();
            await start();
        }));
}

function deactivate() {
    const old = client;
    client = undefined;
    return old && old.stop();
}

module.exports = { activate, deactivate };
