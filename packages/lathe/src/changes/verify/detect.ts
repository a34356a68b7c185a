// Detects the checks that a project offers: the test script of package.json, `make test`, pytest, cargo and go.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Check } from "@lathe/agent/verify";
import { isJsonObject, parseJson } from "@lathe/llm";

/** The text that `npm init` writes. */
const NO_TEST = /no test specified/;

export function detectChecks(root: string, timeoutMs: number): Check[] {
  const check = (command: string, source: string): Check => ({ command, timeoutMs, source });
  const found: Check[] = [];
  const script = testScript(read(root, "package.json"));
  if (script) found.push(check(`${packageManager(root)} test`, "package.json"));
  const makefile = ["GNUmakefile", "makefile", "Makefile"].find((name) => existsSync(join(root, name)));
  if (makefile !== undefined && !script && /^test\s*:(?!=)/m.test(read(root, makefile)))
    found.push(check("make test", makefile));
  if (isPytestProject(root)) found.push(check("python3 -m pytest -q", "pytest"));
  if (existsSync(join(root, "Cargo.toml"))) found.push(check("cargo test --quiet", "Cargo.toml"));
  if (existsSync(join(root, "go.mod"))) found.push(check("go test ./...", "go.mod"));
  return found;
}

function testScript(text: string): boolean {
  const value = parseJson(text);
  const scripts = isJsonObject(value) && isJsonObject(value["scripts"]) ? value["scripts"] : {};
  const { test } = scripts;
  return typeof test === "string" && test.trim() !== "" && !NO_TEST.test(test);
}

function packageManager(root: string): string {
  if (existsSync(join(root, "pnpm-lock.yaml"))) return "pnpm";
  if (existsSync(join(root, "yarn.lock"))) return "yarn";
  return existsSync(join(root, "bun.lock")) || existsSync(join(root, "bun.lockb")) ? "bun run" : "npm";
}

const isPytestProject = (root: string): boolean =>
  ["pytest.ini", "conftest.py", "tests/conftest.py"].some((name) => existsSync(join(root, name))) ||
  read(root, "pyproject.toml").includes("[tool.pytest") ||
  read(root, "tox.ini").includes("[pytest]") ||
  read(root, "setup.cfg").includes("[tool:pytest]");

function read(root: string, name: string): string {
  const file = join(root, name);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
