// The same tasks in all three dialects, with each family's own tools, on real files (loop.md 13.1 and 13.2).
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtinCatalog } from "@lathe/llm";
import { type CallSpec, type Script, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SessionOptions } from "../../src/session/types.ts";
import { defineProfile } from "../../src/tools/profiles/define.ts";
import { FAMILIES } from "../../src/tools/profiles/families.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { DIALECTS, type Dialect, type Wired, wire } from "../support/wire.ts";

const MODELS: Record<Dialect, string> = {
  openai: "gpt-5.2",
  anthropic: "claude-opus-4-6",
  gemini: "gemini-3-pro-preview",
};
const LETTER: Record<Dialect, string> = { openai: "O", anthropic: "A", gemini: "G" };

let dir: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "lathe-parity-")));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const path = (name: string): string => join(dir, name);
const text = (name: string): Promise<string> => readFile(path(name), "utf8");

function start(dialect: Dialect, script: Script, options: Partial<SessionOptions> = {}): Promise<Wired> {
  const info = builtinCatalog.get(dialect, MODELS[dialect]);
  return wire(dialect, script, {
    profile: defineProfile(FAMILIES[dialect], { model: MODELS[dialect], ...(info ? { modelInfo: info } : {}) }),
    env: new LocalEnvironment({ cwd: dir, baseEnv: { PATH: process.env["PATH"], HOME: dir } }),
    ...options,
  });
}

/** Creates a file the way the family does. */
const create: Record<Dialect, (name: string, content: string, id?: string) => CallSpec> = {
  openai: (name, content, id = "c1") => ({
    id,
    name: "apply_patch",
    args: {
      patch: `*** Begin Patch\n*** Add File: ${name}\n${content.replace(/^/gm, "+").replace(/\+$/, "")}*** End Patch`,
    },
  }),
  anthropic: (name, content, id = "c1") => ({ id, name: "write_file", args: { file_path: name, content } }),
  gemini: (name, content, id = "c1") => ({ id, name: "write_file", args: { file_path: name, content } }),
};

/** Changes one line in the family's native format. */
const change: Record<Dialect, (name: string, before: string, after: string, id?: string) => CallSpec> = {
  openai: (name, before, after, id = "c1") => ({
    id,
    name: "apply_patch",
    args: { patch: `*** Begin Patch\n*** Update File: ${name}\n@@\n-${before}\n+${after}\n*** End Patch` },
  }),
  anthropic: (name, before, after, id = "c1") => ({
    id,
    name: "edit_file",
    args: { file_path: name, old_string: before, new_string: after },
  }),
  gemini: (name, before, after, id = "c1") => ({
    id,
    name: "edit_file",
    args: { file_path: name, old_string: before, new_string: after },
  }),
};

const read = (name: string, id = "r1"): CallSpec => ({ id, name: "read_file", args: { file_path: name } });
const shell = (command: string, id = "s1", more: object = {}): CallSpec => ({
  id,
  name: "shell",
  args: { command, ...more },
});

