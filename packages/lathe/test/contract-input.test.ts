// What goes in: prompts, words, files, piped text; and answers that must fit a schema.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { jsonLines, type Stage, stage } from "./contract-kit.ts";

let scene: Stage;
afterEach(() => scene.close());

const lastSaid = (request = 0): string => scene.server.requests[request]?.view.messages.at(-1)?.text ?? "";
/** A whole PNG of one pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("prompts", () => {
  it("MO-03 D-088 several -p prompts run in order in one session; stdout holds only the last answer", async () => {
    scene = await stage([turn.text("one"), turn.text("two")]);
    expect(await scene.run(["-p", "first", "-p", "second"])).toMatchObject({ code: 0, stdout: "two\n" });
    expect([lastSaid(0), lastSaid(1)].map((text) => /first|second/.exec(text)?.[0])).toEqual(["first", "second"]);
    expect(scene.server.requests[1]?.view.messages).toHaveLength(3);
  });

  it("HD-04 two prompts give two agent_end events; --help needs no key", async () => {
    scene = await stage([turn.text("one"), turn.text("two")]);
    const { stdout } = await scene.run(["--mode", "json", "-p", "first", "-p", "second"]);
    expect(jsonLines(stdout).filter(({ type }) => type === "agent_end")).toHaveLength(2);
    expect(await scene.box.run(["--help"])).toMatchObject({ code: 0, stderr: "" });
  });

  it("a prompt that fails ends the run: what would follow builds on it", async () => {
    scene = await stage([turn.text("", { stop: "content_filter" })]);
    expect(await scene.run(["-p", "first", "-p", "second"])).toMatchObject({ code: 1, stdout: "" });
    expect(scene.server.requests).toHaveLength(1);
  });

  it("words are joined into one prompt, -- ends the options", async () => {
    scene = await stage([turn.text("ok")]);
    await scene.run(["say", "--", "--hello", "world"]);
    expect(lastSaid()).toContain("say --hello world");
  });

  it.each(["text", "json"])("HD-05 with a prompt, piped stdin is context in %s mode", async (mode) => {
    scene = await stage([turn.text("ok")]);
    await scene.run(["--mode", mode, "explain this"], { stdin: '{"type":"message","content":"not a command"}\n' });
    expect(lastSaid()).toMatch(/<stdin>\n\{"type":"message".*\}\n<\/stdin>.*explain this/s);
    expect(scene.server.requests).toHaveLength(1);
  });

  it("piped text alone is the prompt", async () => {
    scene = await stage([turn.text("ok")]);
    expect(await scene.run([], { stdin: "just this" })).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(lastSaid()).toContain("just this");
  });

  it("nothing at all is a usage error", async () => {
    scene = await stage([]);
    expect(await scene.run([])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/lathe "<prompt>"/),
    });
  });

  it("LS-01 @file gives text and images, a binary file or a folder is refused", async () => {
    scene = await stage([turn.text("ok")]);
    await writeFile(join(scene.box.dir, "notes.md"), "remember");
    await writeFile(join(scene.box.dir, "dot.png"), PIXEL);
    await writeFile(join(scene.box.dir, "blob"), Buffer.from([1, 0, 2]));
    await scene.run(["@notes.md", "@dot.png", "look"]);
    const said = scene.server.requests[0]?.view.messages.at(-1);
    expect(said).toMatchObject({
      images: 1,
      text: expect.stringMatching(/<file path="notes.md">\nremember\n<\/file>.*look/s),
    });
    expect(await scene.run(["@blob", "look"])).toMatchObject({ code: 2, stderr: expect.stringContaining("binary") });
    expect(await scene.run(["@.", "look"])).toMatchObject({ code: 2, stderr: expect.stringContaining("directory") });
  });
});

describe("--output-schema", () => {
  const schema = {
    type: "object",
    properties: { n: { type: "integer" } },
    required: ["n"],
    additionalProperties: false,
  };
  const withSchema = async (): Promise<string[]> => {
    await writeFile(join(scene.box.dir, "schema.json"), JSON.stringify(schema));
    return ["--output-schema", "schema.json", "--mode", "json", "count"];
  };

  it("an answer that fits is given as text and as a value", async () => {
    scene = await stage([turn.text('{"n": 7}')]);
    const { code, stdout } = await scene.run(await withSchema());
    expect(code).toBe(0);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ text: '{"n": 7}', output: { n: 7 } });
    expect(lastSaid()).toContain('"required":["n"]');
  });

  it("one that does not fit is asked for again, with what is wrong", async () => {
    scene = await stage([turn.text("seven"), turn.text('{"n": "7"}'), turn.text('```json\n{"n": 7}\n```')]);
    const { code, stdout } = await scene.run(await withSchema());
    expect(code).toBe(0);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ output: { n: 7 } });
    expect(lastSaid(1)).toContain("not valid JSON");
    expect(lastSaid(2)).toMatch(/\bn\b.*integer/);
  });

  it("after two more tries it is code 1", async () => {
    scene = await stage(() => turn.text("seven"));
    const { code, stdout, stderr } = await scene.run(await withSchema());
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("does not fit the schema") });
    expect(jsonLines(stdout).at(-1)).toMatchObject({ status: "failed", text: "seven" });
    expect(scene.server.requests).toHaveLength(3);
  });
});
