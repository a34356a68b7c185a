import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startModelServer, turn } from "@lathe/testkit";
import { build } from "esbuild";
import { expect, it } from "vitest";

it("the host program of the README runs with a tool of its own, steers and ends", async () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const program = /```ts\n([\s\S]*?)```/.exec(readme)![1]!;
  expect(program.trim().split("\n").length).toBeLessThanOrEqual(25);
  const folder = mkdtempSync(join(tmpdir(), "lathe-readme-"));
  writeFileSync(join(folder, "host.ts"), program);
  await build({
    entryPoints: [join(folder, "host.ts")],
    outfile: join(folder, "host.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    conditions: ["lathe-source"],
    alias: {
      "@lathe/agent": fileURLToPath(new URL("../../src/index.ts", import.meta.url)),
      "@lathe/llm": fileURLToPath(new URL("../../../llm/src/index.ts", import.meta.url)),
      "@lathe/llm/schema": fileURLToPath(new URL("../../../llm/src/schema/index.ts", import.meta.url)),
      "@lathe/llm/providers": fileURLToPath(new URL("../../../llm/src/providers/index.ts", import.meta.url)),
    },
    loader: { ".md": "text" },
    external: ["web-tree-sitter", "@vscode/*", "@ast-grep/*", "linkedom"],
    logLevel: "error",
  });
  await using server = await startModelServer({
    script: [
      turn.calls([{ name: "greeting", args: { language: "German" }, id: "c0" }]),
      turn.calls([{ name: "write_file", args: { file_path: "hello.txt", content: "Hello!\n" }, id: "c1" }]),
      turn.text("Wrote a greeting."),
    ],
  });
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    ANTHROPIC_API_KEY: "key",
    ANTHROPIC_BASE_URL: server.baseUrl("anthropic"),
  };
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "host.mjs")], {
    cwd: folder,
    env,
    timeout: 120_000,
  });
  expect(readFileSync(join(folder, "hello.txt"), "utf8")).toBe("Hello!\n");
  expect(stdout).toContain("[greeting: ok]");
  expect(stdout).toContain("[write_file: ok]");
  expect(stdout).toContain("Wrote a greeting.");
  expect(stdout).toMatch(/\(completed, 17 characters, \d+ tokens\)/);
  expect(JSON.stringify(server.requests[1]!.view.messages.at(-1)!.results)).toContain("Guten Tag!");
  expect(server.requests[1]!.view.messages.at(-1)!.text).toContain("Keep it short, please.");
});
