// A git repository inside the project, removed or moved by a command: rewind does not restore its .git, and says so
// before and after.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MODEL, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
  mkdirSync(join(rig.box.dir, "vendor/lib"), { recursive: true });
  for (const folder of [".", "vendor/lib"]) {
    writeFileSync(join(rig.box.dir, folder, "a.txt"), "a\n");
    execFileSync("git", ["init", "-q"], { cwd: join(rig.box.dir, folder) });
  }
});
afterEach(() => rig.remove());

const shell = (command: string) => turn.calls([{ name: "shell", args: { command } }]);
const at = (path: string): string => join(rig.box.dir, path);

it("3.18 the question about rm -rf names the repository that rewind cannot bring back, and undo names its .git", async () => {
  rig.server.push(shell("rm -rf vendor"), turn.text("gone"));
  const host = await rig.start();
  host.send({ type: "prompt", message: "go" });
  const question = await host.wait("the question", (frame) => frame["method"] === "confirm");
  expect(question["message"]).toContain(
    "Rewind cannot bring back these git repositories, only their files: vendor/lib.",
  );
  host.send({ type: "extension_ui_response", id: question["id"], confirmed: true });
  await host.event("agent_end");
  expect(existsSync(at("vendor"))).toBe(false);
  expect(await host.data("undo")).toMatchObject({
    restored: [at("vendor"), at("vendor/lib"), at("vendor/lib/a.txt")],
    left: [{ path: at("vendor/lib/.git"), why: "repository" }],
  });
  expect(readFileSync(at("vendor/lib/a.txt"), "utf8")).toBe("a\n");
  expect(await host.finish()).toBe(0);
});

it("3.18 lathe rewind names both places of a repository that was moved, and exits with 1; a new repository stays without a word", async () => {
  rig.server.push(shell("mv vendor/lib lib"), turn.text("moved"), shell("git init -q new"), turn.text("made"));
  const run = (...args: string[]) => rig.box.run(args, { env: rig.env });
  const full = ["-p", "--permission-mode", "full", ...MODEL];
  await run(...full, "move it");
  expect(await run("rewind", "--undo")).toEqual({
    code: 1,
    stdout: "Rewound to before: move it\n3 files restored.\n",
    stderr: "lathe: Rewind does not restore git's own data. Not restored: lib/.git, vendor/lib/.git.\n",
  });
  expect([existsSync(at("vendor/lib/a.txt")), existsSync(at("lib/.git"))]).toEqual([true, true]);
  await run(...full, "make one");
  expect(await run("rewind", "--undo")).toMatchObject({ code: 0, stderr: "" });
});
