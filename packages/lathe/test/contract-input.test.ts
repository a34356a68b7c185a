// Input: prompts, words, files, piped text; and answers that must fit a schema.

import { execFileSync, spawn } from "node:child_process";
import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { CLI, collect } from "./command.ts";
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
    const { stdout } = await scene.run(["--json", "do the first", "do the second"]);
    expect(jsonLines(stdout).filter(({ type }) => type === "agent_end")).toHaveLength(2);
    expect([lastSaid(0), lastSaid(1)].map((text) => /do the \w+$/.exec(text)?.[0])).toEqual([
      "do the first",
      "do the second",
    ]);
    expect(jsonLines((await scene.run(["--json", "--nope"])).stdout)).toMatchObject([{ status: "usage_error" }]);
    expect(await scene.box.run(["--help"])).toMatchObject({ code: 0, stderr: "" });
  });

  it("a prompt that fails ends the run: what would follow builds on it", async () => {
    scene = await stage([turn.text("", { stop: "content_filter" })]);
    expect(await scene.run(["-p", "first", "-p", "second"])).toMatchObject({ code: 1, stdout: "" });
    expect(scene.server.requests).toHaveLength(1);
  });

  it("HD-04 single words are one prompt, an argument with spaces is one of its own, -- ends the options", async () => {
    scene = await stage([turn.text("ok"), turn.text("ok"), turn.text("ok")]);
    await scene.run(["say", "--", "--hello", "world"]);
    expect(lastSaid()).toContain("say --hello world");
    await scene.run(["then", "stop", "and wait"]);
    expect([lastSaid(1), lastSaid(2)].map((text) => text.split(/\n|>/).at(-1))).toEqual(["then stop", "and wait"]);
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

describe("@ inside a prompt", () => {
  const said = (): { text?: string; images?: number } | undefined => scene.server.requests.at(-1)?.view.messages.at(-1);

  it("LS-01 EX-12 names files that are sent with it, in print and in JSON, with piped text", async () => {
    scene = await stage([turn.text("ok"), turn.text("ok"), turn.text("ok")]);
    const file = join(scene.box.dir, "a.txt");
    await writeFile(file, "contents of a");
    await writeFile(join(scene.box.dir, "dot.png"), PIXEL);
    expect(await scene.run(["-p", `hi @${file}, and @dot.png`], { stdin: "ctx" })).toMatchObject({
      code: 0,
      stdout: "ok\n",
    });
    expect(said()).toMatchObject({ images: 1 });
    expect(said()?.text).toMatch(/<stdin>\nctx\n<\/stdin>.*contents of a.*hi @/s);
    await scene.run(["--mode", "json", "look at @a.txt."]);
    expect(said()?.text).toContain('<file path="a.txt">\ncontents of a\n</file>');
    await scene.run(["--mode", "json"], { stdin: `${JSON.stringify({ type: "message", content: "@a.txt" })}\n` });
    expect(said()?.text).toContain("contents of a");
  });

  it("EX-12 a text that others wrote brings nothing from outside, by path or by link, and no keys", async () => {
    scene = await stage([turn.text("ok")]);
    await mkdir(join(scene.box.dir, ".git"));
    await writeFile(join(scene.box.home, "private"), "secret words");
    await writeFile(join(scene.box.dir, ".env"), "secret words");
    await writeFile(join(scene.box.dir, ".git/config"), "secret words");
    await symlink(join(scene.box.home, "private"), join(scene.box.dir, "link"));
    await mkdir(join(scene.box.dir, "docs"));
    await link(join(scene.box.dir, ".env"), join(scene.box.dir, "docs/env.txt"));
    await mkdir(join(scene.box.home, ".ssh"));
    await writeFile(join(scene.box.home, ".ssh/id_rsa"), "secret words");
    await link(join(scene.box.home, ".ssh/id_rsa"), join(scene.box.dir, "docs/key.txt"));
    const prompt = `see @docs/env.txt @docs/key.txt @~/private @../home/private @${scene.box.home}/private @link @.env @.git/config @nobody`;
    expect(await scene.run(["-p", prompt])).toMatchObject({ code: 0 });
    expect(scene.server.requests[0]?.text).not.toContain("secret words");
    expect(said()?.text).toContain(prompt);
  });
});

describe("attached", () => {
  const write = (name: string, bytes: string | Uint8Array): Promise<void> =>
    writeFile(join(scene.box.dir, name), bytes);

  it("a picture is known by its bytes: a PNG called .jpg is sent as one, a text called .png is text", async () => {
    scene = await stage([turn.text("ok")]);
    await write("shot.jpg", PIXEL);
    await write("no-ending", PIXEL);
    await write("pointer.png", "version https://git-lfs.example/spec/v1");
    expect(await scene.run(["@shot.jpg", "@no-ending", "@pointer.png", "look"])).toMatchObject({ code: 0 });
    expect(scene.server.requests[0]?.view.messages.at(-1)).toMatchObject({ images: 2 });
    expect(scene.server.requests[0]?.text).not.toContain("image/jpeg");
    expect(lastSaid()).toContain("git-lfs");
  });

  it("text comes in its own encoding; a PDF and a picture that no provider takes are refused", async () => {
    scene = await stage([turn.text("ok")]);
    await write("wide.txt", Buffer.from("\uFEFFwide \u00e9", "utf16le"));
    await write("old.txt", Buffer.from("caf\u00e9", "latin1"));
    expect(await scene.run(["@wide.txt", "@old.txt", "read"])).toMatchObject({ code: 0 });
    expect(lastSaid()).toMatch(/\nwide \u00e9\n.*\ncaf\u00e9\n/s);
    await write("paper.pdf", "%PDF-1.7\n1 0 obj\n");
    expect(await scene.run(["@paper.pdf", "read"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("binary"),
    });
    await write("wall.png", Buffer.concat([PIXEL, Buffer.alloc(4_000_000)]));
    expect(await scene.run(["@wall.png", "look"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("smaller"),
    });
    expect(scene.server.requests).toHaveLength(1);
  });

  it("@~/file is in the home, since no shell expands it", async () => {
    scene = await stage([turn.text("ok")]);
    await writeFile(join(scene.box.home, "notes.md"), "from home");
    await scene.run(["@~/notes.md", "look"]);
    expect(lastSaid()).toContain("from home");
  });

  it("a picture can be piped in; other binary data is refused", async () => {
    scene = await stage([turn.text("ok")]);
    expect(await scene.run(["-p", "what is this?"], { stdin: PIXEL })).toMatchObject({ code: 0 });
    expect(scene.server.requests[0]?.view.messages.at(-1)?.images).toBe(1);
    expect(await scene.run(["-p", "what?"], { stdin: Buffer.from([1, 0, 2]) })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Piped input is binary"),
    });
  });

  it('"-" is the prompt that comes on stdin, and an error when nothing does', async () => {
    scene = await stage([turn.text("one"), turn.text("two")]);
    expect(await scene.run(["-p", "-", "-p", "then this"], { stdin: "do that\n" })).toMatchObject({ stdout: "two\n" });
    expect(lastSaid(0)).toMatch(/(?<!<stdin>\n)do that$/);
    expect(lastSaid(1)).toBe("then this");
    expect(await scene.run(["-"])).toMatchObject({ code: 2, stderr: expect.stringContaining("stdin is empty") });
  });

  it("an empty prompt is a usage error, not a request about nothing", async () => {
    scene = await stage([]);
    for (const args of [["-p", ""], ["-p", "  "], [""]])
      expect(await scene.run(args)).toMatchObject({ code: 2, stdout: "" });
    expect(scene.server.requests).toHaveLength(0);
  });
});

describe("a pipe in place of a file", () => {
  it.each([
    ["@pipe", ["@pipe", "say"]],
    ["--system-prompt", ["--system-prompt", "pipe", "say"]],
    ["--append-system-prompt", ["--append-system-prompt", "pipe", "say"]],
    ["--output-schema", ["--output-schema", "pipe", "say"]],
  ])("%s is refused with a line: it would be waited for without a word", async (_, args) => {
    scene = await stage([]);
    execFileSync("mkfifo", [join(scene.box.dir, "pipe")]);
    const { code, stderr } = await scene.run(args);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^lathe: .*pipe.* is a pipe or device.*\n$/),
    });
  });

  it("--config names what it needs instead", async () => {
    scene = await stage([]);
    execFileSync("mkfifo", [join(scene.box.dir, "pipe")]);
    const { code, stderr } = await scene.run(["--config", "pipe", "say"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /^lathe: Cannot read settings .*pipe: it is a pipe or device\. Give a regular file\.\n$/,
      ),
    });
  });

  it("what a shell gives for <(command) is read", async () => {
    scene = await stage([turn.text("yes")]);
    const command = [process.execPath, CLI, ...scene.args].map((word) => `'${word}'`).join(" ");
    const shell = spawn("bash", ["-c", `${command} --system-prompt <(echo talk like a pirate) say`], {
      cwd: scene.box.dir,
      env: { ...scene.box.env, ...scene.env },
    });
    shell.stdin.end();
    expect(await collect(shell)).toMatchObject({ code: 0, stdout: "yes\n" });
    expect(JSON.stringify(scene.server.requests[0]?.body)).toContain("talk like a pirate");
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
    const { stdout: listed } = await scene.box.run(["sessions", "list"], { env: scene.env });
    expect(listed).toContain("count (as JSON)");
    expect(listed).not.toContain("JSON Schema");
  });

  it("one that does not fit is asked for again, with what is wrong", async () => {
    scene = await stage([turn.text("seven"), turn.text('{"n": "7"}'), turn.text('```json\n{"n": 7}\n```')]);
    const { code, stdout } = await scene.run(await withSchema());
    expect(code).toBe(0);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ text: '{"n": 7}', output: { n: 7 } });
    expect(lastSaid(1)).toContain("not valid JSON");
    expect(lastSaid(2)).toMatch(/\bn must be a whole number/);
  });

  it("stdout is JSON that jq can read, also when the model put words and a fence around it", async () => {
    scene = await stage([turn.text('Here it is:\n\n```json\n{"n": 7}\n```\n')]);
    const args = (await withSchema()).filter((word) => word !== "--mode" && word !== "json");
    expect(await scene.run(args)).toEqual({ code: 0, stdout: '{"n": 7}\n', stderr: "" });
  });

  it("a schema with a slip is refused before anything is sent", async () => {
    scene = await stage([]);
    await writeFile(join(scene.box.dir, "slip.json"), '{"type": "strin"}');
    expect(await scene.run(["--output-schema", "slip.json", "count"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('/type: "strin" is not a type'),
    });
    expect(scene.server.requests).toHaveLength(0);
  });

  it.each([
    ["words", 'Here it is: {"n": 7} ok'],
    ["words with brackets", 'See [sic] {this} and [1]: {"n": 7}.'],
    ["a fence within a line", 'Sure: ```json\n{"n": 7}\n```'],
  ])("%s around the JSON are not part of the answer", async (_, answer) => {
    scene = await stage([turn.text(answer)]);
    const { code, stdout } = await scene.run(await withSchema());
    expect(code).toBe(0);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ text: '{"n": 7}', output: { n: 7 } });
  });

  it("of two values that fit neither is chosen", async () => {
    scene = await stage([turn.text('{"n": 7} or {"n": 8}'), turn.text('{"n": 8}')]);
    expect(await scene.run(await withSchema())).toMatchObject({ code: 0 });
    expect(lastSaid(1)).toContain("several JSON values");
  });

  it("a pattern that would be tried for ever ends the run with a line instead of blocking it", async () => {
    scene = await stage(() => turn.text(JSON.stringify(`${"a".repeat(40)}!`)));
    await writeFile(join(scene.box.dir, "slow.json"), '{"type": "string", "pattern": "^(a+)+$"}');
    const { code, stderr } = await scene.run(["--output-schema", "slow.json", "count"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("takes too long to check") });
  });

  it("after two more tries it is code 1", async () => {
    scene = await stage(() => turn.text("seven"));
    const { code, stdout, stderr } = await scene.run(await withSchema());
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("does not fit the schema") });
    expect(jsonLines(stdout).at(-1)).toMatchObject({ status: "failed", text: "seven" });
    expect(scene.server.requests).toHaveLength(3);
  });
});
