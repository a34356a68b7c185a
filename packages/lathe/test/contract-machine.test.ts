// How the machine can affect a run: signals, readers that go away, a session in use, a full or read-only disk.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, chmod, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gate, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { CLI, collect } from "./command.ts";
import { errorLines, jsonLines, KEY, type Stage, stage } from "./contract-kit.ts";
import { canMount, withTmpfs } from "./tmpfs.ts";

let scene: Stage;
afterEach(() => scene.close());

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const shell = (command: string) => turn.calls([{ name: "shell", args: { command } }]);

describe("where a start spends its time", () => {
  it("LS-14 LATHE_DEBUG_STARTUP names each phase as it begins and ends, and stdout stays as it is", async () => {
    scene = await stage([turn.text("ok")]);
    const { code, stdout, stderr } = await scene.runBuilt(["-p", "hi"], { env: { LATHE_DEBUG_STARTUP: "1" } });
    expect([code, stdout]).toEqual([0, "ok\n"]);
    const said = [...stderr.matchAll(/^\[startup\] (\S+):(start|done)$/gm)];
    const started = said.filter(([, , what]) => what === "start").map(([, name]) => name);
    expect(started).toEqual(["workspace", "stdin", "prompts", "run", "model", "print:prompt:initial"]);
    for (const name of started) expect(stderr.indexOf(`${name}:done`)).toBeGreaterThan(stderr.indexOf(`${name}:start`));
  });

  it("LS-14 a start that hangs has named its phase", async () => {
    scene = await stage([]);
    const child = scene.box.start([...scene.args, "-p", "hi"], { ...scene.env, LATHE_DEBUG_STARTUP: "1" });
    let stderr = "";
    // Its stdin stays open: it waits for piped text.
    for await (const text of child.stderr.setEncoding("utf8")) {
      stderr += text;
      if (stderr.includes("stdin:start")) break;
    }
    expect(stderr).not.toContain("stdin:done");
    child.kill("SIGKILL");
  });

  it("LS-14 G-118 LATHE_TIMING prints a tree to stderr after the run, with the time of each prompt", async () => {
    scene = await stage([turn.text("never printed"), turn.text("ok")]);
    const { stdout, stderr } = await scene.runBuilt(["-p", "hi", "-p", "and"], { env: { LATHE_TIMING: "1" } });
    expect(stdout).toBe("ok\n");
    expect(stderr).toMatch(
      /^lathe [\d.]+ ms\n {2}workspace [\d.]+ ms\n(?: {2}.*\n)* {2}run [\d.]+ ms\n {4}model [\d.]+ ms\n {4}print:prompt:initial [\d.]+ ms\n {4}print:prompt:next [\d.]+ ms\n$/,
    );
    expect((await scene.run(["-p", "hi"])).stderr).not.toContain(" ms");
  });
});

describe("SIGKILL", () => {
  it("HD-03 D-086 D-087 what was said before is in the next request, half a line at the end is survived, the key is in no file", async () => {
    const held = gate();
    scene = await stage([turn.text("noted"), turn.text("never read", { before: held.wait }), turn.text("it was blue")]);
    await scene.run(["-p", "remember the colour blue"]);
    const child = scene.start(["--continue", "-p", "and the number seven"]);
    child.stdin.end();
    await held.reached;
    child.kill("SIGKILL");
    await once(child, "exit");
    held.open();
    const root = join(scene.box.env["LATHE_HOME"] ?? "", "sessions");
    const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith(".jsonl"));
    expect(files).toHaveLength(1);
    const file = join(root, files[0] ?? "");
    await appendFile(file, '{"type":"message","id":"half');
    expect(await scene.run(["--continue", "-p", "which colour?"])).toMatchObject({ code: 0, stdout: "it was blue\n" });
    const said = JSON.stringify(scene.server.requests.at(-1)?.view.messages);
    for (const text of ["remember the colour blue", "noted", "and the number seven", "which colour?"])
      expect(said).toContain(text);
    const kept = await readFile(file, "utf8");
    expect(kept).toContain("which colour?");
    expect(kept).not.toContain(KEY);
  });
});

const inLongRuns = process.env["LATHE_LONG"] === undefined ? () => {} : it;

/** The gate tries each signal and each mode once, a long run each signal in each mode. */
const SIGNALS = [
  ["SIGINT", { inGate: "text", other: "json", tries: inLongRuns }],
  ["SIGTERM", { inGate: "json", other: "text", tries: it }],
  ["SIGHUP", { inGate: "text", other: "json", tries: inLongRuns }],
] as const;

