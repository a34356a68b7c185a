// Changes by language servers other than renames, in whole runs with real ones: formatting, commands of code actions,
// raw requests, and the errors of a whole project.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Script, turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { type Stage, stage } from "./contract-kit.ts";

const FULL = ["--permission-mode", "full", "--profile", "lathe"];
const require = createRequire(import.meta.url);
const ofTests = createRequire(new URL("../../testkit/package.json", import.meta.url));
const TYPESCRIPT_7 = dirname(require.resolve("typescript/package.json"));
const TYPESCRIPT_5 = dirname(ofTests.resolve("typescript/package.json"));
const OLD_SERVER = join(dirname(require.resolve("typescript-language-server/package.json")), "lib/cli.mjs");

let scene: Stage;
afterEach(() => scene.close());
const file = (name: string): string => join(scene.box.dir, name);
const text = (name: string): string => readFileSync(file(name), "utf8");
const lsp = (args: object) => turn.calls([{ name: "lsp", args }]);
const write = (path: string, content: string) => turn.calls([{ name: "write", args: { path, content } }]);

/** What the model was given for each of its calls, in order. */
function results(): string[] {
  const body = scene.server.requests.at(-1)?.body as { messages: { content: unknown }[] };
  const parts = body.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return parts
    .filter((part: { type?: string }) => part.type === "tool_result")
    .map(({ content }: { content: unknown }) => (typeof content === "string" ? content : JSON.stringify(content)));
}

async function project(script: Script, version: 5 | 7): Promise<void> {
  scene = await stage(script);
  const typescript = version === 7 ? TYPESCRIPT_7 : TYPESCRIPT_5;
  mkdirSync(file("node_modules/.bin"), { recursive: true });
  mkdirSync(file("src"));
  symlinkSync(typescript, file("node_modules/typescript"));
  if (version === 7) symlinkSync(join(typescript, "bin/tsc"), file("node_modules/.bin/tsc"));
  else symlinkSync(OLD_SERVER, file("node_modules/.bin/typescript-language-server"));
  const compilerOptions = { strict: true, noEmit: true, module: "nodenext", types: [] };
  writeFileSync(file("tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
  writeFileSync(file("src/a.ts"), "export function greet(name: string): string {\n  return name;\n}\n");
  await scene.box.run(["trust"]);
}

it("T-WRITE-1 G-83 LP-03 what is written is formatted, in the lines of this edit only, and the diff shows it", async () => {
  const old = "export   const   kept=1;\nexport const x = 1;\n";
  await project(
    [
      lsp({ action: "hover", file: "src/a.ts", line: 1, symbol: "greet" }),
      write("src/new.ts", "export function f() {\nconst   a: number = 'x';\n        return a;\n}\n"),
      write("src/old.ts", old.replace("const x = 1", "const x   =   2")),
      lsp({ action: "diagnostics", file: "*" }),
      turn.text("done"),
      turn.text("done"),
    ],
    7,
  );
  writeFileSync(join(scene.box.home, ".lathe/config.yml"), "lsp: { formatOnWrite: true }\n");
  writeFileSync(file("src/old.ts"), old);
  expect(await scene.run([...FULL, "go"])).toMatchObject({ code: 0 });
  const [, created, changed, problems] = results();
  expect(text("src/new.ts")).toBe("export function f() {\n  const a: number = 'x';\n  return a;\n}\n");
  expect(created).toContain("typescript formatted it");
  expect(created).toContain("2:9 error Type 'string' is not assignable to type 'number'.");
  // A line that the edit did not touch stays as ugly as it was.
  expect(text("src/old.ts")).toBe("export   const   kept=1;\nexport const x = 2;\n");
  expect(changed).toContain("+export const x = 2;");
  expect(problems).toBe("src/new.ts:2:9 error Type 'string' is not assignable to type 'number'. [ts 2322]");
}, 120_000);

it("LP-04 T-LSP-1 a command of a code action runs, and what it asks for is judged and written like an edit", async () => {
  const body =
    "export function total(list: number[]): number {\n  const sum = list.length + 1;\n  return sum * 2;\n}\n";
  await project(
    [
      lsp({ action: "code_actions", file: "src/t.ts", line: 2, symbol: "list.length + 1", query: "refactor.extract" }),
      lsp({
        action: "code_actions",
        file: "src/t.ts",
        line: 2,
        symbol: "list.length + 1",
        query: "Extract to function in module scope",
        apply: true,
      }),
      lsp({ action: "request", query: "textDocument/foldingRange", file: "src/t.ts" }),
      lsp({ action: "request", query: "textDocument/foldingRange", file: "src/t.ts", payload: "{" }),
      turn.text("done"),
    ],
    5,
  );
  writeFileSync(file("src/t.ts"), body);
  expect(await scene.run([...FULL, "go"])).toMatchObject({ code: 0 });
  const [listed, made, folds, refused] = results();
  expect(listed).toContain("Extract to function in module scope");
  expect(made).toContain("Changed 1 file.");
  expect(text("src/t.ts")).toContain("function newFunction(list: number[])");
  expect(JSON.parse(folds ?? "")[0]).toMatchObject({ startLine: 0 });
  expect(refused).toContain("`payload` is not JSON.");
}, 120_000);

it("LP-04 files that a server creates, moves and deletes are part of the one change; what is not allowed changes nothing", async () => {
  const action = (query: string) => lsp({ action: "code_actions", file: "a.xyz", line: 1, query, apply: true });
  await project(
    [action("Overwrite"), action("Leave"), action("Of an editor"), action("Touch all"), turn.text("done")],
    7,
  );
  for (const name of ["a", "b", "c"]) writeFileSync(file(`${name}.xyz`), `${name}\n`);
  const server = fileURLToPath(new URL("lsp-scripted-server.mjs", import.meta.url));
  const xyz = { command: process.execPath, args: [server, "refactors"], fileTypes: [".xyz"], rootMarkers: ["a.xyz"] };
  writeFileSync(file("lsp.json"), JSON.stringify({ servers: { xyz } }));
  await scene.box.run(["trust"]);
  expect(await scene.run([...FULL, "go"])).toMatchObject({ code: 0, stderr: "" });
  const [overwritten, outside, command, all] = results();
  expect(overwritten).toContain("The server would create b.xyz, which already exists. Nothing was written.");
  expect(outside).toMatch(/The server would change .*out\.xyz, which is not in the project\. Nothing was written\./);
  expect(command).toContain('"Of an editor" is the command editor.rename of an editor, which xyz does not run.');
  expect(all).toContain("Changed 5 files.");
  expect(text("new.xyz")).toBe("fresh\n");
  expect(text("sub/moved.xyz")).toBe("// b\n");
  expect(text("a.xyz")).toBe("zero a\n");
  expect(existsSync(file("b.xyz")) || existsSync(file("c.xyz"))).toBe(false);
});
