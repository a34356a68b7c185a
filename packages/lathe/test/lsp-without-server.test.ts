// The tool `lsp` if a language's server is not installed: names come from the code index, and the answer says so.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { type Stage, stage } from "./contract-kit.ts";

let scene: Stage;
afterEach(() => scene.close());
const lsp = (args: object) => turn.calls([{ name: "lsp", args }]);

function results(): string[] {
  const body = scene.server.requests.at(-1)?.body as { messages: { content: unknown }[] };
  const parts = body.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return parts
    .filter((part: { type?: string }) => part.type === "tool_result")
    .map(({ content }: { content: unknown }) => (typeof content === "string" ? content : JSON.stringify(content)));
}

it("LP-04 definitions, references and symbols come from the code index without a server; what needs one says so", async () => {
  scene = await stage([
    lsp({ action: "definition", file: "src/lib.rs", line: 3, symbol: "helper" }),
    lsp({ action: "references", file: "src/util.rs", line: 1, symbol: "helper" }),
    lsp({ action: "symbols", file: "src/util.rs" }),
    lsp({ action: "symbols", query: "help" }),
    lsp({ action: "definition", file: "src/lib.rs", line: 3, symbol: "nowhere" }),
    lsp({ action: "hover", file: "src/lib.rs", line: 3, symbol: "helper" }),
    turn.text("done"),
  ]);
  const file = (name: string): string => join(scene.box.dir, name);
  mkdirSync(file("src"));
  writeFileSync(file("Cargo.toml"), '[package]\nname = "p"\nversion = "0.1.0"\n');
  writeFileSync(file("src/lib.rs"), "mod util;\nuse crate::util::helper;\npub fn run() { helper(); }\n");
  writeFileSync(file("src/util.rs"), "pub fn helper() {}\npub struct Tool { size: u8 }\n");
  writeFileSync(file("src/other.rs"), "fn helper() {}\n");
  writeFileSync(file("src/hidden.rs"), "fn helper() {}\n");
  const options = ["--permission-mode", "full", "--profile", "lathe", "--deny", "read(src/hidden.rs)"];
  expect(await scene.run([...options, "go"])).toMatchObject({ code: 0 });
  const [definition = "", references, outline, symbols, wrong, hover = ""] = results();
  const [head, ...places] = definition.split("\n");
  expect(head).toMatch(
    /^No language server can answer for src\/lib\.rs: rust-analyzer: .*\. From the code index, which goes by names:$/,
  );
  // The one of the file that is imported; the other has the same name only.
  expect(places).toEqual(["src/util.rs:1:8  pub fn helper() {}"]);
  expect(references?.split("\n").slice(1)).toEqual([
    "src/lib.rs:2:18  use crate::util::helper;",
    "src/lib.rs:3:16  pub fn run() { helper(); }",
    "src/other.rs:1:4  fn helper() {}",
    "src/util.rs:1:8  pub fn helper() {}",
  ]);
  expect(outline?.split("\n").slice(1)).toEqual(["1 function helper", "2 class Tool", "  2 field size"]);
  expect(symbols?.split("\n").slice(1)).toEqual(["src/other.rs:1 function helper", "src/util.rs:1 function helper"]);
  expect(wrong).toMatch(/nowhere is not on line 3, nor anywhere in the file\.$/);
  expect(hover).toMatch(/^No language server can answer for src\/lib\.rs: [^\n]*$/);
  expect(hover).not.toContain("code index");
});

it("LP-04 LP-02 the code index answers too where the server dies of the question, and when it is off after that", async () => {
  const definition = lsp({ action: "definition", file: "lib.rs", line: 2, symbol: "helper" });
  const symbols = [lsp({ action: "symbols", file: "lib.rs" }), lsp({ action: "symbols", query: "help" })];
  scene = await stage([definition, definition, definition, definition, ...symbols, turn.text("done")]);
  const file = (name: string): string => join(scene.box.dir, name);
  const args = [fileURLToPath(new URL("lsp-scripted-server.mjs", import.meta.url)), "dies"];
  const servers = { "rust-analyzer": { command: process.execPath, args } };
  writeFileSync(file("Cargo.toml"), '[package]\nname = "p"\nversion = "0.1.0"\n');
  writeFileSync(file("lsp.json"), JSON.stringify({ servers }));
  writeFileSync(file("lib.rs"), "fn helper() {}\npub fn run() { helper(); }\n");
  await scene.box.run(["trust"]);
  expect(await scene.run(["--permission-mode", "full", "--profile", "lathe", "go"])).toMatchObject({ code: 0 });
  const [first = "", , , off = "", outline = "", found = ""] = results();
  const index = "From the code index, which goes by names:";
  expect(first.split("\n")).toEqual([
    `No language server can answer for lib.rs: it exited with code 7. ${index}`,
    "lib.rs:1:4  fn helper() {}",
  ]);
  expect(off).toContain(`rust-analyzer: it ended 3 times within a minute: it exited with code 7. ${index}`);
  expect(outline).toContain(`${index}\n1 function helper\n2 function run`);
  expect(found).toContain(`${index}\nlib.rs:1 function helper`);
});
