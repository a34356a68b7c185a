import { mkdtemp, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { defineProfile } from "../../src/tools/profiles/define.ts";
import { FAMILIES } from "../../src/tools/profiles/families.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { DIALECTS, type Dialect, wire } from "../support/wire.ts";

const MODELS: Record<Dialect, string> = {
  openai: "gpt-5.2",
  anthropic: "claude-opus-4-6",
  gemini: "gemini-3-pro-preview",
};

const AGENTS = ["send_input", "wait", "close_agent"];

const LISTS: Record<Dialect, readonly string[]> = {
  anthropic: [
    ...["Read", "Edit", "Write", "Bash", "Grep", "Glob", "Agent", "TodoWrite", "AskUserQuestion", "ExitPlanMode"],
    ...["BashOutput", "KillShell", ...AGENTS],
  ],
  openai: [
    ...["exec_command", "write_stdin", "apply_patch", "update_plan", "view_image", "read_address"],
    ...["request_user_input", "spawn_agent", "send_input", "wait_agent", "close_agent", "exit_plan_mode"],
  ],
  gemini: [
    ...["read_file", "read_many_files", "write_file", "replace", "run_shell_command", "grep_search", "glob"],
    ...["list_directory", "spawn_agent", ...AGENTS, "write_todos", "ask_user", "exit_plan_mode"],
    ...["job_output", "job_stop"],
  ],
};

/** Names that only our own lists have: none may be left in the prompt of a vendor's list. */
const OURS: Record<Dialect, readonly string[]> = {
  anthropic: ["read_file", "edit_file", "write_file", "shell", "grep", "glob", "spawn_agent", "todo", "ask_user"],
  openai: ["read_file", "write_file", "shell", "grep", "glob", "wait", "todo", "ask_user"],
  gemini: ["edit_file", "shell", "grep", "list_dir", "todo"],
};

async function start(dialect: Dialect, script: Parameters<typeof wire>[1]) {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "lathe-native-")));
  await writeFile(join(dir, "a.txt"), "one\ntwo\nThree\n");
  const w = await wire(dialect, script, {
    profile: defineProfile(FAMILIES[dialect], { model: MODELS[dialect], toolNames: "native" }),
    env: new LocalEnvironment({ cwd: dir, baseEnv: { PATH: process.env["PATH"] } }),
  });
  return { ...w, dir, file: (name: string) => readFile(join(dir, name), "utf8") };
}

describe.each(DIALECTS)("toolNames: native, %s", (dialect) => {
  it("PR-02 the vendor's names are offered and its prompt speaks of no others", async () => {
    const w = await start(dialect, [turn.text("hi")]);
    await w.session.submit("hello");
    await w.finish();
    const names = [...JSON.stringify(w.server.requests[0]?.body).matchAll(/"name":"(\w+)","description"/g)];
    expect(names.map((match) => match[1])).toEqual(LISTS[dialect]);
    // The descriptions of the tools follow the base prompt and quote shell programs of the same names.
    const system = (w.server.requests[0]?.view.system ?? "").split("\n## Report")[0]!.split("\n## Answering")[0]!;
    for (const name of OURS[dialect]) expect(system).not.toContain(`\`${name}\``);
    expect(system).toContain(`\`${LISTS[dialect][0]}\``);
    expect(system).not.toContain("{{");
  });
});

