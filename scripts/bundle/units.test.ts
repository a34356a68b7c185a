// The bundler changes what the parser reports as an import, and nothing that only looks like one.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { collectUnits } from "./units.mjs";

type Exports = Record<string, unknown>;
type Unit = { readonly id: number; readonly code: string; readonly needs: string[]; readonly later: string[] };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lathe-bundle-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function collect(files: Record<string, string>): Promise<Map<string, Unit>> {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return collectUnits(join(folder, "main.ts"), { indexes: {}, external: [], define: {} });
}

/** Runs units like the launcher, and records the order in which they start. */
async function run(files: Record<string, string>): Promise<{ exports: Exports; ran: string[] }> {
  const units = await collect(files);
  const byId = new Map([...units].map(([key, unit]) => [unit.id, { key, unit }]));
  const loaded = new Map<number, { exports: Exports }>();
  const ran: string[] = [];
  const unit = (id: number | string): Exports => {
    if (typeof id === "string") return process.getBuiltinModule(id) as unknown as Exports;
    const known = loaded.get(id);
    if (known) return known.exports;
    const module = { exports: {} };
    loaded.set(id, module);
    const { key, unit: found } = byId.get(id)!;
    ran.push(key.slice(folder.length + 1));
    new Function(`return ${found.code}`)()(module, unit, async (later: number) => unit(later), "");
    return module.exports;
  };
  return { exports: unit(units.get(join(folder, "main.ts"))!.id), ran };
}

it("each way to use an import gives what it would give in a module", async () => {
  const { exports, ran } = await run({
    "box.ts": `export class Box { constructor(readonly value: number) {} get twice() { return this.value * 2; } }
      export const make = function (this: unknown) { return this; };
      export type Size = number;`,
    "index.ts": `export * from "./box.ts"; export { sum as total } from "./sum.ts"; export type { Size as Room } from "./box.ts";`,
    "sum.ts": `export function sum(...all: number[]) { return all.reduce((a, b) => a + b, 0); }`,
    "late.ts": `export const late = "it came later";`,
    "main.ts": `import { Box, make, total, type Room } from "./index.ts";
      import { join as joined } from "node:path";
      const import_box = "import_box.Box is only a text";
      export const size: Room = new Box(3).twice;
      export const isUnbound = make() === undefined || make() === globalThis;
      export const object = { total, Box: 1, import_sum: total(...[1, 2], 3) };
      export const text = \`\${import_box} \${joined("a", "b")}\`;
      export { total as again };
      export const later = () => import("./late.ts");
      export async function call() { return total(size, 1); }`,
  });
  expect(exports).toMatchObject({
    size: 6,
    isUnbound: true,
    object: { Box: 1, import_sum: 6 },
    text: "import_box.Box is only a text a/b",
  });
  expect((exports["again"] as (...all: number[]) => number)(4, 5)).toBe(9);
  expect(await (exports["call"] as () => Promise<number>)()).toBe(7);
  expect(await (exports["later"] as () => Promise<Exports>)()).toMatchObject({ late: "it came later" });
  expect(ran).toEqual(["main.ts", "box.ts", "sum.ts", "late.ts"]);
});

it("files that need each other find each other's functions, and nothing runs before it is used", async () => {
  const { exports, ran } = await run({
    "even.ts": `import { odd } from "./odd.ts"; export function even(n: number): boolean { return n === 0 || odd(n - 1); }`,
    "odd.ts": `import { even } from "./even.ts"; export function odd(n: number): boolean { return n !== 0 && even(n - 1); }`,
    "unused.ts": `export const unused = 1;`,
    "main.ts": `import { even } from "./even.ts"; import { unused } from "./unused.ts";
      export const four = even(4); export const never = () => unused;`,
  });
  expect([exports["four"], ran]).toEqual([true, ["main.ts", "even.ts", "odd.ts"]]);
});

it("a package behind an index belongs where its name is used: through the index nothing comes along", async () => {
  const units = await collect({
    "index.ts": `export { one } from "./one.ts"; export { two } from "./two.ts";`,
    "one.ts": `export const one = 1;`,
    "two.ts": `export const two = 2;`,
    "main.ts": `import { one } from "./index.ts"; export const all = [one];`,
  });
  expect([...units.keys()].map((key) => key.slice(folder.length + 1))).toEqual(["main.ts", "one.ts"]);
});

it("what the bundler cannot do is an error with the file's name", async () => {
  const main = `import * as all from "./one.ts"; export const names = Object.keys(all);`;
  await expect(collect({ "one.ts": "export const one = 1;", "main.ts": main })).rejects.toThrow(
    /main\.ts: all is used as a value/,
  );
});
