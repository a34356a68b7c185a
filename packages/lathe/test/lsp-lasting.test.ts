// Language servers and the sessions of one run: a server stays while one session follows another, and ends with the command.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { until } from "../../agent/test/alive.ts";
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
  // A person mends the file between the sessions.
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
}, 120_000);
