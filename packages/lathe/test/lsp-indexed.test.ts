// Errors after an edit in a project with a code index: files that depend on the edited one indirectly are found, too.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { type Stage, stage } from "./contract-kit.ts";

const TYPESCRIPT = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));

let scene: Stage;
afterEach(() => scene.close());

it("LP-03 an edit names errors in a file that imports the edited one over another, and how many were not checked", async () => {
  const users = Array.from({ length: 25 }, (_, at) => `src/user${at}.ts`);
  const broken = "export function greet(name: number): string {\n  return String(name);\n}\n";
  const whole = broken.replace("number", "string").replace("String(name)", "name");
  // Server and index are waited for only so long: on a busy machine the file is made whole, and broken again.
  let edits = 0;
  scene = await stage(({ view }) => {
    const last = JSON.stringify(view.messages.at(-1)?.results ?? []);
    if (last.includes("user0.ts: 1 new error") || edits === 11) return turn.text("done");
    return turn.calls([
      { name: "write", args: { path: "src/a.ts", content: edits++ % 2 === 0 ? broken : whole }, id: `w${edits}` },
    ]);
  });
  const file = (name: string): string => join(scene.box.dir, name);
  mkdirSync(file("node_modules/.bin"), { recursive: true });
  mkdirSync(file("src"));
  symlinkSync(TYPESCRIPT, file("node_modules/typescript"));
  symlinkSync(join(TYPESCRIPT, "bin/tsc"), file("node_modules/.bin/tsc"));
  const compilerOptions = { strict: true, noEmit: true, module: "nodenext", types: [] };
  writeFileSync(file("tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
  writeFileSync(file("src/a.ts"), whole);
  writeFileSync(file("src/public.ts"), 'export * from "./a.js";\n');
  for (const user of users)
    writeFileSync(file(user), 'import { greet } from "./public.js";\nexport const x = greet("y");\n');
  expect(await scene.box.run(["trust"])).toMatchObject({ code: 0 });
  expect(await scene.box.run(["map"])).toMatchObject({ code: 0 });
  expect(await scene.run(["--permission-mode", "full", "--profile", "lathe", "go"])).toMatchObject({ code: 0 });
  const said = JSON.stringify(scene.server.requests.at(-1)?.body);
  expect(said).toContain("src/user0.ts: 1 new error");
  expect(said).toContain("Argument of type 'string' is not assignable to parameter of type 'number'.");
  expect(said).toContain("Not checked: 6 more files that use what was edited");
}, 120_000);
