// The built `lathe acp` as a process: what the system sees of it, how it ends when the editor is gone, and acpx as a
// client.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { isAlive, until } from "../../agent/test/alive.ts";
import { has } from "../../agent/test/programs.ts";
import { Editor, EVERYTHING } from "./acp-kit.ts";
import { CLI } from "./command.ts";
import { type Stage, stage } from "./contract-kit.ts";
import { spawnTraced } from "./traced.ts";

let scene: Stage;
afterEach(() => scene.close());

const file = (path: string): string => join(scene.box.dir, path);
const EDITOR = fileURLToPath(new URL("acp-killed-editor.mjs", import.meta.url));
const ACPX = join(dirname(createRequire(import.meta.url).resolve("acpx/package.json")), "dist/cli.js");

describe("lathe acp in a process", () => {
  it.skipIf(!has("strace"))(
    "MO-08 G-17 with fs offered no project file is opened for writing (needs strace)",
    async () => {
      scene = await stage([
        turn.calls([{ name: "write_file", args: { file_path: "a.txt", content: "one\n" } }]),
        turn.calls([{ name: "edit_file", args: { file_path: "b.txt", old_string: "old", new_string: "new" } }]),
        turn.text("written"),
      ]);
      writeFileSync(file("b.txt"), "old\n");
      const trace = join(scene.box.home, "trace");
      const args = ["acp", ...scene.args, "--permission-mode", "full"];
      const agent = spawnTraced(trace, [CLI, ...args], { cwd: scene.box.dir, env: { ...scene.box.env, ...scene.env } });
      const { terminal: _, ...capabilities } = EVERYTHING;
      const editor = new Editor(agent, { capabilities });
      await editor.initialize(capabilities);
      const { sessionId } = await editor.create(scene.box.dir);
      await editor.prompt(sessionId, "write");
      expect([readFileSync(file("a.txt"), "utf8"), readFileSync(file("b.txt"), "utf8")]).toEqual(["one\n", "new\n"]);
      const opened = readFileSync(trace, "utf8")
        .split("\n")
        .filter((line) => line.includes(scene.box.dir));
      expect(opened).not.toEqual([]);
      expect(opened.filter((line) => /O_WRONLY|O_RDWR|O_CREAT|rename|creat\(/.test(line))).toEqual([]);
      await editor.leave();
    },
    120_000,
  );

  it("G-17 an editor that is killed with SIGKILL while a command runs leaves no process, and its prompt can be continued", async () => {
    scene = await stage([
      turn.calls([{ name: "shell", args: { command: "sleep 600 & echo $! > pid; echo begun; wait" } }]),
      turn.text("Continued."),
    ]);
    const argv = [EDITOR, process.execPath, CLI, "acp", ...scene.args, "--permission-mode", "full"];
    const env = { ...scene.box.env, ...scene.env };
    const editor = spawn(process.execPath, argv, { cwd: scene.box.dir, env });
    const [printed] = await once(editor.stdout.setEncoding("utf8"), "data");
    const pids = [Number(printed), Number(readFileSync(file("pid"), "utf8"))];
    expect(pids.map(isAlive)).toEqual([true, true]);
    editor.kill("SIGKILL");
    await until(() => !pids.some(isAlive));
    expect(readdirSync(join(scene.box.home, ".lathe/doors"))).toEqual([]);
    const { stdout } = await scene.run(["-c", "-p", "go on"]);
    expect(stdout).toContain("Continued.");
  }, 120_000);

  it("G-17 acpx 0.1.15 runs a prompt, approves the write, and ends", async () => {
    scene = await stage([
      turn.calls([{ name: "write_file", args: { file_path: "a.txt", content: "one\n" } }]),
      turn.text("It is written."),
    ]);
    mkdirSync(scene.box.dir, { recursive: true });
    const agent = [process.execPath, CLI, "acp", ...scene.args, "--permission-mode", "ask"].join(" ");
    const words = [
      "--agent",
      agent,
      "--cwd",
      scene.box.dir,
      "--approve-all",
      "--format",
      "text",
      "exec",
      "write a file",
    ];
    const env = { ...scene.box.env, ...scene.env };
    const { stdout } = await promisify(execFile)(process.execPath, [ACPX, ...words], { cwd: scene.box.dir, env });
    expect(stdout).toContain("It is written.");
    expect(existsSync(file("a.txt"))).toBe(true);
  }, 120_000);
});
