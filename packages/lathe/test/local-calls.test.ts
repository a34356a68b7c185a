import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "./command.ts";
import { type LocalKind, type LocalOptions, type LocalServer, localServer, writtenCall } from "./local-kit.ts";

let box: Sandbox;
let local: LocalServer | undefined;
beforeEach(async () => {
  box = await sandbox();
});
afterEach(async () => {
  await local?.close();
  local = undefined;
  await box.remove();
});

async function serve(options: Partial<LocalOptions> & Pick<LocalOptions, "play">): Promise<LocalServer> {
  await local?.close();
  local = await localServer({ kind: "llama.cpp", window: 16_384, tools: false, ...options });
  return local;
}

const run = (server: LocalServer, args: readonly string[] = [], env: Record<string, string> = {}) =>
  box.run(["--model", server.model, "--permission-mode", "full", ...args, "-p", "do it"], {
    env: { ...server.env, ...env },
  });

const choose = (calls: string) =>
  writeFile(join(box.env["LATHE_HOME"]!, "config.yml"), `localModels:\n  calls: ${calls}\n`);

const facts = async () =>
  JSON.parse(await readFile(join(box.env["LATHE_HOME"]!, "cache/local-models.json"), "utf8"))["#learned"];

const task = (step: number) =>
  [
    writtenCall("write", { file_path: "a.txt", content: "one\n" }),
    writtenCall("bash", { command: "cat a.txt" }, "fence"),
  ][step] ?? turn.text("Done.");

describe("a server that refuses tools", () => {
  it.each<[LocalKind]>([["llama.cpp"], ["ollama"], ["lm-studio"], ["vllm"]])(
    "LS-08 %s: gets the calls as text, which run like others; this is said, and remembered for a day",
    async (kind) => {
      const server = await serve({ kind, play: task });
      const first = await run(server);
      expect(first).toMatchObject({ code: 0, stdout: "Done.\n" });
      expect(first.stderr).toContain(`${kind} refuses tools for tiny:1b, so its calls are read from its text.`);
      expect(await readFile(join(box.dir, "a.txt"), "utf8")).toBe("one\n");
      expect(server.seen).toMatchObject({ refusedTools: 1, steps: 3 });
      const { messages } = server.server.requests.at(-1)!.view;
      expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
      expect(messages.at(-1)!.text).toMatch(/^<tool_response name="bash">\n[\s\S]*one[\s\S]*<\/tool_response>$/);
      expect(await facts()).toEqual({ [server.model]: { refusedTools: expect.any(Number) } });
      server.seen.steps = 0;
      expect(await run(server)).toMatchObject({ code: 0, stderr: "" });
      expect(server.seen.refusedTools).toBe(1);
    },
  );

  it("LS-08 each request begins as the last one did", async () => {
    const server = await serve({ play: task });
    await run(server);
    const bodies = server.server.requests.filter(({ dialect }) => dialect).map(({ body }) => body.messages);
    const [, ...sent] = bodies.filter((messages) => messages !== undefined);
    for (const [at, messages] of sent.entries()) {
      const earlier = sent[at - 1] ?? [];
      expect(messages.slice(0, earlier.length)).toEqual(earlier);
    }
  });

  it("LS-08 localModels.calls: text never offers tools, native never reads text", async () => {
    const server = await serve({ tools: true, play: task });
    await choose("text");
    await run(server);
    expect(server.server.requests.every(({ body }) => body?.tools === undefined)).toBe(true);
    server.seen.steps = 0;
    await choose("native");
    const { stdout } = await run(server);
    expect(stdout).toContain("<tool_call>");
  });
});

describe("a server that takes tools", () => {
  it("LS-08 and a model that writes them as text all the same", async () => {
    const server = await serve({ tools: true, play: task });
    expect(await run(server)).toMatchObject({ code: 0, stdout: "Done.\n", stderr: "" });
    expect(await readFile(join(box.dir, "a.txt"), "utf8")).toBe("one\n");
  });
});

