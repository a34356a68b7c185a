// Language servers in whole runs, with TypeScript's own server: what the model can ask, and what it reads after an edit.

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Script, turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { type Stage, stage } from "./contract-kit.ts";
import { makeTypeScriptProject, REPOSITORY, TYPESCRIPT_7 } from "./lsp-projects.ts";

const SCRIPTED = fileURLToPath(new URL("lsp-scripted-server.mjs", import.meta.url));
const FULL = ["--permission-mode", "full", "--profile", "lathe"];

let scene: Stage;
afterEach(() => scene.close());
const file = (name: string): string => join(scene.box.dir, name);
const lsp = (args: object) => turn.calls([{ name: "lsp", args }]);
const bash = (command: string) => turn.calls([{ name: "bash", args: { command } }]);

/** What the model was given for each of its calls, in order. */
function results(): string[] {
  const body = scene.server.requests.at(-1)?.body as { messages: { content: unknown }[] };
  const parts = body.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return parts
    .filter((part: { type?: string }) => part.type === "tool_result")
    .map(({ content }: { content: unknown }) => (typeof content === "string" ? content : JSON.stringify(content)));
}

async function project(script: Script, isTrusted = true): Promise<void> {
  scene = await stage(script);
  makeTypeScriptProject(scene.box.dir);
  if (isTrusted) expect(await scene.box.run(["trust"])).toMatchObject({ code: 0 });
}

it("LP-01 LP-02 3.8 the server of the project tells definitions, references, calls and symbols", async () => {
  const greet = { file: "src/a.ts", line: 1, symbol: "greet" };
  await project([
    lsp({ action: "status" }),
    lsp({ action: "definition", file: "src/b.ts", line: 2, symbol: "greet" }),
    lsp({ action: "references", ...greet }),
    lsp({ action: "hover", ...greet }),
    lsp({ action: "calls", ...greet }),
    lsp({ action: "symbols", file: "src/a.ts" }),
    lsp({ action: "symbols", query: "greet" }),
    lsp({ action: "diagnostics", file: "src/a.ts" }),
    lsp({ action: "definition", file: "src/b.ts", line: 1, symbol: "x" }),
    lsp({ action: "definition", file: "src/b.ts", line: 2, symbol: "x" }),
    lsp({ action: "hover", file: "README.txt", line: 1 }),
    lsp({ action: "diagnostics", file: "a.rs" }),
    turn.text("done"),
  ]);
  writeFileSync(file("README.txt"), "text\n");
  writeFileSync(file("a.rs"), "fn main() {}\n");
  expect((await scene.box.run(["doctor"])).stdout).toMatch(/lsp +typescript \(.*node_modules\/\.bin\/tsc\)/);
  expect(await scene.run([...FULL, "go"])).toMatchObject({ code: 0 });
  const [status, definition, references, hover, calls, outline, symbols, problems, wrongLine, short, noServer, needed] =
    results();
  // Configured, but not started by the question itself.
  expect(status).toContain("typescript: not started");
  expect(definition).toBe("src/a.ts:1:17  export function greet(name: string): string {");
  expect(references?.split("\n")).toEqual([
    "src/a.ts:1:17  export function greet(name: string): string {",
    'src/b.ts:1:10  import { greet } from "./a.js";',
    // The server counts bytes; columns are those of the text as JavaScript counts.
    'src/b.ts:2:28  export const x = /* 👋é */ greet("y");',
  ]);
  expect(hover).toContain("function greet(name: string): string");
  expect(calls).toMatch(/^src\/b\.ts:/);
  expect(outline).toBe("1 function greet");
  expect(symbols).toContain("src/a.ts:1 function greet");
  expect(problems).toBe("OK");
  expect(wrongLine).toContain("x is not on line 1; the nearest is on line 2.");
  // The word, not a letter of `export`.
  expect(short).toBe('src/b.ts:2:14  export const x = /* 👋é */ greet("y");');
  expect(noServer).toContain("No language server can answer for README.txt: none is known for such files.");
  expect(needed).toContain("rust-analyzer is for folders with Cargo.toml or rust-project.json (rustup component add");
}, 120_000);

