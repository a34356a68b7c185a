// The session's tree over RPC: navigating, branching off into another file, labels, moving the session.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RpcHost, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

interface State {
  sessionId: string;
  sessionFile: string;
  messageCount: number;
}
const state = (host: RpcHost): Promise<State> => host.data<State>("get_state");
interface Row {
  entryId: string;
  type: string;
  role?: string;
  text: string;
  label?: string;
  active: boolean;
  depth: number;
}
const rows = async (host: RpcHost, filter = "user-only"): Promise<Row[]> =>
  (await host.data<{ entries: Row[] }>("get_tree", { filter })).entries;
const messages = async (host: RpcHost): Promise<string> =>
  JSON.stringify((await host.data<{ messages: unknown[] }>("get_messages")).messages);
const hashOf = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");
const linesOf = (path: string): Record<string, unknown>[] =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const errorOf = async (host: RpcHost, type: string, params: object): Promise<string> => {
  const { success, error } = await host.ask(type, params);
  expect(success).toBe(false);
  return typeof error === "string" ? error : (error as { message: string }).message;
};
const lastSent = (): string =>
  rig.server.requests
    .at(-1)!
    .view.messages.map(({ text }) => text)
    .join("\n");

async function threeTurns(...args: string[]): Promise<{ host: RpcHost; prompts: Row[] }> {
  for (const n of ["one", "two", "three"]) rig.server.push(turn.text(`answer ${n}`));
  const host = await rig.start(...args);
  for (const n of ["one", "two", "three"]) await host.prompt(`prompt ${n}`);
  return { host, prompts: await rows(host) };
}

describe("RPC: branching into another file", () => {
  it("SP-03 G-32 G-05 a new file holds what came before, with fresh labels; the old file does not change, and one can go back to it", async () => {
    const { host, prompts } = await threeTurns();
    await host.data("set_label", { entryId: prompts[0]!.entryId, label: "start" });
    const old = await state(host);
    const hash = hashOf(old.sessionFile);
    const branched = await host.data("branch", { entryId: prompts[2]!.entryId });
    expect(branched).toMatchObject({ text: "prompt three", cancelled: false });
    expect(hashOf(old.sessionFile)).toBe(hash);
    const now = await state(host);
    expect(branched).toMatchObject({ sessionId: now.sessionId, sessionFile: now.sessionFile });
    expect([now.sessionId !== old.sessionId, now.messageCount]).toEqual([true, 4]);

    const lines = linesOf(now.sessionFile);
    expect(lines[0]).toMatchObject({ type: "session", parentSession: old.sessionFile });
    expect(lines.filter(({ type }) => type === "label")).toMatchObject([
      { targetId: prompts[0]!.entryId, label: "start" },
    ]);
    rig.server.push(turn.text("another answer"));
    await host.prompt("prompt three, better");
    expect(lastSent()).toMatch(/prompt one[\s\S]*prompt two[\s\S]*prompt three, better/);
    expect(lastSent()).not.toContain("answer three");
    expect(await messages(host)).toContain("another answer");
    expect(hashOf(old.sessionFile)).toBe(hash);

    await host.data("switch_session", { sessionPath: old.sessionFile });
    expect(await messages(host)).toMatch(/answer three/);
    expect(await host.finish()).toBe(0);
  });

  it("G-32 before the first prompt there is nothing to copy: a new session whose header names the old file", async () => {
    const { host, prompts } = await threeTurns();
    const { sessionFile } = await state(host);
    expect(await host.data("branch", { entryId: prompts[0]!.entryId })).toMatchObject({ text: "prompt one" });
    const now = await state(host);
    expect(now.messageCount).toBe(0);
    rig.server.push(turn.text("anew"));
    await host.prompt("anew");
    expect(linesOf(now.sessionFile)[0]).toMatchObject({ parentSession: sessionFile });
    expect(lastSent()).not.toContain("prompt one");
    expect(await host.finish()).toBe(0);
  });

  it("G-32 a session in memory branches in memory, and there is no path", async () => {
    const { host, prompts } = await threeTurns("--no-session");
    expect(await host.data("branch", { entryId: prompts[1]!.entryId })).toMatchObject({
      text: "prompt two",
      sessionFile: null,
    });
    expect((await state(host)).messageCount).toBe(2);
    expect(existsSync(join(rig.box.env["LATHE_HOME"]!, "sessions"))).toBe(false);
    expect(await host.finish()).toBe(0);
  });

  it("SP-03 a fork has the artifacts under their numbers, and the next one counts on", async () => {
    const long = (n: number) => turn.calls([{ name: "shell", args: { command: `seq ${n} 400000` } }]);
    rig.server.push(long(1), turn.text("done"), long(2), turn.text("again"));
    const host = await rig.start("--permission-mode", "full");
    await host.prompt("count");
    const artifacts = (path: string): string[] => readdirSync(path.replace(/\.jsonl$/, "")).sort();
    const { sessionFile } = await state(host);
    const [first] = artifacts(sessionFile);
    expect(first).toMatch(/^0\..*\.log$/);
    expect(await host.data("fork")).toMatchObject({ cancelled: false });
    const fork = await state(host);
    expect(artifacts(fork.sessionFile)).toEqual([first]);
    await host.prompt("again");
    expect(artifacts(fork.sessionFile)).toEqual([first, first!.replace("0.", "1.")]);
    expect(artifacts(sessionFile)).toEqual([first]);
    expect(await host.finish()).toBe(0);
  });
});