describe("a call that cannot be read", () => {
  const broken = '<tool_call>\n{"name": "bash", "arguments": {"command": "echo "hi" > b.txt"}}\n</tool_call>';
  const repaired = JSON.stringify({ name: "bash", arguments: { command: "echo hi > b.txt" } });

  it.each<[LocalKind]>([["llama.cpp"], ["ollama"], ["lm-studio"], ["vllm"]])(
    "LS-08 %s is asked for it again, under a grammar, and what it says then is the history",
    async (kind) => {
      const server = await serve({
        kind,
        tools: kind !== "llama.cpp",
        play: (step) => (step === 0 ? turn.text(broken) : turn.text("Done.")),
        beside: () => turn.text(repaired),
      });
      const { code, stdout } = await run(server);
      expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
      expect(await readFile(join(box.dir, "b.txt"), "utf8")).toBe("hi\n");
      const grammars = server.server.requests.flatMap(
        ({ body }) => body?.response_format?.json_schema?.schema ?? body?.format ?? [],
      );
      expect(grammars).toEqual([expect.objectContaining({ required: ["name", "arguments"] })]);
      // Nothing before it was under a grammar.
      const [first] = server.server.requests.filter(({ dialect }) => dialect);
      expect(first!.body.response_format ?? first!.body.format).toBeUndefined();
      const last = server.server.requests.at(-1)!;
      expect(JSON.stringify(last.body.messages)).toContain("echo hi > b.txt");
    },
  );

  it("LS-08 twice at the most; then it is refused and the model reads why", async () => {
    const asked: number[] = [];
    const server = await serve({
      play: (step) => (step === 0 ? turn.text(broken) : turn.text("I give up.")),
      beside: () => {
        asked.push(1);
        return turn.text("no JSON");
      },
    });
    expect(await run(server)).toMatchObject({ code: 0, stdout: "I give up.\n" });
    expect(asked).toHaveLength(2);
    expect(server.server.requests.at(-1)!.view.messages.at(-1)!.text).toContain("the arguments are not a JSON object");
  });
});

describe("the window of a server", () => {
  it("LS-08 one that is smaller than it says is learnt from its refusal, and remembered", async () => {
    await writeFile(join(box.dir, "big.txt"), "line of words\n".repeat(4_000));
    const play = (step: number) =>
      step < 6
        ? turn.calls([{ name: "read", args: { file_path: "big.txt", offset: 1 + 600 * step } }])
        : turn.text("Done.");
    const server = await serve({ kind: "llama.cpp", tools: true, window: 4_096, claims: 16_384, play });
    const first = await run(server);
    expect(first).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(first.stderr).toContain("llama.cpp/tiny:1b has a window of 4096 tokens, not 16384 as assumed.");
    expect(server.seen.overflows).toBe(1);
    expect(await facts()).toEqual({ [server.model]: { window: { tokens: 4_096, assumed: 16_384, stated: true } } });
    server.seen.steps = 0;
    expect(await run(server)).toMatchObject({ code: 0, stderr: expect.not.stringContaining("window of") });
    expect(server.seen.overflows).toBe(1);
  });

  it("LS-08 a value of models.yml stays, and is said to be wrong", async () => {
    await mkdir(box.env["LATHE_HOME"]!, { recursive: true });
    await writeFile(
      join(box.env["LATHE_HOME"]!, "models.yml"),
      "providers:\n  llama.cpp:\n    modelOverrides:\n      tiny:1b: { contextWindow: 12000 }\n",
    );
    await writeFile(join(box.dir, "big.txt"), "line of words\n".repeat(4_000));
    const play = (step: number) =>
      step < 5
        ? turn.calls([{ name: "read", args: { file_path: "big.txt", offset: 1 + 600 * step } }])
        : turn.text("Done.");
    const server = await serve({ tools: true, window: 4_096, claims: 16_384, play });
    const { code, stderr } = await run(server);
    expect(code).toBe(0);
    expect(stderr).toContain("has a window of 4096 tokens, but models.yml says 12000. Set contextWindow to 4096");
    await expect(facts()).resolves.toBeUndefined();
  });
});