describe.each(DIALECTS)("%s", (dialect) => {
  const cell = LETTER[dialect];

  it(`D-060-${cell} D-075 a file is created`, async () => {
    const w = await start(dialect, [turn.calls([create[dialect]("hello.py", 'print("Hello")\n')]), turn.text("done")]);
    await w.session.submit("create hello.py");
    await w.finish();
    expect(await text("hello.py")).toBe('print("Hello")\n');
  });

  it(`D-061-${cell} D-074-${cell} D-076 a file is read, then edited in the native format`, async () => {
    await writeFile(path("hello.py"), 'print("Hello")\nprint("Bye")\n');
    const edit = change[dialect]("hello.py", 'print("Bye")', 'print("Goodbye")');
    const w = await start(dialect, [turn.calls([read("hello.py")]), turn.calls([edit]), turn.text("done")]);
    await w.session.submit("say Goodbye");
    await w.finish();
    expect(w.result(1, "r1", "read_file").text).toBe('1 | print("Hello")\n2 | print("Bye")');
    expect(await text("hello.py")).toBe('print("Hello")\nprint("Goodbye")\n');
    expect(w.of("tool_call_end")[1]?.data).toMatchObject({ is_error: false });
  });

  it(`D-062-${cell} three files change in one session`, async () => {
    for (const name of ["a", "b", "c"]) await writeFile(path(name), `old ${name}\n`);
    const patch = `*** Begin Patch\n${["a", "b", "c"].map((n) => `*** Update File: ${n}\n@@\n-old ${n}\n+new ${n}\n`).join("")}*** End Patch`;
    const calls =
      dialect === "openai"
        ? [{ id: "c1", name: "apply_patch", args: { patch } }]
        : ["a", "b", "c"].map((n) => change[dialect](n, `old ${n}`, `new ${n}`, `c-${n}`));
    const w = await start(dialect, [turn.calls(calls), turn.text("done")]);
    await w.session.submit("renew");
    await w.finish();
    expect(await Promise.all(["a", "b", "c"].map(text))).toEqual(["new a\n", "new b\n", "new c\n"]);
  });

  it(`D-063-${cell} D-077 a command runs and its output goes back`, async () => {
    const w = await start(dialect, [turn.calls([shell("echo $((6 * 7))")]), turn.text("done")]);
    await w.session.submit("compute");
    await w.finish();
    expect(w.result(1, "s1", "shell").text).toMatch(/^42\n\[exit code: 0, \d+ ms\]$/);
    expect(w.of("tool_call_start")[0]?.data.tool_name).toBe("shell");
  });

  it(`D-064-${cell} D-081 a command over its time ends, and the loop continues`, async () => {
    const w = await start(dialect, [
      turn.calls([shell("echo begun; sleep 60", "s1", { timeout_ms: 300 })]),
      turn.text("gave up"),
    ]);
    await w.session.submit("wait");
    expect(w.session.state).toBe("idle");
    await w.finish();
    expect(w.result(1, "s1", "shell").text).toContain("begun\n[ERROR: Command timed out after 300ms.");
  });

  it(`D-065-${cell} grep and glob find the file`, async () => {
    await mkdir(path("src"));
    await writeFile(path("src/needle.ts"), "const target = 1;\n");
    await writeFile(path("src/other.ts"), "const x = 1;\n");
    const grepArgs = { pattern: "target", ...(dialect === "anthropic" ? { output_mode: "files_with_matches" } : {}) };
    const w = await start(dialect, [
      turn.calls([
        { id: "g1", name: "grep", args: grepArgs },
        { id: "g2", name: "glob", args: { pattern: "**/needle.*" } },
      ]),
      turn.text("found"),
    ]);
    await w.session.submit("find it");
    await w.finish();
    expect(w.result(1, "g1", "grep").text).toBe(
      dialect === "anthropic" ? "src/needle.ts" : "src/needle.ts:1:const target = 1;",
    );
    expect(w.result(1, "g2", "glob").text).toBe("src/needle.ts");
  });

  it(`D-066-${cell} read, run, edit, run again: several steps in one input`, async () => {
    await writeFile(path("add.sh"), "echo $(($1 - $2))\n");
    const w = await start(dialect, [
      turn.calls([read("add.sh")]),
      turn.calls([shell("bash add.sh 2 3", "s1")]),
      turn.calls([change[dialect]("add.sh", "echo $(($1 - $2))", "echo $(($1 + $2))")]),
      turn.calls([shell("bash add.sh 2 3", "s2")]),
      turn.text("fixed"),
    ]);
    await w.session.submit("fix add.sh");
    await w.finish();
    expect(w.of("tool_call_end").at(-1)?.data.output).toMatch(/^5\n/);
    expect(w.of("processing_end")[0]?.data.rounds).toBe(4);
  });

  it(`D-067-${cell} D-078 of a large file the model gets a marked part, the event all of it`, async () => {
    await writeFile(path("big.txt"), `${"x".repeat(99)}\n`.repeat(1000));
    const w = await start(dialect, [turn.calls([read("big.txt")]), turn.text("done")]);
    await w.session.submit("read it");
    await w.finish();
    const seen = w.result(1, "r1", "read_file").text;
    expect(seen.length).toBeLessThan(51_000);
    expect(seen).toContain("[WARNING: Tool output was truncated.");
    expect(w.of("tool_call_end")[0]?.data.output?.length).toBeGreaterThan(100_000);
  });

  it(`D-068-${cell} D-019 parallel calls go back together in one request`, async () => {
    for (const name of ["a", "b", "c"]) await writeFile(path(name), name);
    const w = await start(dialect, [turn.calls([read("a", "ra"), read("b", "rb"), read("c", "rc")]), turn.text("abc")]);
    await w.session.submit("read all");
    await w.finish();
    expect(w.server.requests).toHaveLength(2);
    const results = w.server.requests[1]?.view.messages.flatMap((message) =>
      message.results.map((result) => result.text),
    );
    expect(results).toEqual(["1 | a", "1 | b", "1 | c"]);
  });

  it(`D-069-${cell} D-079 a word from the user during the work is in the next request`, async () => {
    const w = await start(dialect, [turn.calls([shell("echo working")]), turn.text("ok")], {});
    const steering = (async () => {
      for await (const event of w.session.events()) {
        if (event.kind === "tool_call_start") w.session.steer("use Flask instead");
        if (event.kind === "processing_end") return;
      }
    })();
    await w.session.submit("build a server");
    await steering;
    await w.finish();
    expect(w.server.requests[1]?.view.messages.at(-1)?.text).toContain("use Flask instead");
  });

  it(`D-070-${cell} effort is in the vendor's field from the next call on`, async () => {
    const w = await start(dialect, [turn.text("one"), turn.text("two")]);
    await w.session.submit("first");
    w.session.config.reasoningEffort = "high";
    await w.session.submit("second");
    await w.finish();
    const [before, after] = w.server.requests.map((request) => JSON.stringify(request.body));
    const field = {
      openai: /"effort":"high"/,
      anthropic: /"(effort|budget_tokens)"/,
      gemini: /"thinking(Level|Budget)"/,
    }[dialect];
    expect(before).not.toMatch(field);
    expect(after).toMatch(field);
  });

  it(`D-071-${cell} D-080 a child agent writes a file, the parent waits and reads it`, async () => {
    let agentId = "";
    const w = await start(dialect, (request) => {
      const own = JSON.stringify(request.body);
      const inChild = request.view.messages.some(
        (message) => message.role === "user" && message.text.includes("write tests"),
      );
      if (inChild && !own.includes('"spawn_agent"')) {
        return own.includes("tests.txt (") || own.includes("A tests.txt")
          ? turn.text("tests written")
          : turn.calls([create[dialect]("tests.txt", "ok\n", "k1")]);
      }
      const results = request.view.messages.flatMap((message) => message.results);
      if (results.length === 0) return turn.calls([{ id: "sp", name: "spawn_agent", args: { task: "write tests" } }]);
      agentId ||= /agent_id["\s:]+([\w-]+)/.exec(results[0]?.text ?? "")?.[1] ?? "";
      if (results.length === 1) return turn.calls([{ id: "w", name: "wait", args: { agent_id: agentId } }]);
      return turn.text("reviewed");
    });
    await w.session.submit("have tests written");
    await w.finish();
    expect(await text("tests.txt")).toBe("ok\n");
    expect(w.of("assistant_text_end").at(-1)?.data.text).toBe("reviewed");
    expect(w.of("tool_call_end").at(-1)?.data.output).toContain("tests written");
  });

  it(`D-072-${cell} the same call ten times draws a warning`, async () => {
    const w = await start(dialect, [
      ...Array.from({ length: 10 }, (_, i) => turn.calls([shell("true", `s${i}`)])),
      turn.text("stop"),
    ]);
    await w.session.submit("loop");
    await w.finish();
    expect(w.of("loop_detection")).toHaveLength(1);
  });

  it(`D-073-${cell} a failed edit says why, and the corrected one lands`, async () => {
    await writeFile(path("a.txt"), "real text\n");
    const w = await start(dialect, [
      turn.calls([change[dialect]("a.txt", "imagined text", "x", "c1")]),
      turn.calls([change[dialect]("a.txt", "real text", "better text", "c2")]),
      turn.text("done"),
    ]);
    await w.session.submit("edit");
    await w.finish();
    expect(w.result(1, "c1", change[dialect]("", "", "").name).text).toContain("real text");
    expect(w.of("tool_call_end").map((event) => event.data.is_error)).toEqual([true, false]);
    expect(await text("a.txt")).toBe("better text\n");
  });

  it("PR-02 what was changed through tools is what git sees", async () => {
    execFileSync("git", ["init", "-q"], { cwd: dir });
    const w = await start(dialect, [turn.calls([create[dialect]("n.txt", "n\n")]), turn.text("done")]);
    await w.session.submit("go");
    await w.finish();
    expect(execFileSync("git", ["status", "--porcelain"], { cwd: dir, encoding: "utf8" })).toContain("n.txt");
  });
});
