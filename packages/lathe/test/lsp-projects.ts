// Small projects for real language servers: one file defines `greet`, another uses it and is never opened. Each says
// what its server should answer, how to break the project, and the expected error.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerRow } from "../src/additions/lsp/server-row.ts";
import { SERVER_ROWS } from "../src/additions/lsp/server-rows.ts";

export const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
export const TYPESCRIPT_5 = join(REPOSITORY, "packages/testkit/node_modules/typescript");

export interface LanguageProject {
  readonly row: ServerRow;
  readonly files: Readonly<Record<string, string>>;
  /** Where `greet` is used: file, line. */
  readonly use: readonly [file: string, line: number];
  readonly definition: string;
  readonly references: readonly string[];
  readonly hover: string;
  /** A text that breaks the file, and the expected errors. */
  readonly broken: readonly [file: string, text: string, ...said: string[]];
  readonly fixed: readonly string[];
  /** The message if the server does not support moved files. */
  readonly unmoved?: string;
}

function rowOf(name: string, command: string, more: Partial<ServerRow> = {}): ServerRow {
  const row = SERVER_ROWS.find((one) => one.name === name);
  if (!row) throw new Error(`there is no row ${name}`);
  return { ...row, command, ...more };
}

const ownProgram = (name: string): string => join(REPOSITORY, "node_modules/.bin", name);

