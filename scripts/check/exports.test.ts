import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { exportProblems, nameProblems } from "./exports.mjs";

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

it("what another file adds to an exported interface must name exported types, too", () => {
  const files = {
    "index.d.ts": `export type * from "./services.ts";\n`,
    "services.d.ts": "/** Open. */\nexport interface Services { }\n",
    "jobs.d.ts": `declare module "./services.ts" {\n    interface Services {\n        jobs?: Jobs;\n    }\n}\n/** Jobs. */\nexport declare class Jobs { }\n`,
  };
  expect(problems(files)).toEqual(["Services names Jobs, which is not exported (jobs.d.ts)"]);
});

it("an option that cannot be undefined is named; results may be strict", () => {
  const index = `/** Options. */
export interface RunOptions {
    readonly cwd?: string;
    readonly env?: string | undefined;
    readonly onEnd?: ((code: number) => void) | undefined;
    readonly nested?: {
        readonly a?: string;
    };
}
/** Result. */
export interface RunResult {
    readonly signal?: string;
}
`;
  expect(problems({ "index.d.ts": index })).toEqual([
    "RunOptions.cwd does not accept undefined (index.d.ts)",
    "RunOptions.nested does not accept undefined (index.d.ts)",
  ]);
});

it("a name that two packages export is named unless it is the same thing", () => {
  folder = mkdtempSync(join(tmpdir(), "exports-"));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  write("shapes.d.ts", shapes);
  const one = write("one.d.ts", `export { type Shape, Pen } from "./shapes.ts";\n`);
  const two = write(
    "two.d.ts",
    `export { type Shape } from "./shapes.ts";\n/** Holds pigs. */\nexport interface Pen { }\n`,
  );
  expect(nameProblems({ "@x/one": [one], two: [two] })).toEqual(["Pen means different things in @x/one and two"]);
  expect(
    nameProblems({ "@x/one": [one], three: [write("three.d.ts", `export { Pen } from "./shapes.ts";\n`)] }),
  ).toEqual([]);
});
