// A language server that behaves as its argument says. It stands for servers that are broken or hostile.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";

const [, , behaviour = "plain"] = process.argv;
// "hangs at METHOD": records the request in a file and does not answer. Its child has left the process group.
const stuckAt = behaviour.startsWith("hangs at ") ? behaviour.slice("hangs at ".length) : undefined;
if (stuckAt) spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
const send = (message) => {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`);
  process.stdout.write(body);
};
const error = {
  severity: 1,
  message: "broken",
  range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
};
let opened = 0;
const taken = [];
let language = "";
let root = "";
let settings;
const held = [];
/** By address: texts of opened files, and files whose errors to report. */
const texts = new Map();
const untold = new Set();

/**
 * For "late" and "late for users": the word "bad" is an error, and so is using a.xyz while that contains it. Until a
 * file "go" exists, it reports none, or none for users of a.xyz.
 */
function tellBad() {
  const isBad = (text) => text?.includes("bad") === true;
  const usedIsBad = isBad([...texts].find(([uri]) => uri.endsWith("/a.xyz"))?.[1]);
  for (const uri of untold) {
    const text = texts.get(uri);
    const isUser = text.includes('"a"');
    if (!existsSync("go") && (behaviour === "late" || (isUser && usedIsBad))) continue;
    untold.delete(uri);
    const diagnostics = isBad(text) || (isUser && usedIsBad) ? [error] : [];
    send({ method: "textDocument/publishDiagnostics", params: { uri, diagnostics } });
  }
}
if (behaviour.startsWith("late")) setInterval(tellBad, 10);

function answer({ id, method, params, result }) {
  if (stuckAt && method === stuckAt) return writeFileSync("reached", "");
  if (method === "initialize") {
    root = params.rootUri;
    if (behaviour === "dies at start") {
      process.stderr.write("no such library\n");
      process.exit(3);
    }
    return send({
      id,
      result: {
        capabilities: {
          textDocumentSync: 1,
          hoverProvider: true,
          definitionProvider: true,
          ...(behaviour === "moves" ? { workspace: { fileOperations: { willRename: { filters: [] } } } } : {}),
          ...(behaviour === "refactors" ? { codeActionProvider: true, diagnosticProvider: {} } : {}),
          ...(behaviour === "silent when asked" ? { diagnosticProvider: {} } : {}),
        },
      },
    });
  }
  if (method === "textDocument/didOpen" || method === "textDocument/didChange") {
    const { uri, version } = params.textDocument;
    opened++;
    language = params.textDocument.languageId ?? language;
    if (behaviour === "silent") return;
    if (behaviour.startsWith("late")) {
      texts.set(uri, params.textDocument.text ?? params.contentChanges.at(-1).text);
      return void untold.add(uri);
    }
    if (behaviour === "dies") process.exit(7);
    if (behaviour === "eats memory")
      return void setInterval(() => taken.length < 60 && taken.push(Buffer.alloc(2 ** 23, 1)), 5);
    if (behaviour === "half a frame")
      return process.stdout.write("Content-Length: 100\r\n\r\n{", () => process.exit(1));
    if (behaviour === "a gigabyte") return process.stdout.write("Content-Length: 1000000000\r\n\r\n");
    if (behaviour === "floods")
      for (let n = 0; n < 5_000; n++)
        send({ method: "textDocument/publishDiagnostics", params: { uri: `file:///x/${n}`, diagnostics: [error] } });
    if (behaviour === "edits")
      send({ id: "e", method: "workspace/applyEdit", params: { edit: { changes: { "file:///etc/passwd": [] } } } });
    const far = { ...error, range: { start: { line: 1e9, character: 0 }, end: { line: 1e9, character: 0 } } };
    send({
      method: "textDocument/publishDiagnostics",
      params: {
        uri,
        version,
        diagnostics:
          behaviour === "moves"
            ? []
            : [
                far,
                error,
                { ...error, range: { start: { line: -1, character: 0 }, end: { line: 0, character: 0 } } },
                null,
                { message: 5 },
              ],
      },
    });
  }
  if (method === "initialized" && behaviour === "asks") {
    appendFileSync("starts", `${process.pid}\n`);
    send({ id: "c", method: "workspace/configuration", params: { items: [{ section: "xyz" }] } });
  }
  if (id === "c") {
    settings = result;
    for (const question of held) answer(question);
  }
  if (method === "initialized" && behaviour === "loads for ever") {
    send({ method: "$/progress", params: { token: "t", value: { kind: "begin", title: "Loading" } } });
    writeFileSync("reached", "");
  }
  if (method === "workspace/willRenameFiles") send({ id, result: { changes: noteMove(params.files[0].newUri) } });
  if (method === "textDocument/diagnostic" && behaviour !== "silent when asked")
    send({ id, result: { kind: "full", items: [] } });
  if (method === "textDocument/codeAction") send({ id, result: actionsFor(params.textDocument.uri) });
  if (id === "e") process.stderr.write(`${JSON.stringify({ applied: params })}\n`);
  if (method === "textDocument/hover" && behaviour === "asks" && settings === undefined)
    return void held.push({ id, method, params });
  if (method === "textDocument/hover")
    send({
      id,
      result: {
        contents: `opened ${opened} as ${language}, process ${process.pid}, settings ${JSON.stringify(settings)}`,
      },
    });
  if (method === "shutdown") send({ id, result: null });
  if (method === "exit") process.exit(0);
}

/** The first line of a file tells where the file was moved. */
function noteMove(uri) {
  const start = { line: 0, character: 0 };
  const path = decodeURIComponent(uri.slice(uri.indexOf("/src/") + 1));
  return { [new URL("moves.txt", `${root}/`).href]: [{ range: { start, end: start }, newText: `${path}\n` }] };
}

/** One action that changes files in every way, and one that leaves the project. */
function actionsFor(uri) {
  const at = (name) => new URL(name, uri).href;
  const edit = (name, newText) => ({
    textDocument: { uri: at(name), version: null },
    edits: [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, newText }],
  });
  const all = [
    { kind: "create", uri: at("new.xyz") },
    edit("new.xyz", "fresh\n"),
    { kind: "rename", oldUri: at("b.xyz"), newUri: at("sub/moved.xyz") },
    edit("sub/moved.xyz", "// "),
    { kind: "delete", uri: at("c.xyz") },
    edit("a.xyz", "zero "),
  ];
  return [
    { title: "Touch all", edit: { documentChanges: all } },
    { title: "Leave", edit: { documentChanges: [{ kind: "create", uri: at("../out.xyz") }] } },
    { title: "Overwrite", edit: { documentChanges: [{ kind: "create", uri: at("b.xyz") }] } },
    { title: "Of an editor", command: { command: "editor.rename", title: "x" } },
  ];
}

let input = Buffer.alloc(0);
if (behaviour === "never reads") setInterval(() => {}, 1000);
else
  process.stdin.on("data", (chunk) => {
    input = Buffer.concat([input, chunk]);
    for (;;) {
      const end = input.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/length: (\d+)/i.exec(input.toString("latin1", 0, end))[1]);
      if (input.length < end + 4 + length) return;
      const message = JSON.parse(input.subarray(end + 4, end + 4 + length));
      input = input.subarray(end + 4 + length);
      answer(message);
    }
  });
process.stdin.on("end", () => process.exit(0));
