import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { COMMANDS } from "../src/hosts/rpc/commands.ts";
import { scopeOf } from "../src/hosts/rpc/scopes.ts";
import type { WireEntry } from "../src/hosts/wire/entry.ts";
import { type Frame, type RpcHost, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
beforeEach(async () => {
  rig = await setup();
});
afterEach(() => rig.remove());

interface Page {
  readonly entries: readonly WireEntry[];
  readonly start: number;
  readonly total: number;
  readonly leafId: string | null;
}
const page = (host: RpcHost, params: object = {}): Promise<Page> => host.data<Page>("get_entries", params);
const write = (name: string, content: string) =>
  turn.calls([{ name: "write_file", id: "w", args: { file_path: name, content } }]);

describe("RPC: what a client draws a session with", () => {
  it("M1 a confirm carries its preview as lines; the call its card, its entry and what it changed, as the pages do", async () => {
    await writeFile(join(rig.box.dir, "a.txt"), "one\ntwo\n");
    rig.server.push(write("a.txt", "one\n2\n"), turn.text("done"));
    const host = await rig.start("--permission-mode", "ask");
    host.send({ type: "prompt", message: "change it" });
    const question = await host.wait("the question", ({ method }) => method === "confirm");
    expect(question["preview"]).toEqual(
      expect.arrayContaining([
        { kind: "removed", text: "-two" },
        { kind: "added", text: "+2" },
      ]),
    );
    host.send({ type: "extension_ui_response", id: question["id"], confirmed: true });
    await host.event("agent_end");

    const start = await host.event("tool_execution_start");
    const end = await host.event("tool_execution_end");
    expect(start["card"]).toMatchObject({ subject: expect.stringContaining("a.txt") });
    expect(end).toMatchObject({
      card: { subject: expect.stringContaining("a.txt"), outcome: "+1 -1", body: { kind: "diff" } },
      changes: [{ path: join(rig.box.dir, "a.txt"), added: 1, removed: 1 }],
    });
    const { entries, total, leafId } = await page(host);
    expect(entries.filter(({ type }) => type !== "hidden").map(({ type }) => type)).toEqual([
      "user",
      "assistant",
      "results",
      "assistant",
    ]);
    expect(total).toBe(entries.length);
    expect(leafId).toBe(entries.at(-1)?.entryId);
    const results = entries.find(({ type }) => type === "results");
    // What was told while it happened is what is read later.
    expect(results).toMatchObject({
      entryId: end["entryId"],
      results: [{ toolCallId: end["toolCallId"], card: end["card"], changes: end["changes"], isError: false }],
    });
    const { files } = await host.data<{ files: Frame[] }>("get_changes");
    expect(files).toEqual([
      { path: join(rig.box.dir, "a.txt"), change: "changed", diff: expect.stringContaining("-two\n+2") },
    ]);
    expect(await host.finish()).toBe(0);
  });

  it("M1 entries come in pages from either end and go on from an id; long ones are cut, and one by one they are whole", async () => {
    const long = "x".repeat(100_000);
    rig.server.push(...["one", "two", "three"].map((text) => turn.text(text)), turn.text(long), turn.text("elsewhere"));
    const host = await rig.start();
    for (const text of ["a", "b", "c", "d"]) await host.prompt(text);
    const all = await page(host);
    const ids = all.entries.map(({ entryId }) => entryId);
    const seen: string[] = [];
    for (let after: string | undefined; seen.length < all.total; after = seen.at(-1)) {
      const { entries, start } = await page(host, { limit: 3, ...(after === undefined ? {} : { after }) });
      expect(start).toBe(seen.length);
      seen.push(...entries.map(({ entryId }) => entryId));
    }
    expect(seen).toEqual(ids);
    const last = await page(host, { before: null, limit: 2 });
    expect(last).toMatchObject({ start: all.total - 2, total: all.total });
    const above = await page(host, { before: last.entries[0]?.entryId, limit: 2 });
    expect([...above.entries, ...last.entries].map(({ entryId }) => entryId)).toEqual(ids.slice(-4));

    const cut = all.entries.find(({ isCut }) => isCut);
    expect(JSON.stringify(cut).length).toBeLessThan(70_000);
    const { entry } = await host.data<{ entry: WireEntry }>("get_entry", { entryId: cut?.entryId });
    expect(entry).toMatchObject({ type: "assistant", parts: [{ kind: "text", text: long }] });
    expect(entry).not.toHaveProperty("isCut");

    // What a client has seen may be on a branch that was left.
    const asked = all.entries.filter(({ type }) => type === "user");
    await host.data("navigate_tree", { entryId: asked[1]?.entryId });
    expect(await host.ask("get_entries", { after: ids.at(-1) })).toMatchObject({ error: { code: "not_on_branch" } });
    expect((await page(host)).total).toBeLessThan(all.total);
    expect(await host.ask("get_entries", { after: "a", before: "b" })).toMatchObject({
      error: "Give after or before, not both.",
    });
    expect(await host.finish()).toBe(0);
  });

  it("M1 artifacts are read in pieces that end with a whole character; costs, jobs, queue and diff are told", async () => {
    const command = "for i in $(seq 1 9000); do echo line $i äöü; done";
    rig.server.push(
      turn.calls([{ name: "shell", id: "s", args: { command } }]),
      turn.text("counted"),
      turn.calls([{ name: "shell", id: "j", args: { command: "echo begun; exec sleep 60", background: true } }]),
      turn.text("waiting"),
    );
    execFileSync("git", ["init", "-q"], { cwd: rig.box.dir });
    await writeFile(join(rig.box.dir, "new.txt"), "new\n");
    const host = await rig.start("--permission-mode", "full");
    await host.prompt("count");
    const results = (await page(host)).entries.find(({ type }) => type === "results");
    const [result] = results?.type === "results" ? results.results : [];
    const { id: artifactId, bytes } = result?.artifact ?? { id: -1, bytes: 0 };
    let text = "";
    for (let offset: number | null = 0; offset !== null; ) {
      const piece: { text: string; nextOffset: number | null } = await host.data("read_artifact", {
        artifactId,
        offset,
        limit: 10_001,
      });
      text += piece.text;
      offset = piece.nextOffset;
    }
    expect(Buffer.byteLength(text)).toBe(bytes);
    const printed = Array.from({ length: 9000 }, (_, i) => `line ${i + 1} äöü\n`).join("");
    expect(text.slice(0, printed.length)).toBe(printed);
    expect(await host.ask("read_artifact", { artifactId: 99 })).toMatchObject({
      error: { code: "unknown_artifact", message: "There is no artifact 99 in this session." },
    });

    await host.prompt("wait in the background");
    const costs = await host.data("get_costs");
    expect(costs).toMatchObject({
      total: { answers: 4 },
      byModel: [{ answers: 4 }],
      byTool: [{ name: "shell", calls: 2 }],
    });
    const { jobs } = await host.data<{ jobs: Frame[] }>("get_jobs");
    expect(jobs).toMatchObject([{ isRunning: true, status: "running" }]);
    const stopped = await host.data("stop_job", { jobId: jobs[0]?.["jobId"] });
    expect(stopped).toMatchObject({ job: { isRunning: false } });
    expect(await host.data("get_diff")).toEqual({ hasCommit: false, diff: "", untracked: ["new.txt"] });
    // The next request tells the model about the job, unless that is undone.
    const { steering } = await host.data<{ steering: Frame[] }>("get_queue");
    expect(steering).toMatchObject([{ source: { kind: "job" }, text: expect.stringContaining("cancelled") }]);
    const messageId = steering[0]?.["messageId"];
    expect(await host.data("cancel_queued", { messageId })).toEqual({ cancelled: true });
    expect(await host.data("get_queue")).toEqual({ steering: [], followUp: [] });
    expect(await host.data("edit_queued", { messageId, message: "late" })).toEqual({ edited: false });
    expect(await host.finish()).toBe(0);
  });

  it("M1 every command has a scope: looking needs read, and what goes past permissions needs admin", () => {
    for (const command of Object.keys(COMMANDS) as (keyof typeof COMMANDS)[]) {
      const scope = scopeOf(command);
      expect(["read", "prompt", "approve", "admin"], command).toContain(scope);
      if (scope === "read") expect(command).toMatch(/^(get|read)_/);
    }
    expect(
      ["bash", "set_permission_mode", "set_host_tools", "export_html", "rewind"].map((name) => scopeOf(name as "bash")),
    ).toEqual(Array.from({ length: 5 }, () => "admin"));
  });
});