describe.each(SIGNALS)("D-086 HD-04 %s", (signal, { inGate, other, tries }) => {
  const modes = process.env["LATHE_LONG"] === undefined ? [inGate] : [inGate, other];
  it.each(modes)("ends a run cleanly in %s mode, and lathe -c goes on", async (mode) => {
    const door = gate();
    scene = await stage([
      turn.text("half of it", { beforeEvent: (i) => (i > 3 ? door.wait() : undefined) }),
      turn.text("the rest"),
    ]);
    const child = scene.start(["--mode", mode, "begin here"]);
    const ended = collect(child);
    child.stdin.end();
    await door.reached;
    child.kill(signal);
    const { code, stdout, stderr } = await ended;
    expect({ code, lines: errorLines(stderr) }).toEqual({ code: 130, lines: [expect.stringContaining("lathe -c")] });
    if (mode === "json") expect(jsonLines(stdout).at(-1)).toMatchObject({ type: "result", status: "interrupted" });
    door.open();
    expect(await scene.run(["-c", "go on"])).toMatchObject({ code: 0, stdout: "the rest\n" });
    const said = scene.server.requests[1]?.view.messages.map(({ text }) => text).join("\n");
    expect(said).toMatch(/begin here.*go on/s);
  });

  tries("ends a running command with it", async () => {
    scene = await stage([shell("echo $$ > pid; exec sleep 600")]);
    const child = scene.start(["--permission-mode", "full", "go"]);
    const ended = collect(child);
    child.stdin.end();
    const pid = await pollFor(join(scene.box.dir, "pid"));
    child.kill(signal);
    expect((await ended).code).toBe(130);
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  });
});

describe("a reader that goes away", () => {
  it.each([
    ["an answer", ["go"], ""],
    ["JSON lines", ["--mode", "json", "go"], "lathe: Interrupted. Continue with: lathe -c\n"],
    ["the help", ["--help"], ""],
  ])("%s into head -c 1 ends quietly", async (_what, args, said) => {
    scene = await stage([turn.text("long ".repeat(50_000))]);
    const command = `"${process.execPath}" "${CLI}" ${[...scene.args, ...args].map((word) => `'${word}'`).join(" ")} | head -c 1`;
    const child = spawn("bash", ["-c", command], { cwd: scene.box.dir, env: { ...scene.box.env, ...scene.env } });
    child.stdin.end();
    expect(await collect(child)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^.$/s), stderr: said });
  });
});

describe("two processes on one session", () => {
  it("the second is refused with code 2 and nothing of the first is lost", async () => {
    const door = gate();
    scene = await stage([turn.text("begun"), turn.text("first", { before: door.wait }), turn.text("after")]);
    await scene.run(["begin"]);
    const child = scene.start(["-c", "go"]);
    const first = collect(child);
    child.stdin.end();
    await door.reached;
    const second = await scene.run(["-c", "me too"]);
    expect(second).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/open in process \d+.*--fork/) });
    door.open();
    expect(await first).toMatchObject({ code: 0, stdout: "first\n" });
    await scene.run(["-c", "and now"]);
    expect(scene.server.requests.at(-1)?.view.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
  });
  it("the same holds for a session file that both want to make", async () => {
    const door = gate();
    scene = await stage([turn.text("first", { before: door.wait })]);
    const child = scene.start(["--session", "new.jsonl", "go"]);
    const first = collect(child);
    child.stdin.end();
    await door.reached;
    const second = await scene.run(["--session", "new.jsonl", "me too"]);
    expect(second).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/open in process \d+/) });
    door.open();
    expect(await first).toMatchObject({ code: 0, stdout: "first\n" });
  });
});

describe("files that are not what they should be end in one line", () => {
  it.each([
    ["a session that is a directory", ["--session", "."], {}, 2, /is not a regular file\. Move it away or use another/],
    ["a copy of a session that is not there", ["--session", "gone.jsonl", "--fork"], {}, 2, /no session gone\.jsonl/],
    ["a file that is no session", ["--session", "notes.jsonl"], {}, 2, /not a readable session.*lathe sessions/],
    ["a file in a file", ["@notes.jsonl/x"], {}, 2, /@notes\.jsonl\/x: no such file\./],
    ["a link to itself", ["@loop"], {}, 2, /@loop: it is a symbolic link that points back to itself\./],
    ["a name that is too long", [`@${"x".repeat(300)}`], {}, 2, /@x+: the name is too long\./],
    ["a home that is a file", [], { LATHE_HOME: "notes.jsonl" }, 70, /LATHE_HOME/],
    [
      "a home where nothing can be made",
      [],
      { LATHE_HOME: "/proc/x" },
      2,
      /^lathe: \/proc\/x cannot be a folder .*LATHE_HOME/,
    ],
    ["a directory that is gone", ["--cwd", "gone"], {}, 2, /gone is not a directory/],
  ])("%s", async (_what, args, env, expected, says) => {
    scene = await stage([]);
    await writeFile(join(scene.box.dir, "notes.jsonl"), "remember the milk\n");
    await symlink("loop", join(scene.box.dir, "loop"));
    // A relative home is resolved against the working directory.
    const run = "LATHE_HOME" in env ? scene.runBuilt : scene.run;
    const { code, stdout, stderr } = await run([...args, "go"], { env });
    expect({ code, stdout, lines: errorLines(stderr) }).toEqual({
      code: expected,
      stdout: "",
      lines: [expect.stringMatching(says)],
    });
  });

  it("an answer that cannot be written to the end is not a success", async () => {
    scene = await stage([turn.text("ok")]);
    const command = `"${process.execPath}" "${CLI}" ${scene.args.join(" ")} go > /dev/full`;
    const child = spawn("bash", ["-c", command], { cwd: scene.box.dir, env: { ...scene.box.env, ...scene.env } });
    child.stdin.end();
    const { code, stderr } = await collect(child);
    expect({ code, lines: errorLines(stderr) }).toEqual({
      code: 70,
      lines: [expect.stringMatching(/ENOSPC.*Free space/)],
    });
  });
});

