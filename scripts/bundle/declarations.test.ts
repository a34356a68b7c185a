// The declarations of a package that contains other packages lead to nothing outside of it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { ownDeclarations } from "./declarations.mjs";

const types = mkdtempSync(join(tmpdir(), "lathe-declarations-"));
afterEach(() => rmSync(types, { recursive: true }));

function declarations(files: Record<string, string>, dependencies: Record<string, string> = {}): Map<string, string> {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(types, name)), { recursive: true });
    writeFileSync(join(types, name), text);
  }
  return ownDeclarations({
    types,
    own: "product",
    manifest: { name: "product", dependencies },
    indexes: {
      product: join(types, "product/src/index.d.ts"),
      "@x/agent": join(types, "agent/src/index.d.ts"),
      "@x/agent/tools": join(types, "agent/src/tools/index.d.ts"),
    },
  });
}

it("an import of another package leads to a copy of the file that declares the name", () => {
  const found = declarations({
    "product/src/index.d.ts": 'export type { A as Own } from "@x/agent";\nexport * from "./sub/b.ts";\n',
    "product/src/sub/b.d.ts": 'export declare const b: import("@x/agent/tools").Tool<number>;\n',
    "product/src/not-reached.d.ts": 'export type { A } from "@x/agent";\n',
    "agent/src/index.d.ts": 'export { type Inner as A } from "./deep/a.ts";\nexport * from "./big.ts";\n',
    "agent/src/big.d.ts": 'import "not-installed";\nexport interface Big {\n}\n',
    "agent/src/deep/a.d.ts":
      'import { type Tool, other as o } from "@x/agent/tools";\nimport type { Stats } from "node:fs";\nexport interface Inner {\n    at: Tool<Stats>;\n}\n',
    "agent/src/tools/index.d.ts": 'export type { Tool } from "./tool.ts";\nexport { other } from "./other.ts";\n',
    "agent/src/tools/tool.d.ts": "export interface Tool<T> {\n    is: T;\n}\n",
    "agent/src/tools/other.d.ts": "export declare const other: 1;\n",
  });
  expect(Object.fromEntries(found)).toEqual({
    "index.d.ts": 'export type { Inner as Own } from "./packages/agent/deep/a.ts";\nexport * from "./sub/b.ts";\n',
    "sub/b.d.ts": 'export declare const b: import("../packages/agent/tools/tool.ts").Tool<number>;\n',
    "packages/agent/deep/a.d.ts":
      'import { type Tool } from "../tools/tool.ts";\nimport { other as o } from "../tools/other.ts";\nimport type { Stats } from "node:fs";\nexport interface Inner {\n    at: Tool<Stats>;\n}\n',
    "packages/agent/tools/tool.d.ts": "export interface Tool<T> {\n    is: T;\n}\n",
    "packages/agent/tools/other.d.ts": "export declare const other: 1;\n",
  });
});

it("a package that users do not get stops the build", () => {
  const files = { "product/src/index.d.ts": 'export type { Y } from "yaml/sub";\n' };
  expect(() => declarations(files)).toThrow(/index\.d\.ts: the declarations of product need yaml\/sub/);
  expect([...declarations(files, { yaml: "1.0.0" }).keys()]).toEqual(["index.d.ts"]);
});

it("an import that cannot be replaced stops the build", () => {
  const files = { "product/src/index.d.ts": 'export * from "@x/agent";\n', "agent/src/index.d.ts": "export {};\n" };
  expect(() => declarations(files)).toThrow("an import of @x/agent in a form that cannot be replaced");
});