describe("RPC: the tree", () => {
  it("G-31 CO-10 going to prompt 2 with a summary: the file only grows, the prompt comes back, and the next request has prompt 1 and the summary", async () => {
    const { host, prompts } = await threeTurns();
    const { sessionFile, sessionId } = await state(host);
    const before = await readFile(sessionFile, "utf8");
    rig.server.push(turn.text("## Tried\nIt was too slow."));
    const moved = await host.data("navigate_tree", { entryId: prompts[1]!.entryId, summarize: true });
    expect(moved).toMatchObject({ text: "prompt two", cancelled: false, summaryEntryId: expect.any(String) });
    expect((await state(host)).sessionId).toBe(sessionId);
    expect((await readFile(sessionFile, "utf8")).startsWith(before)).toBe(true);
    rig.server.push(turn.text("better"), turn.text("more"));
    await host.prompt("prompt two, better");
    expect(lastSent()).toMatch(/prompt one[\s\S]*answer one[\s\S]*It was too slow[\s\S]*prompt two, better/);
    expect(lastSent()).not.toContain("prompt three");
    await host.prompt("go on");
    const of = (type: string) => host.events().filter((event) => event.type === type);
    expect(of("lathe:prefix_changed").map(({ reason }) => reason)).toEqual(["branch"]);
    expect(of("lathe:tree_moved")).toMatchObject([{ summaryEntryId: moved["summaryEntryId"], fromExtension: false }]);

    const tree = await rows(host);
    expect(tree.map(({ text, active, depth }) => [text, active, depth])).toEqual([
      ["prompt one", true, 0],
      ["prompt two, better", true, 1],
      ["go on", true, 1],
      ["prompt two", false, 1],
      ["prompt three", false, 1],
    ]);
    expect(await host.data("navigate_tree", { entryId: tree[4]!.entryId })).toMatchObject({ text: "prompt three" });
    expect(await messages(host)).toMatch(/answer two/);
    expect(await host.finish()).toBe(0);
  });

  it("CO-10 abort during the summary leaves the conversation where it was", async () => {
    const { host, prompts } = await threeTurns();
    const { leafId } = await host.data<{ leafId: string }>("get_tree");
    const door = gate();
    rig.server.push(turn.text("half", { before: door.wait }));
    const moving = host.data("navigate_tree", { entryId: prompts[1]!.entryId, summarize: true });
    await door.reached;
    expect(await errorOf(host, "branch", { entryId: prompts[1]!.entryId })).toBe(
      "The agent is working. Interrupt it first, then try again.",
    );
    expect(await errorOf(host, "navigate_tree", { entryId: prompts[0]!.entryId })).toContain("The agent is working.");
    expect(await errorOf(host, "move_session", { directory: "/" })).toContain("The agent is working.");
    await host.ask("abort");
    expect(await moving).toMatchObject({ cancelled: true, leafId, text: null });
    door.open();
    expect((await host.data<{ leafId: string }>("get_tree")).leafId).toBe(leafId);
    rig.server.push(turn.text("still here"));
    await host.prompt("go on");
    expect(lastSent()).toContain("answer three");
    expect(await host.finish()).toBe(0);
  });

  it("CO-10 the setting summarizes without being asked, and a move may say no", async () => {
    await mkdir(rig.box.env["LATHE_HOME"]!, { recursive: true });
    await writeFile(join(rig.box.env["LATHE_HOME"]!, "config.yml"), "branchSummary:\n  enabled: true\n");
    const { host, prompts } = await threeTurns();
    const quiet = await host.data("navigate_tree", { entryId: prompts[2]!.entryId, summarize: false });
    expect(quiet["summaryEntryId"]).toBeNull();
    rig.server.push(turn.text("## Tried\nSomething."));
    const moved = await host.data("navigate_tree", { entryId: prompts[1]!.entryId });
    expect(moved["summaryEntryId"]).toEqual(expect.any(String));
    expect(await host.finish()).toBe(0);
  });

  it("G-33 G-05 labels are found, cleared, and stand for one entry", async () => {
    const { host, prompts } = await threeTurns();
    const [one, two] = prompts.map(({ entryId }) => entryId);
    expect(await host.data("set_label", { entryId: one, label: " start " })).toEqual({ entryId: one, label: "start" });
    expect((await rows(host, "labeled-only")).map(({ entryId, label }) => [entryId, label])).toEqual([[one, "start"]]);
    expect(await errorOf(host, "set_label", { entryId: one, label: "start" })).toBe(
      `Entry ${one} is labelled "start" already.`,
    );
    expect(await errorOf(host, "set_label", { entryId: two, label: "start" })).toBe(
      `The label "start" is on entry ${one} already. Choose another, or clear it there first.`,
    );
    expect(await host.data("set_label", { entryId: one })).toEqual({ entryId: one, label: null });
    expect(await errorOf(host, "set_label", { entryId: one })).toBe(`Entry ${one} has no label to clear.`);
    expect(await rows(host, "labeled-only")).toEqual([]);
    const { sessionFile } = await state(host);
    expect(linesOf(sessionFile).filter(({ type }) => type === "label")).toHaveLength(2);
    expect(await host.finish()).toBe(0);
  });

  it("an entry that is not there, or is no message of the user, is refused in one line that says where to look", async () => {
    const { host } = await threeTurns();
    const answer = (await rows(host, "no-tools")).find(({ role }) => role === "assistant")!.entryId;
    for (const command of ["branch", "navigate_tree", "set_label"])
      expect(await errorOf(host, command, { entryId: "nothing0", label: "x" })).toBe(
        "There is no entry nothing0 in this session. See get_tree.",
      );
    expect(await errorOf(host, "branch", { entryId: answer })).toBe(
      `Entry ${answer} is not a user message: branch from one that is. See get_tree.`,
    );
    expect(await host.finish()).toBe(0);
  });
});

