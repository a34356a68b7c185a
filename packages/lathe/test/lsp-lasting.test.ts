// Language servers and the sessions of one run: a server stays while one session follows another, and ends with the command.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isAlive, until } from "../../agent/test/alive.ts";
import { makeTypeScriptProject } from "./lsp-projects.ts";
import { type Setup, setup } from "./rpc-host.ts";
import { startedIn } from "./started-in.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

const GREET = "export function greet(name: string): string {\n  return name;\n}\n";
const BROKEN = GREET.replace("name: string", "name: number");
const write = (path: string, content: string) => turn.calls([{ name: "write", args: { path, content } }]);
const map = [
  turn.calls([{ name: "search_tool_bm25", args: { query: "repo_map" } }]),
  turn.calls([{ name: "repo_map", args: {} }]),
];
const pids = (): number[] => startedIn(rig.box.home).flatMap(({ pid, line }) => (line.includes("--lsp") ? [pid] : []));
/** What the model was sent last, without prompt and tools. */
const lastSent = (): string =>
  JSON.stringify((rig.server.requests.at(-1)?.body as { input?: unknown } | undefined)?.input);

it("LP-02 LP-03 one server for all sessions of a run: after a new, a forked and a resumed session its errors are right", async () => {
  makeTypeScriptProject(rig.box.dir);
  expect(await rig.box.run(["trust"])).toMatchObject({ code: 0 });
  rig.server.push(write("src/a.ts", BROKEN), ...map, turn.text("done"), turn.text("really done"));
  const host = await rig.start("--permission-mode", "full", "--profile", "lathe");
  await host.prompt("one");
  expect(lastSent()).toContain("src/b.ts: 1 new error");
  // What is left is named once, over RPC too.
  expect(lastSent().match(/These errors came with your changes and are still there/g)).toHaveLength(1);
  const { sessionFile: first } = await host.data<{ sessionFile: string }>("get_state");
  const started = pids();
  expect(started.length).toBeGreaterThan(0);

  await host.data("new_session");
  // The user fixes the file between the sessions.
  writeFileSync(join(rig.box.dir, "src/a.ts"), GREET);
  rig.server.push(write("src/c.ts", "export const other = 2;\n"), ...map, turn.text("done"));
  await host.prompt("two");
  expect(lastSent()).not.toMatch(/new error|from before|not checked|cannot be used/);
  expect(lastSent()).toContain("function greet");

  for (const go of [() => host.data("fork"), () => host.data("switch_session", { sessionPath: first })]) {
    await go();
    rig.server.push(write("src/a.ts", BROKEN), turn.text("done"), write("src/a.ts", GREET), turn.text("done"));
    await host.prompt("three");
    expect(lastSent()).toContain("src/b.ts: 1 new error");
    expect(lastSent()).toContain("src/b.ts: 1 fixed");
  }
  expect(pids()).toEqual(started);
  expect(await host.finish()).toBe(0);
  await until(() => startedIn(rig.box.home).length === 0);
});

it("G-113 LP-01 with lsp.lazy false a server starts with the session, ends when it is idle, and is back with the next question; the user's settings reach it", async () => {
  const { dir, home } = rig.box;
  const args = [fileURLToPath(new URL("lsp-scripted-server.mjs", import.meta.url)), "asks"];
  const xyz = { command: process.execPath, args, fileTypes: [".xyz"], rootMarkers: ["a.xyz"] };
  writeFileSync(join(dir, "a.xyz"), "one\n");
  writeFileSync(join(dir, "lsp.json"), JSON.stringify({ servers: { xyz }, idleTimeoutMs: 1000 }));
  // Without `servers` around them, and of another file: joined field by field.
  writeFileSync(join(home, ".lsp.yaml"), "xyz:\n  settings:\n    xyz:\n      level: 5\n");
  writeFileSync(join(home, ".lathe/config.yml"), "lsp:\n  lazy: false\n");
  expect(await rig.box.run(["trust"])).toMatchObject({ code: 0 });
  const starts = (): number[] =>
    existsSync(join(dir, "starts")) ? readFileSync(join(dir, "starts"), "utf8").trim().split("\n").map(Number) : [];
  const host = await rig.start("--permission-mode", "full", "--profile", "lathe");
  await until(() => starts().length === 1);
  await until(() => !isAlive(starts()[0]!));
  rig.server.push(
    turn.calls([{ name: "lsp", args: { action: "hover", file: "a.xyz", line: 1, symbol: "one" } }]),
    turn.text("done"),
  );
  await host.prompt("go");
  expect(lastSent()).toContain('settings [{\\"level\\":5}]');
  expect(starts()).toHaveLength(2);
  await until(() => !isAlive(starts()[1]!));
  expect(await host.finish()).toBe(0);
});