it("LP-03 LP-05 T-WRITE-1 after an edit the model reads the errors that it brought, in files that were never opened too, and what biome finds beside them", async () => {
  const broken = "export function greet(name: number): string {\n  return name;\n}\n";
  await project([
    turn.calls([{ name: "read", args: { path: "src/a.ts" } }]),
    turn.calls([{ name: "write", args: { path: "src/a.ts", content: broken } }]),
    turn.calls([{ name: "write", args: { path: "src/a.ts", content: broken.replace("name;", "String(name);") } }]),
    bash(`sed -i 's/"y"/1/' src/b.ts`),
    turn.calls([{ name: "write", args: { path: "src/c.ts", content: "export const other = 2;\n" } }]),
    turn.calls([
      { name: "write", args: { path: "src/c.ts", content: "export const other: string = 2;\ndebugger;\n" } },
    ]),
    turn.calls([{ name: "write", args: { path: "src/a.ts", content: "export const gone = 1;\n" } }]),
    turn.text("done"),
    turn.text("really done"),
  ]);
  writeFileSync(file("biome.json"), "{}\n");
  symlinkSync(join(REPOSITORY, "node_modules/.bin/biome"), file("node_modules/.bin/biome"));
  await scene.box.run(["trust"]);
  expect(await scene.run([...FULL, "go"])).toMatchObject({ code: 0, stdout: "really done\n" });
  const [, first, second, , third, both, fourth] = results();
  expect(first).toContain("src/a.ts: 1 new error");
  expect(first).toContain("2:3 error Type 'number' is not assignable to type 'string'. [ts 2322]");
  expect(first).toContain("src/b.ts: 1 new error");
  expect(first).toContain("2:34 error Argument of type 'string' is not assignable to parameter of type 'number'.");
  expect(second).toContain("src/a.ts: 1 fixed");
  expect(second).not.toContain("src/b.ts");
  // What a command has changed is no error any more, and no stale one is told.
  expect(third).not.toContain("error");
  expect(both).toMatch(/\[ts 2322\][\s\S]*\[biome lint\/suspicious\/noDebugger\]/);
  expect(fourth).toContain("src/b.ts: 1 new error, 1 fixed");
  // The input does not end before the model was told once what it leaves behind.
  const last = JSON.stringify(scene.server.requests.at(-1)?.body);
  expect(last).toContain("These errors came with your changes and are still there:");
  expect(readFileSync(file("src/a.ts"), "utf8")).toBe("export const gone = 1;\n");
}, 120_000);

