import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { detectChecks } from "./detect.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "detect-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const NPM = '{ "scripts": { "test": "node --test" } }';

it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ["nothing", { "README.md": "" }, []],
  ["npm", { "package.json": NPM }, ["npm test"]],
  ["pnpm", { "package.json": NPM, "pnpm-lock.yaml": "" }, ["pnpm test"]],
  ["yarn", { "package.json": NPM, "yarn.lock": "" }, ["yarn test"]],
  [
    "what npm init writes",
    { "package.json": '{ "scripts": { "test": "echo \\"Error: no test specified\\" && exit 1" } }' },
    [],
  ],
  ["a manifest that cannot be read", { "package.json": "{" }, []],
  ["make", { Makefile: "all:\n\ttrue\ntest: all\n\ttrue\n" }, ["make test"]],
  ["a variable of make is no target", { Makefile: "test := 1\n" }, []],
  ["npm before make, which often calls it", { "package.json": NPM, Makefile: "test:\n\tnpm test\n" }, ["npm test"]],
  ["pytest by its configuration", { "pyproject.toml": "[tool.pytest.ini_options]\n" }, ["python3 -m pytest -q"]],
  ["pytest by conftest", { "tests/conftest.py": "" }, ["python3 -m pytest -q"]],
  ["cargo and go", { "Cargo.toml": "", "go.mod": "" }, ["cargo test --quiet", "go test ./..."]],
])("N1 verify.detect finds %s", (_what, files, commands) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  expect(detectChecks(root, 1).map(({ command }) => command)).toEqual(commands);
});