export const PROJECTS: Readonly<Record<string, LanguageProject>> = {
  "typescript-language-server": {
    row: rowOf("typescript-language-server", ownProgram("typescript-language-server"), {
      initOptions: {
        disableAutomaticTypingAcquisition: true,
        tsserver: { useSyntaxServer: "never", path: join(TYPESCRIPT_5, "lib/tsserver.js") },
      },
    }),
    files: {
      "tsconfig.json": JSON.stringify({
        compilerOptions: { strict: true, noEmit: true, module: "nodenext", types: [] },
        include: ["src"],
      }),
      "src/a.ts": "export function greet(name: string): string {\n  return name;\n}\n",
      "src/b.ts": 'import { greet } from "./a.js";\nexport const x = /* 👋é */ greet("y");\n',
    },
    use: ["src/b.ts", 2],
    definition: "src/a.ts:1:17  export function greet(name: string): string {",
    references: ["src/a.ts:1:17", "src/b.ts:1:10", "src/b.ts:2:28"],
    hover: "greet(name: string): string",
    broken: [
      "src/a.ts",
      "export function greet(name: number): string {\n  return name;\n}\n",
      "src/a.ts: 1 new error\n  2:3 error Type 'number' is not assignable to type 'string'. [typescript 2322]",
      "src/b.ts: 1 new error\n  2:34 error Argument of type 'string' is not assignable to parameter of type 'number'.",
    ],
    fixed: ["src/a.ts: 1 fixed", "src/b.ts: 1 fixed"],
  },
  pyright: {
    row: rowOf("pyright", ownProgram("pyright-langserver")),
    files: {
      "pyproject.toml": '[project]\nname = "x"\n',
      "a.py": "def greet(name: str) -> str:\n    return name\n",
      "b.py": 'from a import greet\n\nx: str = "👋é" + greet("y")\n',
    },
    use: ["b.py", 3],
    definition: "a.py:1:5  def greet(name: str) -> str:",
    references: ["a.py:1:5", "b.py:1:15", "b.py:3:18"],
    hover: "def greet(name: str) -> str",
    broken: [
      "a.py",
      "def greet(name: int) -> str:\n    return name\n",
      'a.py: 1 new error\n  2:12 error Type "int" is not assignable to return type "str"',
      "b.py: 1 new error\n  3:24 error Argument of type",
    ],
    fixed: ["a.py: 1 fixed", "b.py: 1 fixed"],
    unmoved: "pyright cannot tell what a move changes in other files. Nothing was moved",
  },
  bashls: {
    row: rowOf("bashls", ownProgram("bash-language-server")),
    files: {
      ".git/HEAD": "ref: refs/heads/main\n",
      "a.sh": '#!/bin/bash\ngreet() {\n  echo "$1"\n}\n',
      "b.sh": '#!/bin/bash\n. ./a.sh\n: "👋é"; greet "y"\n',
    },
    use: ["b.sh", 3],
    definition: "a.sh:2:1  greet() {",
    references: ["a.sh:2:1", "b.sh:3:10"],
    hover: "Function: **greet** - *defined in a.sh*",
    broken: [
      "a.sh",
      "#!/bin/bash\ngreet() {\n  if true; then\n}\n",
      "a.sh: 2 new errors\n  3:12 error Couldn't parse this then clause.",
    ],
    fixed: ["a.sh: 2 fixed"],
  },
  clangd: {
    row: rowOf("clangd", "clangd"),
    files: {
      "compile_flags.txt": "-Wall\n",
      "a.h": "int greet(int name);\n",
      "a.c": '#include "a.h"\nint greet(int name) {\n  return name;\n}\n',
      "b.c": '#include "a.h"\nint x(void) {\n  return /* 👋é */ greet(1);\n}\n',
    },
    use: ["b.c", 3],
    definition: "a.c:2:5  int greet(int name) {",
    references: ["a.c:2:5", "a.h:1:5", "b.c:3:20"],
    hover: "function `greet`",
    broken: [
      "a.h",
      "int greet(char *name);\n",
      "a.c: 1 new error\n  2:5 error Conflicting types for 'greet'",
      "b.c: 1 new error\n  3:26 error Incompatible integer to pointer conversion",
    ],
    fixed: ["a.c: 1 fixed", "b.c: 1 fixed"],
  },
  gopls: {
    row: rowOf("gopls", "/usr/bin/gopls"),
    files: {
      "go.mod": "module example.com/x\n\ngo 1.15\n",
      "a.go": "package x\n\nfunc greet(name string) string {\n\treturn name\n}\n",
      "b.go": 'package x\n\nvar y = "👋é" + greet("y")\n',
    },
    use: ["b.go", 3],
    definition: "a.go:3:6  func greet(name string) string {",
    references: ["a.go:3:6", "b.go:3:17"],
    hover: "func greet(name string) string",
    broken: [
      "a.go",
      "package x\n\nfunc greet(name int) string {\n\treturn name\n}\n",
      "a.go: 1 new error\n  4:9 error cannot use name",
      // This may be the first report about the file.
      "b.go: 1 ",
      ' error\n  3:23 error cannot use "y"',
    ],
    fixed: ["a.go: 1 fixed", "b.go: 1 fixed"],
  },
};

/** It knows no definitions; its findings appear with those of other servers. */
export const BIOME = {
  row: rowOf("biome", ownProgram("biome")),
  files: { "biome.json": "{}\n", "a.js": "export const x = 1;\n" },
};

export const TYPESCRIPT_7 = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));

/** With TypeScript's own server: a.ts exports `greet`, which b.ts calls; c.ts is unrelated. */
export function makeTypeScriptProject(folder: string): void {
  const file = (name: string): string => join(folder, name);
  mkdirSync(file("node_modules/.bin"), { recursive: true });
  mkdirSync(file("src"));
  symlinkSync(TYPESCRIPT_7, file("node_modules/typescript"));
  symlinkSync(join(TYPESCRIPT_7, "bin/tsc"), file("node_modules/.bin/tsc"));
  const compilerOptions = { strict: true, noEmit: true, module: "nodenext", types: [] };
  writeFileSync(file("tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
  writeFileSync(file("src/a.ts"), "export function greet(name: string): string {\n  return name;\n}\n");
  writeFileSync(file("src/b.ts"), 'import { greet } from "./a.js";\nexport const x = /* 👋é */ greet("y");\n');
  writeFileSync(file("src/c.ts"), "export const other = 1;\n");
}