describe("RPC: moving", () => {
  it("SP-03 the session goes on in the other directory with its file, folder and settings", async () => {
    const long = turn.calls([{ name: "shell", args: { command: "seq 400000" } }]);
    const pwd = turn.calls([{ name: "shell", args: { command: "pwd" } }]);
    rig.server.push(long, turn.text("counted"), pwd, turn.text("there"));
    const there = join(dirname(rig.box.dir), "elsewhere");
    await mkdir(there);
    await writeFile(join(there, "AGENTS.md"), "Speak like a sailor.\n");
    const host = await rig.start("--permission-mode", "full");
    await host.prompt("count");
    const before = await state(host);
    const moved = await host.data("move_session", { directory: "../elsewhere" });
    expect(moved).toMatchObject({ sessionId: before.sessionId, cwd: there, cancelled: false });
    const { sessionFile } = await state(host);
    expect(sessionFile).not.toBe(before.sessionFile);
    expect([existsSync(before.sessionFile), existsSync(before.sessionFile.replace(".jsonl", ""))]).toEqual([
      false,
      false,
    ]);
    expect(readdirSync(sessionFile.replace(".jsonl", ""))).toHaveLength(1);
    expect(linesOf(sessionFile)[0]).toMatchObject({ cwd: there, id: before.sessionId });
    await host.prompt("where are you?");
    expect(lastSent()).toContain(`The working directory of this session is now ${there}.`);
    expect(JSON.stringify(rig.server.requests.at(-1)?.body)).toContain("Speak like a sailor.");
    expect(
      rig.server.requests
        .at(-1)!
        .view.messages.flatMap(({ results }) => results)
        .map(({ text }) => text)
        .join(),
    ).toContain(there);
    expect(await host.finish()).toBe(0);
    const again = await rig.box.run(["sessions", "list", "--json"], { cwd: there });
    expect(JSON.parse(again.stdout)).toMatchObject([{ id: before.sessionId, cwd: there }]);
  });

  it("a folder that does not exist, the present one, and a session without messages are refused; the session goes on", async () => {
    const host = await rig.start();
    expect(await errorOf(host, "move_session", { directory: ".." })).toBe(
      "This session has no messages yet, so it cannot be moved. Send one first.",
    );
    rig.server.push(turn.text("one"), turn.text("two"));
    await host.prompt("one");
    expect(await errorOf(host, "move_session", { directory: "nowhere" })).toBe(
      "There is no folder nowhere. Create it first, or give another one.",
    );
    expect(await errorOf(host, "move_session", { directory: "." })).toBe(`This session is in ${rig.box.dir} already.`);
    await host.prompt("two");
    expect((await state(host)).messageCount).toBe(4);
    expect(await host.finish()).toBe(0);
  });

  it("SP-03 when the file cannot be moved, the session goes on where it was", async () => {
    const there = join(dirname(rig.box.dir), "elsewhere");
    await mkdir(there);
    rig.server.push(turn.text("one"), turn.text("two"));
    const host = await rig.start();
    await host.prompt("one");
    const { sessionFile } = await state(host);
    const project = dirname(sessionFile).split("/").at(-1)!;
    const blocked = join(dirname(dirname(sessionFile)), project.replace("-project--", "-elsewhere--"));
    await writeFile(blocked, "not a folder");
    expect(await errorOf(host, "move_session", { directory: there })).toMatch(/^The session stays where it is/);
    await host.prompt("two");
    expect(await state(host)).toMatchObject({ sessionFile, messageCount: 4 });
    await rm(blocked);
    expect(await host.data("move_session", { directory: there })).toMatchObject({ cwd: there });
    expect(await host.finish()).toBe(0);
  });
});
