import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { exportProblems } from "./exports.mjs";

let folder = "";
afterEach(() => rmSync(folder, { recursive: true }));

function problems(files: Record<string, string>, entries = ["index.d.ts"]): string[] {
  folder = mkdtempSync(join(tmpdir(), "exports-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return exportProblems(entries.map((name) => join(folder, name))).map((problem: string) =>
    problem.replaceAll(`${folder}/`, ""),
  );
}

const shapes = `
/** A shape. */
export interface Shape { readonly corners: Corner[]; }
/** A corner. */
export interface Corner { readonly x: number; }
/** Nobody else's. */
interface Hidden { readonly y: number; }
/** Draws. */
export declare function draw(shape: Shape, how: Hidden): Promise<void>;
/** Keeps to itself what it hides. */
export declare class Pen { #private; private ink; width: number; }
`;

it("a type that an exported signature names and the package does not export is named", () => {
  expect(
    problems({ "index.d.ts": `export { type Shape, draw, Pen } from "./shapes.ts";\n`, "shapes.d.ts": shapes }),
  ).toEqual([
    "Shape names Corner, which is not exported (shapes.d.ts)",
    "draw names Hidden, which is not exported (shapes.d.ts)",
  ]);
});

it("imports and `import()` types are followed, other entries count, other packages do not", () => {
  const index = `
import type { Shape as Form } from "./shapes.ts";
import type { Elsewhere } from "elsewhere";
/** One. */
export declare const one: (form: Form, more: Elsewhere) => import("./shapes.ts").Corner;
`;
  const files = { "index.d.ts": index, "shapes.d.ts": shapes };
  expect(problems(files)).toEqual([
    "one names Form, which is not exported (index.d.ts)",
    "one names Corner, which is not exported (index.d.ts)",
  ]);
  rmSync(folder, { recursive: true });
  const more = { ...files, "more.d.ts": `export { type Corner, type Shape } from "./shapes.ts";\n` };
  expect(problems(more, ["index.d.ts", "more.d.ts"])).toEqual([]);
});

it("an export without a comment is named", () => {
  const index = `export declare const bare: number;\n/** Said. */\nexport declare const said: string;\n`;
  expect(problems({ "index.d.ts": index })).toEqual(["bare has no comment that says what it is (index.d.ts)"]);
});
