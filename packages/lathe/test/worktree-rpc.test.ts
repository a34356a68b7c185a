// --worktree over RPC: a host inspects the view and lands or drops its changes; what it leaves is kept.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { type Setup, setup } from "./rpc-host.ts";
import { runsCommands } from "./runs-commands.ts";

let rig: Setup;
afterEach(() => rig.remove());

describe.skipIf(!has("bwrap", "nsenter", "unshare"))("RPC: --worktree (needs bwrap, nsenter, unshare)", () => {
  it("G-22 get_worktree and settle_worktree; conflicts are named; what a host leaves is kept and said", async () => {
    rig = await setup({ script: runsCommands });
    const file = (name: string): string => join(rig.box.dir, name);
    execFileSync("git", ["init", "-q"], { cwd: rig.box.dir });
    writeFileSync(file("a.txt"), "one\n");
    const plain = await rig.start("--permission-mode", "full");
    expect(await plain.data("get_worktree")).toEqual({ worktree: null });
    expect(await plain.ask("settle_worktree", { how: "land" })).toMatchObject({
      success: false,
      error: "This run works in the project itself. Start the agent with --worktree.",
    });
    expect(await plain.ask("settle_worktree", { how: "burn" })).toMatchObject({ success: false });
    expect(await plain.finish()).toBe(0);

    const host = await rig.start("--permission-mode", "full", "--worktree", "feat");
    await host.prompt("run:echo two > a.txt; echo new > b.txt");
    const { worktree } = await host.data<{ worktree: object }>("get_worktree");
    expect(worktree).toMatchObject({
      id: "feat",
      cwd: rig.box.dir,
      files: [
        { path: "a.txt", change: "changed" },
        { path: "b.txt", change: "added" },
      ],
      leftOut: [],
      settled: false,
    });
    expect(existsSync(file("b.txt"))).toBe(false);
    expect(await host.data("settle_worktree", { how: "land" })).toEqual({
      id: "feat",
      outcome: "landed",
      files: ["a.txt", "b.txt"],
      conflicts: [],
      message: "Applied the changes to 2 files.",
    });
    expect(await host.event("lathe:worktree")).toMatchObject({
      id: "feat",
      outcome: "landed",
      files: ["a.txt", "b.txt"],
    });
    expect(readFileSync(file("a.txt"), "utf8")).toBe("two\n");

    // A session of its own in the same view, and a conflict.
    await host.data("new_session");
    await host.prompt("run:echo mine > a.txt");
    writeFileSync(file("a.txt"), "person\n");
    expect(await host.data("settle_worktree", { how: "land" })).toMatchObject({
      outcome: "conflict",
      conflicts: [{ path: "a.txt", line: 1, message: "changed in the project too" }],
    });
    expect(readFileSync(file("a.txt"), "utf8")).toBe("person\n");
    const { patch } = await host.data<{ patch: string }>("settle_worktree", { how: "patch" });
    expect(readFileSync(patch, "utf8")).toContain("+mine");
    expect(await host.data("settle_worktree", { how: "discard" })).toMatchObject({ outcome: "discarded" });
    expect(await host.data("bash", { command: "cat a.txt" })).toMatchObject({ stdout: "person\n" });
    await host.prompt("run:echo left > left.txt");
    expect(await host.finish()).toBe(0);
    expect(host.stderr).toContain(
      "lathe: The changes of the run are kept in the isolated copy feat: 1 file. Continue with: lathe --worktree feat\n",
    );
    expect(existsSync(file("left.txt"))).toBe(false);
  });

  it("a host is asked before a file that makes programs run later is applied", async () => {
    rig = await setup({ script: runsCommands });
    execFileSync("git", ["init", "-q"], { cwd: rig.box.dir });
    const first = await rig.start("--allow", "shell(node *)", "--worktree", "feat");
    await first.prompt("run:node -e 'for (const name of [`.en` + `vrc`, `plain.txt`]) fs.writeFileSync(name, name)'");
    await first.finish();
    const { code, stderr } = await rig.box.run(["worktree", "land", "feat"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("To be asked about it: lathe --worktree feat, then")]);
    expect(existsSync(join(rig.box.dir, "plain.txt"))).toBe(false);
    const host = await rig.start("--worktree", "feat");
    const settled = host.data("settle_worktree", { how: "land" });
    const question = await host.wait("a question", (frame) => frame["method"] === "confirm");
    expect(JSON.stringify(question)).toContain("direnv reads it");
    expect(JSON.stringify(question)).not.toContain("plain.txt");
    host.send({ type: "extension_ui_response", id: question["id"], confirmed: true });
    expect(await settled).toMatchObject({ outcome: "landed", files: [".envrc", "plain.txt"] });
    await host.finish();
  });
});
