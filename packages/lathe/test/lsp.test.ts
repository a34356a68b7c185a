// Language servers in whole runs, with TypeScript's own server: what the model can ask, and what it reads after an edit.

import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { type Stage, stage } from "./contract-kit.ts";

const FULL = ["--permission-mode", "full", "--profile", "lathe"];
const TYPESCRIPT = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));

let scene: Stage;
afterEach(() => scene.close());
const last = (): string => JSON.stringify(scene.server.requests.at(-1)?.body);
const file = (name: string): string => join(scene.box.dir, name);
const ask = (args: object) => turn.calls([{ name: "lsp", args }]);

/** a.ts exports `greet`, which b.ts calls; c.ts has nothing to do with them. */
function project(): void {
  mkdirSync(file("node_modules/.bin"), { recursive: true });
  mkdirSync(file("src"));
  symlinkSync(TYPESCRIPT, file("node_modules/typescript"));
  symlinkSync(join(TYPESCRIPT, "bin/tsc"), file("node_modules/.bin/tsc"));
  writeFileSync(file("tsconfig.json"), JSON.stringify({ compilerOptions: { strict: true, noEmit: true, module: "nodenext", types: [] }, include: ["src"] }));
  writeFileSync(file("src/a.ts"), "/** Says hello 👋. */\nexport function greet(name: string): string {\n  return name;\n}\n");
  writeFileSync(file("src/b.ts"), 'import { greet } from "./a.js";\nexport const x: string = greet("y");\n');
  writeFileSync(file("src/c.ts"), "export const other = 1;\n");
}

it("LP-01 3.8 the server of the project answers about definitions, references, calls and symbols", async () => {
  scene = await stage([
    ask({ action: "status" }),
    ask({ action: "definition", file: "src/b.ts", line: 2, symbol: "greet" }),
    ask({ action: "references", file: "src/a.ts", line: 2, symbol: "greet" }),
    ask({ action: "hover", file: "src/b.ts", line: 2, symbol: "greet" }),
    ask({ action: "symbols", file: "src/b.ts" }),
    ask({ action: "symbols", query: "greet" }),
    ask({ action: "definition", file: "src/b.ts", line: 2, symbol: "nothing" }),
    turn.text("done"),
  ]);
  project();
  await scene.box.run(["trust", "--yes"]);
  const done = await scene.run([...FULL, "go"]);
  expect(done).toMatchObject({ code: 0 });
  const said = last();
  console.log(done.stderr, said.slice(-4000));
});
