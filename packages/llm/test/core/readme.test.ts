import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startModelServer, turn } from "@lathe/testkit";
import { expect, it, vi } from "vitest";

const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));

it("CL-01 the README's example of 25 lines runs as it stands", async () => {
  const readme = readFileSync(join(PACKAGE, "README.md"), "utf8");
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  expect(example.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(25);
  await using server = await startModelServer({
    script: [
      turn.calls([{ name: "weather", args: { city: "Oslo" } }], { usage: { input: 10, output: 5 } }),
      turn.text("It is sunny.", { usage: { input: 20, output: 5 } }),
      turn.text("And warm."),
    ],
  });
  vi.stubEnv("ANTHROPIC_API_KEY", "sk-readme");
  vi.stubEnv("ANTHROPIC_BASE_URL", server.baseUrl("anthropic"));
  // With keys of several vendors, the example still gets the one that it names.
  vi.stubEnv("OPENAI_API_KEY", "sk-other");
  vi.stubEnv("OPENAI_BASE_URL", server.baseUrl("openai"));
  const printed: string[] = [];
  vi.spyOn(console, "log").mockImplementation((...words) => void printed.push(words.join(" ")));
  vi.spyOn(process.stdout, "write").mockImplementation((text) => printed.push(String(text)) > 0);
  const folder = await mkdtemp(join(PACKAGE, "test/core/.readme-"));
  try {
    await writeFile(join(folder, "example.ts"), example);
    await import(join(folder, "example.ts"));
  } finally {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  }
  expect(printed[0]).toBe("It is sunny. 40");
  expect(printed.slice(1).join("")).toBe("And warm.");
  expect(server.requests.map(({ dialect, refused }) => [dialect, refused])).toEqual(
    Array(3).fill(["anthropic", undefined]),
  );
});