it("LP-04 T-LSP-1 a rename changes every file that uses the name, a moved file is followed by its importers", async () => {
  await project([
    lsp({ action: "rename", file: "src/a.ts", line: 1, symbol: "greet", new_name: "hail", apply: false }),
    lsp({ action: "rename", file: "src/a.ts", line: 1, symbol: "greet", new_name: "hail" }),
    lsp({ action: "rename_file", file: "src/a.ts", new_name: "src/hello world/hail#1.ts" }),
    lsp({ action: "rename_file", file: "src/c.ts", new_name: "src/b.ts" }),
    lsp({ action: "rename_file", file: "src/hello world", new_name: "src/both" }),
    lsp({ action: "references", file: "src/b.ts", line: 1, symbol: "hail" }),
    lsp({ action: "diagnostics", file: "*" }),
    lsp({ action: "symbols", file: "src/gone.ts" }),
    turn.text("done"),
  ]);
  // Another server than that of the language knows a file in which the moved one is named.
  const other = { command: process.execPath, args: [SCRIPTED, "moves"], fileTypes: [".ts"], isLinter: true };
  const json = { servers: { other: { ...other, rootMarkers: ["tsconfig.json"] } } };
  writeFileSync(file("lsp.json"), JSON.stringify(json));
  await scene.box.run(["trust"]);
  writeFileSync(file("moves.txt"), "");
  writeFileSync(file("src/a.ts"), "\uFEFFexport function greet(name: string): string {\r\n  return name;\r\n}\r\n");
  writeFileSync(file("src/d.ts"), 'export const text = "greet"; // greet\n');
  writeFileSync(file("src/e.ts"), "const greet = 1;\nexport { greet as other };\n");
  // The name of a file is no line of an answer.
  writeFileSync(file("src/x\nsrc.ts:1:1 error.ts"), 'import { greet } from "./a.js";\ngreet("z"); // greet\n');
  writeFileSync(file("src/f.ts"), "export const f: string = 1;\n");
  expect(await scene.run([...FULL, "go"])).toMatchObject({ code: 0 });
  const [shown, renamed, moved, refused, folder, users, problems, gone] = results();
  expect(shown).toContain("Would change 3 files.");
  expect(renamed).toContain("Changed 3 files.");
  expect(renamed).toContain("Also have the name greet, in files that change: src/x\\nsrc.ts:1:1 error.ts:2.");
  expect(results().join("\n")).not.toContain("\nsrc.ts:1:1 error.ts");
  expect(users).toContain("src/x\\nsrc.ts:1:1 error.ts:2:1  hail(");
  expect(results().join("\n")).not.toContain("has not checked");
  expect(gone).toContain("src/gone.ts does not exist.");
  // Who found nothing is said first.
  expect(problems?.split("\n")).toEqual(["other: OK", expect.stringMatching(/^src\/f\.ts:1:14 error Type 'number'/)]);
  // Texts and comments are no code.
  expect(renamed).toContain("Also have the name greet, and stay as they are: src/e.ts.");
  expect(moved).toContain("Moved src/a.ts to src/hello world/hail#1.ts.");
  expect(refused).toContain("src/b.ts exists already. Nothing was written.");
  expect(folder).toContain("Moved src/hello world/hail#1.ts to src/both/hail#1.ts.");
  expect(readFileSync(file("moves.txt"), "utf8").split("\n")).toEqual([
    "src/both/hail#1.ts",
    "src/hello world/hail#1.ts",
    "",
  ]);
  // Byte order mark and line ends stay.
  const text = readFileSync(file("src/both/hail#1.ts"), "utf8");
  expect(text).toBe("\uFEFFexport function hail(name: string): string {\r\n  return name;\r\n}\r\n");
  const importer = readFileSync(file("src/b.ts"), "utf8");
  expect(importer).toContain('import { hail } from "./both/hail#1.js";');
  expect(importer).toContain('hail("y")');
}, 120_000);

