// ast_grep and ast_edit as a session uses them: found by the search for tools, run by every host.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Sandbox, sandbox } from "./command.ts";

let box: Sandbox;
beforeEach(async () => {
  box = await sandbox();
  await writeFile(join(box.dir, "a.ts"), `console.log(1);\nconst s = "console.log(2)"; // console.log(3)\n`);
  await writeFile(join(box.dir, "b.py"), `console.log(4)\n`);
});
afterEach(() => box.remove());

it("T-AST-1 lathe tool runs ast_grep: calls are found in TypeScript and Python, strings and comments are not", async () => {
  const run = await box.run(["tool", "ast_grep", JSON.stringify({ pat: "console.log($A)" })]);
  expect(run.stdout).toBe("¶a.ts\n*1:console.log(1);\n\n¶b.py\n*1:console.log(4)\n");
  expect(run.code).toBe(0);
});