describe("a home that cannot be written", () => {
  // Root can write everywhere; the read-only mount below covers that case.
  const asUser = isRoot ? () => {} : it;
  asUser("a read-only home ends in one clear line (not as root)", async () => {
    scene = await stage([turn.text("ok")]);
    await mkdir(scene.box.env["LATHE_HOME"]!, { recursive: true });
    await chmod(scene.box.env["LATHE_HOME"]!, 0o500);
    await refusedClearly(await scene.run(["go"]));
    expect(await scene.run(["--no-session", "go"])).toMatchObject({ code: 0, stdout: "ok\n" });
  });

  it.runIf(canMount)("a read-only home ends in one clear line (read-only tmpfs; needs mount)", async () => {
    scene = await stage([turn.text("ok")]);
    await withTmpfs(scene.box.env["LATHE_HOME"]!, "1m", async () => {
      await run("mount", ["-o", "remount,ro", scene.box.env["LATHE_HOME"]!]);
      await refusedClearly(await scene.run(["go"]));
      const json = await scene.run(["--mode", "json", "go"]);
      expect(jsonLines(json.stdout).at(-1)).toMatchObject({ type: "result", status: "internal_error", exitCode: 70 });
      expect(await scene.run(["--no-session", "go"])).toMatchObject({ code: 0, stdout: "ok\n" });
      for (const command of [
        ["config", "set", "permissionMode", "ask"],
        ["trust", "."],
      ]) {
        const { code, stderr } = await scene.box.run(command);
        expect({ code, lines: errorLines(stderr) }).toEqual({
          code: 2,
          lines: [
            expect.stringMatching(/\.lathe cannot be written \(EROFS: the file system is read-only\)\. .*LATHE_HOME/),
          ],
        });
      }
    });
  });

  it.runIf(canMount)("a full disk is no mistake of who continues a session: code 70 (needs mount)", async () => {
    scene = await stage([turn.text("kept"), turn.text("after")]);
    await withTmpfs(scene.box.env["LATHE_HOME"]!, "128k", async (folder) => {
      expect((await scene.run(["first"])).code).toBe(0);
      await expect(writeFile(join(folder, "filler"), Buffer.alloc(2 ** 20))).rejects.toThrow("ENOSPC");
      const { code, stderr } = await scene.run(["-c", "go on"]);
      expect({ code, lines: errorLines(stderr) }).toEqual({ code: 70, lines: [expect.stringContaining("ENOSPC")] });
    });
  });

  it.runIf(canMount)(
    "a disk that fills up in the middle ends in one clear line, and what was kept can be continued (needs mount)",
    async () => {
      const big = "x".repeat(60_000);
      scene = await stage([turn.text("kept"), turn.text(big), turn.text(big), turn.text("after")]);
      await withTmpfs(scene.box.env["LATHE_HOME"]!, "128k", async (folder) => {
        expect((await scene.run(["first"])).code).toBe(0);
        const { code, stderr } = await scene.run(["-c", "-p", "fill", "-p", "fill more"]);
        expect({ code, lines: errorLines(stderr) }).toEqual({
          code: 70,
          lines: [expect.stringMatching(/cannot be written.*ENOSPC.*--no-session/)],
        });
        const [project = ""] = await readdir(join(folder, "sessions"));
        const [file = ""] = (await readdir(join(folder, "sessions", project))).filter((name) =>
          name.endsWith(".jsonl"),
        );
        expect(await readFile(join(folder, "sessions", project, file), "utf8")).toContain("kept");
        await run("mount", ["-o", "remount,size=4m", folder]);
        expect(await scene.run(["-c", "go on"])).toMatchObject({ code: 0 });
      });
    },
  );
});

async function refusedClearly({
  code,
  stdout,
  stderr,
}: {
  code: number | null;
  stdout: string;
  stderr: string;
}): Promise<void> {
  expect({ code, stdout }).toEqual({ code: 70, stdout: "" });
  expect(errorLines(stderr)).toEqual([expect.stringMatching(/LATHE_HOME.*--no-session/)]);
}

async function pollFor(file: string): Promise<number> {
  for (;;) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text.trim() !== "") return Number(text);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