it("LP-04 a quick fix is listed and made; without permission to write nothing is renamed", async () => {
  await project([
    lsp({ action: "code_actions", file: "src/b.ts", line: 1 }),
    lsp({ action: "code_actions", file: "src/b.ts", line: 1, query: "import", apply: true }),
    turn.text("done"),
    lsp({ action: "rename", file: "src/a.ts", line: 1, symbol: "greet", new_name: "hail" }),
    turn.text("done"),
  ]);
  writeFileSync(file("src/b.ts"), 'export const x = greet("y");\n');
  expect(await scene.run([...FULL, "go"])).toMatchObject({ code: 0 });
  expect(results()[0]).toMatch(/^1\. .*import/im);
  expect(readFileSync(file("src/b.ts"), "utf8")).toMatch(/^import \{ greet \} from "\.\/a/);
  await scene.run(["--permission-mode", "read-only", "--profile", "lathe", "again"]);
  expect(readFileSync(file("src/a.ts"), "utf8")).toContain("greet");
}, 120_000);

it("G-113 no program of a folder that is not trusted starts, and the tool says why", async () => {
  await project(
    [
      lsp({ action: "status" }),
      lsp({ action: "hover", file: "src/a.ts", line: 1 }),
      turn.text("done"),
      lsp({ action: "hover", file: "src/a.ts", line: 1, symbol: "greet" }),
      turn.text("done"),
    ],
    false,
  );
  const mark = file("started");
  writeFileSync(
    file("lsp.json"),
    JSON.stringify({
      servers: {
        evil: { command: "/bin/sh", args: ["-c", `touch ${mark}`], fileTypes: [".ts"], rootMarkers: ["tsconfig.json"] },
      },
    }),
  );
  // With programs of the system only.
  const PATH = (process.env["PATH"] ?? "").split(":").filter((place) => !place.includes("node_modules"));
  const { code, stderr } = await scene.run([...FULL, "go"], { env: { PATH: PATH.join(":") } });
  expect(code).toBe(0);
  expect(stderr).toContain("This folder is not trusted; ignored: lsp.json (lsp-server evil).");
  expect(results()[0]).toContain("typescript: off: its program belongs to the project, and the folder is not trusted");
  expect(results()[1]).not.toContain("evil");
  // A compiler that npm has installed for all projects is a server as well, if it is new enough.
  const bin = join(scene.box.home, "npm/bin");
  mkdirSync(bin, { recursive: true });
  const installed = { env: { PATH: [bin, ...PATH].join(":") } };
  writeFileSync(join(bin, "tsc"), "#!/bin/sh\necho Version 5.9.3\n", { mode: 0o755 });
  rmSync(file("node_modules"), { recursive: true });
  expect((await scene.box.run(["doctor"], installed)).stdout).toContain("tsc 7 is not installed");
  rmSync(join(bin, "tsc"));
  symlinkSync(TYPESCRIPT_7, join(scene.box.home, "npm/typescript"));
  symlinkSync("../typescript/bin/tsc", join(bin, "tsc"));
  expect((await scene.box.run(["doctor"], installed)).stdout).toContain(`typescript (${join(bin, "tsc")})`);
  await scene.run([...FULL, "go"], installed);
  expect(results().at(-1)).toContain("function greet(name: string): string");
  expect(() => readFileSync(mark)).toThrow();
}, 120_000);

it("G-113 TypeScript 7 answers in a project of JavaScript without starting npm for type packages", async () => {
  await project([lsp({ action: "hover", file: "tool.js", line: 1, symbol: "sum" }), turn.text("done")], true);
  writeFileSync(file("package.json"), JSON.stringify({ dependencies: { lodash: "4.17.21" } }));
  writeFileSync(file("tool.js"), "function sum(a) { return a; }\nmodule.exports = { sum };\n");
  const bin = join(scene.box.home, "npm/bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "npm"), `#!/bin/sh\ntouch ${join(bin, "started")}\n`, { mode: 0o755 });
  await scene.run([...FULL, "go"], { env: { PATH: `${bin}:${process.env["PATH"]}` } });
  expect(results()[0]).toContain("function sum(a: any): any");
  expect(existsSync(join(bin, "started"))).toBe(false);
});

it.each([
  ["beside package.json", "tool.js", true],
  ["in src", "src/tool.mjs", true],
  ["not looked for in other folders", "docs/tool.js", false],
])("LP-01 a package without tsconfig.json has the tool for its scripts: %s", async (_where, path, isOffered) => {
  const asks = [lsp({ action: "hover", file: path, line: 1, symbol: "sum" }), turn.text("done")];
  await project(isOffered ? asks : [turn.text("done")], true);
  rmSync(file("src"), { recursive: true });
  rmSync(file("tsconfig.json"));
  for (const folder of ["src", "docs"]) mkdirSync(file(folder));
  writeFileSync(file("package.json"), "{}\n");
  writeFileSync(file(path), "export function sum(a) { return a; }\n");
  expect(await scene.run([...FULL, "go"])).toMatchObject({ code: 0 });
  expect(scene.server.requests[0]?.view.tools.includes("lsp")).toBe(isOffered);
  if (isOffered) expect(results()[0]).toContain("function sum(a: any): any");
});

it("G-113 lsp.json of a trusted folder changes a server field by field, and says what is wrong with it", async () => {
  await project([lsp({ action: "status" }), turn.text("done"), turn.text("done")], false);
  writeFileSync(file("lsp.json"), JSON.stringify({ servers: { typescript: { disabled: true } } }));
  await scene.box.run(["trust"]);
  expect(await scene.run([...FULL, "go"])).toMatchObject({ code: 0 });
  expect(results()[0]).toContain("typescript: off: switched off by lsp.json");
  writeFileSync(file("lsp.json"), '{\n  "servers": { "mine": { "command": 5 } }\n}\n');
  await scene.box.run(["trust"]);
  expect((await scene.run([...FULL, "go"])).stderr).toContain(
    "lsp.json:2: language server mine: command must be a text.",
  );
});

it("EX-10 G-113 a plugin of Claude Code brings a server, which is listed and answers for its files", async () => {
  await project([lsp({ action: "hover", file: "a.xyz", line: 1, symbol: "one" }), turn.text("done")], false);
  writeFileSync(file("a.xyz"), "one\n");
  const root = join(scene.box.home, "plugin");
  const installed = { plugins: { "xyz@market": { installPath: root } } };
  mkdirSync(join(scene.box.home, ".claude/plugins"), { recursive: true });
  mkdirSync(root);
  writeFileSync(join(scene.box.home, ".claude/plugins/installed_plugins.json"), JSON.stringify(installed));
  cpSync(new URL("lsp-scripted-server.mjs", import.meta.url), join(root, "server.mjs"));
  const server = {
    command: process.execPath,
    args: ["$CLAUDE_PLUGIN_ROOT/server.mjs", "plain"],
    extensionToLanguage: { ".xyz": "exyz" },
  };
  writeFileSync(join(root, ".lsp.json"), JSON.stringify({ words: server, other: { ...server, transport: "socket" } }));
  const listed = await scene.box.run(["discover", "lsp-server"]);
  expect(listed.stdout).toMatch(/xyz:words +Claude Code plugins, plugin/);
  expect(listed.stdout).toContain("language server other: only the transport stdio is supported");
  await scene.box.run(["trust"]);
  expect(await scene.run([...FULL, "go"])).toMatchObject({ code: 0 });
  expect(results()[0]).toContain("opened 1 as exyz");
});

it("LS-09 agents that only read ask language servers and rename nothing; T-SUB-4 hosts get the errors of an edit as data", async () => {
  const place = { file: "src/a.ts", line: 1, symbol: "greet" };
  await project([
    turn.calls([
      {
        name: "task",
        args: { agent: "explore", context: "The goal.", tasks: [{ id: "a", description: "a", assignment: "look" }] },
      },
    ]),
    lsp({ action: "hover", ...place }),
    lsp({ action: "rename", ...place, new_name: "hail" }),
    turn.calls([{ name: "yield", args: { output: "seen" } }]),
    turn.calls([{ name: "write", args: { path: "src/c.ts", content: "export const other: string = 1;\n" } }]),
    turn.text("done"),
    turn.text("done"),
  ]);
  const { stdout } = await scene.run([...FULL, "--mode", "json", "go"]);
  const asked = scene.server.requests.map(({ body }) => JSON.stringify(body));
  expect(asked[1]).toContain('"name":"lsp"');
  expect(asked[2]).toContain("function greet(name: string): string");
  expect(asked[3]).toContain("This agent only reads");
  expect(readFileSync(file("src/a.ts"), "utf8")).toContain("greet");
  expect(stdout).toContain(
    '"diagnostics":[{"path":"src/c.ts","server":"typescript","errors":[{"line":1,"message":"Type',
  );
}, 120_000);
