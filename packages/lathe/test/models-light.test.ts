import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, bench } from "./models-kit.ts";

let b: Bench;
beforeEach(async () => {
  b = await bench();
});
afterEach(() => b.close());

/** Loaded before the command: notes which files of it are read and how many rows of the catalog are parsed. */
const SPY = `
const fs = require("node:fs");
const files = [];
let rows = 0;
const open = fs.openSync;
fs.openSync = (path, ...rest) => { if (String(path).endsWith(".js")) files.push(String(path)); return open(path, ...rest); };
const parse = JSON.parse;
JSON.parse = (text, ...rest) => { if (String(text).startsWith('{"id":')) rows++; return parse(text, ...rest); };
process.on("exit", () => fs.writeFileSync(process.env.SPY_REPORT, JSON.stringify({ files, rows })));
`;

async function spied(args: readonly string[]): Promise<{ readonly usesYaml: boolean; readonly rows: number }> {
  const spy = join(b.box.dir, "spy.cjs");
  const report = join(b.box.dir, "report.json");
  await writeFile(spy, SPY);
  const env = {
    NODE_OPTIONS: `--require ${spy}`,
    SPY_REPORT: report,
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: b.server.baseUrl("openai"),
  };
  expect(await b.ask(args, env)).toMatchObject({ code: 0, stdout: "ok\n" });
  const { files, rows } = JSON.parse(await readFile(report, "utf8")) as { files: string[]; rows: number };
  const texts = await Promise.all(files.map((file) => readFile(file, "latin1")));
  return { usesYaml: texts.some((text) => text.includes("parseAllDocuments")), rows };
}

describe("a start pays for one model only", () => {
  it.each([["openai/gpt-5.2"], ["openai/gpt-5.2:high"]])("%s parses its own row and loads no YAML", async (model) => {
    expect(await spied(["--model", model])).toEqual({
      usesYaml: false,
      rows: expect.toSatisfy((n) => n > 0 && n <= 3),
    });
  });

  it("a name that may mean anything does build the list, and a models.yml does load YAML", async () => {
    await b.write("models.yml", "providers:\n  openai:\n    headers: { X-A: b }\n");
    const { usesYaml, rows } = await spied(["--model", "gpt-5.2"]);
    expect(usesYaml).toBe(true);
    expect(rows).toBeGreaterThan(100);
  });
});