it("PR-02 U-14 Claude Code's tools read, search, edit, write, run and plan", async () => {
  const w = await start("anthropic", [
    turn.calls([
      { name: "Read", id: "r", args: { file_path: "a.txt", offset: 2, limit: 1 } },
      { name: "Grep", id: "g1", args: { pattern: "three", "-i": true } },
      { name: "Grep", id: "g2", args: { pattern: "two", output_mode: "content", "-C": 1, type: "txt", "-n": true } },
      { name: "Glob", id: "gl", args: { pattern: "*.txt" } },
    ]),
    turn.calls([{ name: "Edit", id: "e", args: { file_path: "a.txt", old_string: "two", new_string: "2" } }]),
    turn.calls([
      { name: "Write", id: "w", args: { file_path: "b.txt", content: "new\n" } },
      { name: "Bash", id: "b", args: { command: "cat a.txt; exit 3", timeout: 5000, description: "show" } },
      { name: "TodoWrite", id: "t", args: { todos: [{ content: "x", status: "in_progress", activeForm: "xing" }] } },
      { name: "Bash", id: "bg", args: { command: "echo ready; sleep 60", run_in_background: true } },
    ]),
    turn.calls([{ name: "KillShell", id: "k", args: { shell_id: "1" } }]),
    turn.text("done"),
  ]);
  await w.session.submit("work");
  await w.finish();
  expect(w.result(1, "r", "Read").text).toContain("2 | two");
  expect(w.result(1, "g1", "Grep").text).toBe("a.txt");
  expect(w.result(1, "g2", "Grep").text).toBe("a.txt-1-one\na.txt:2:two\na.txt-3-Three");
  expect(w.result(1, "gl", "Glob").text).toBe("a.txt");
  expect(w.result(2, "e", "Edit").text).toContain("Replaced 1 occurrence(s) in a.txt");
  expect(await w.file("a.txt")).toBe("one\n2\nThree\n");
  expect(await w.file("b.txt")).toBe("new\n");
  expect(w.result(3, "b", "Bash")).toMatchObject({ isError: true });
  expect(w.result(3, "b", "Bash").text).toMatch(/^one\n2\nThree\n\[exit code: 3/);
  expect(w.result(3, "t", "TodoWrite").text).toContain("[/] x");
  expect(w.result(3, "bg", "Bash").text).toContain("Started job 1");
  expect(w.result(4, "k", "KillShell").text).toContain("Job 1 has ended");
});

it("PR-02 U-14 Codex's tools run commands as sessions, patch and plan", async () => {
  const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** End Patch";
  const w = await start("openai", [
    turn.calls([{ name: "exec_command", id: "c1", args: { cmd: "cat a.txt; exit 2", max_output_tokens: 100 } }]),
    turn.calls([
      { name: "apply_patch", id: "p", args: { input: patch } },
      { name: "update_plan", id: "u", args: { plan: [{ step: "x", status: "completed" }] } },
    ]),
    turn.calls([{ name: "exec_command", id: "c2", args: { cmd: "echo up; sleep 60", yield_time_ms: 300 } }]),
    turn.calls([{ name: "write_stdin", id: "s1", args: { session_id: 1, yield_time_ms: 0 } }]),
    turn.calls([{ name: "write_stdin", id: "s2", args: { session_id: 2, chars: "yes\n" } }]),
    turn.calls([{ name: "write_stdin", id: "s3", args: { session_id: 2, chars: "\u0003" } }]),
    turn.text("done"),
  ]);
  await w.session.submit("work");
  await w.finish();
  expect(w.result(1, "c1", "exec_command").text).toMatch(/^one\ntwo\nThree\n\[exit code: 2/);
  expect(w.result(2, "p", "apply_patch").text).toContain("M a.txt");
  expect(await w.file("a.txt")).toBe("one\n2\nThree\n");
  expect(w.result(2, "u", "update_plan").text).toContain("[x] x");
  expect(w.result(3, "c2", "exec_command").text).toBe("up\n[still running as session 2]");
  expect(w.result(4, "s1", "write_stdin").text).toContain("exit code: 2");
  expect(w.result(5, "s2", "write_stdin").text).toContain("The input of job 2 is closed");
  expect(w.result(6, "s3", "write_stdin").text).toMatch(/^\[ended by SIGTERM/);
});

it("PR-02 U-14 Gemini CLI's tools read, search, replace, list, run and plan", async () => {
  const w = await start("gemini", [
    turn.calls([{ name: "read_file", id: "r", args: { file_path: "a.txt", start_line: 2, end_line: 2 } }]),
    turn.calls([{ name: "grep_search", id: "g", args: { pattern: "THREE", exclude_pattern: "*.md" } }]),
    turn.calls([
      {
        name: "replace",
        id: "e",
        args: { file_path: "a.txt", instruction: "shorten", old_string: "two", new_string: "2" },
      },
    ]),
    turn.calls([{ name: "list_directory", id: "l", args: { dir_path: "." } }]),
    turn.calls([{ name: "read_many_files", id: "m", args: { include: ["*.txt"] } }]),
    turn.calls([{ name: "run_shell_command", id: "s", args: { command: "pwd", dir_path: "/" } }]),
    turn.calls([{ name: "write_todos", id: "t", args: { todos: [{ description: "x", status: "cancelled" }] } }]),
    turn.text("done"),
  ]);
  await w.session.submit("work");
  await w.finish();
  expect(w.result(1, "r", "read_file").text).toContain("2 | two");
  expect(w.result(1, "r", "read_file").text).not.toContain("one");
  expect(w.result(2, "g", "grep_search").text).toBe("a.txt:3:Three");
  expect(w.result(3, "e", "replace").text).toContain("Replaced 1 occurrence(s)");
  expect(await w.file("a.txt")).toBe("one\n2\nThree\n");
  expect(w.result(4, "l", "list_directory").text).toBe("a.txt  12");
  expect(w.result(5, "m", "read_many_files").text).toContain("--- a.txt ---\n1 | one");
  expect(w.result(6, "s", "run_shell_command").text).toMatch(/^\/\n/);
  expect(w.result(7, "t", "write_todos").text).toContain("[-] x");
});
