// Forged session files with correct checksums: every command does its work or says in one line what is wrong. Exit code
// 70 would be a bug of ours, a hang even worse.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeLine, sessionFolderName } from "@lathe/agent/record";
import { turn } from "@lathe/testkit";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { changes, hostileJournal, soundLines } from "../../agent/test/journal/hostile-lines.ts";
import { errorLines, type Stage, stage } from "./contract-kit.ts";
import { type Box, makeBox } from "./sessions-box.ts";
import { answer } from "./sessions-fixture.ts";

const runs = process.env["LATHE_LONG"] ? 2000 : 12;
const processRuns = process.env["LATHE_LONG"] ? 100 : 3;
/** None of what a terminal would act on. */
const PRINTABLE = /^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]*$/;

describe("lathe sessions over made-up files", () => {
  let box: Box;
  afterEach(() => box.remove());

  function place(bytes: Buffer, child: Buffer): string {
    const folder = join(box.home, "sessions", sessionFolderName(box.dir));
    mkdirSync(join(folder, "2026_hostile"), { recursive: true });
    writeFileSync(join(folder, "2026_hostile.jsonl"), bytes);
    writeFileSync(join(folder, "2026_hostile", "a0000001.jsonl"), child);
    return join(folder, "2026_hostile.jsonl");
  }

  it("every verb ends with a code of its own and prints nothing that a terminal would act on", async () => {
    await fc.assert(
      fc.asyncProperty(changes, changes, async (list, ofChild) => {
        box = makeBox();
        const child = hostileJournal(ofChild, { cwd: box.dir });
        const path = place(hostileJournal(list, { cwd: box.dir }), child);
        for (const args of [
          ["list", "--all"],
          ["show", path, "--full"],
          ["search", "findable"],
          ["stats"],
          ["doctor"],
          ["export", path, "--out", "page.html"],
          ["rename", path, "another"],
          ["rm", path],
        ]) {
          const isStats = args[0] === "stats";
          const { code, stdout, stderr } = await (isStats ? box.run("stats") : box.run("sessions", ...args));
          expect({ args, code }).toEqual({ args, code: expect.toSatisfy((got) => [0, 1, 2].includes(got)) });
          expect(stdout + stderr).toMatch(PRINTABLE);
          if (code === 2) expect(errorLines(stderr)).toHaveLength(1);
        }
        box.remove();
      }),
      { numRuns: runs },
    );
  }, 900_000);

  it("a subagent that names a call of its own as the one that started it is shown once", async () => {
    box = makeBox();
    const lines = soundLines(box.dir);
    lines[0] = { ...lines[0]!, parentCall: "c1", agentId: "a0000001" };
    const bytes = Buffer.concat(lines.map(encodeLine));
    const path = place(Buffer.concat(soundLines(box.dir).map(encodeLine)), bytes);
    const { code, stdout } = await box.run("sessions", "export", path, "--out", "-");
    expect(code).toBe(0);
    expect(stdout.match(/subagent a0000001/g)).toHaveLength(1);
  });

  it("Markdown that was made to keep a parser busy is shown as it is", async () => {
    box = makeBox();
    const { path, journal } = box.maker.make();
    for (const text of ["_a", "**a", "> ", "*", "- ", "[](", "|a"]) journal.append(answer(text.repeat(100_000)));
    for (let depth = 0, quote = ""; depth < 2000; depth += 500, quote += "> ".repeat(500))
      journal.append(answer(`${quote}x`));
    await journal.close();
    const { code, stdout } = await box.run("sessions", "export", path, "--out", "-");
    expect(code).toBe(0);
    expect(stdout).toContain(`<pre>${"_a".repeat(100)}`);
  });

  it("pipes, loops and folders among the sessions are passed over", async () => {
    box = makeBox();
    const path = place(Buffer.concat(soundLines(box.dir).map(encodeLine)), Buffer.alloc(0));
    const beside = (name: string): string => path.replace("hostile", name);
    execFileSync("mkfifo", [beside("pipe"), `${path}.lock`]);
    symlinkSync(beside("loop"), beside("loop"));
    mkdirSync(beside("folder"));
    for (const args of [
      ["sessions", "list"],
      ["sessions", "search", "findable"],
      ["stats"],
      ["sessions", "show", path],
      ["sessions", "export", path],
    ] as const) {
      const [command, ...rest] = args;
      const { code, stderr } = await box.run(command, ...rest);
      expect({ args, code, stderr: stderr.replace(/lathe: Indexing.*\n/, "") }).toEqual({ args, code: 0, stderr: "" });
    }
    expect(await box.run("sessions", "doctor")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`${path}.lock is not a regular file`),
      stderr: "",
    });
    for (const name of ["pipe", "loop"]) {
      expect(await box.run("sessions", "show", beside(name))).toMatchObject({ code: 2 });
    }
    for (const verb of ["show", "rename", "rm"]) {
      const { code, stderr } = await box.run("sessions", verb, beside("pipe"), "words");
      expect({ verb, code, lines: errorLines(stderr).length }).toEqual({ verb, code: 2, lines: 1 });
    }
    expect(await box.run("sessions", "rename", path, "words")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(".lock is not a regular file"),
    });
  });
});

describe("a run over a made-up file", () => {
  let scene: Stage;
  afterEach(() => scene.close());

  it("goes on, or is refused in one line", async () => {
    await fc.assert(
      fc.asyncProperty(changes, fc.constantFrom("--session", "--resume"), async (list, option) => {
        scene = await stage(() => turn.text("fine"));
        writeFileSync(join(scene.box.dir, "s.jsonl"), hostileJournal(list, { cwd: scene.box.dir }));
        const { code, stdout, stderr } = await scene.run([option, "./s.jsonl", "go"]);
        expect({ code, stderr }).toMatchObject({ code: expect.toSatisfy((got) => [0, 2].includes(got)) });
        expect(stdout).toBe(code === 0 ? "fine\n" : "");
        if (code !== 0) expect(errorLines(stderr)).toHaveLength(1);
        expect(stderr).toMatch(PRINTABLE);
        await scene.close();
      }),
      { numRuns: processRuns },
    );
  }, 900_000);

  it("a result of a named run that is none is not believed", async () => {
    scene = await stage([turn.text("fine")]);
    await scene.run(["--run-id", "x", "go"]);
    const folder = join(scene.box.env["LATHE_HOME"] ?? "", "sessions", sessionFolderName(scene.box.dir));
    const hex = createHash("sha256").update(`${scene.box.dir}\0x`).digest("hex");
    const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    for (const data of [null, [], { exitCode: "1" }, { type: "result", exitCode: 1.5 }]) {
      const entry = { type: "custom", id: `z${Math.random().toString(36).slice(2, 9)}`, parentId: null, timestamp: "" };
      writeFileSync(join(folder, `run_${id}.jsonl`), encodeLine({ ...entry, customType: "lathe:result", data }), {
        flag: "a",
      });
      expect(await scene.run(["--run-id", "x", "go"])).toMatchObject({ code: 0, stdout: "fine\n" });
    }
    writeFileSync(join(folder, `run_${id}.jsonl`), "not a session\n");
    expect(await scene.run(["--run-id", "x", "go"])).toMatchObject({ code: 2, stdout: "" });
    execFileSync("rm", [join(folder, `run_${id}.jsonl`)]);
    execFileSync("mkfifo", [join(folder, `run_${id}.jsonl`)]);
    expect(await scene.run(["--run-id", "x", "go"])).toMatchObject({ code: 2, stdout: "" });
  });
});
