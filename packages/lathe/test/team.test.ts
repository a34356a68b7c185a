// `lathe team` with real tmux on the test's own servers: workers in panes, their work landing one after the other, and
// what is left.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RecordedRequest, type Turn, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isAlive } from "../../agent/test/alive.ts";
import { has } from "../../agent/test/programs.ts";
import type { TeamState } from "../src/doors/team/state.ts";
import { type Stage, stage } from "./contract-kit.ts";
import { hasTmux, TmuxServer } from "./tmux-kit.ts";

/** Each look starts a program, or the command itself. */
const SELDOM = { interval: 250 };
const NINE = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

describe.skipIf(!hasTmux || !has("bwrap", "nsenter", "unshare"))("lathe team (needs tmux, bwrap, unshare)", () => {
  let scene: Stage;
  let tmux: TmuxServer;
  let go: () => void;
  /** Workers answer for the first time after this. */
  let gate: Promise<void>;
  const close = (): void => {
    gate = new Promise((resolve) => {
      go = resolve;
    });
  };

  /** Does the lines `run:` and `irc:` of its task one after the other; `N` is the worker's number. */
  const script = async ({ view }: RecordedRequest): Promise<Turn> => {
    const { messages } = view;
    const at = messages.findIndex(({ text }) => text.includes("of a team of"));
    const [, n] = /You are Worker(\d)/.exec(messages[at]?.text ?? "") ?? [];
    if (n === undefined) return turn.text("Noted.");
    const steps = [...(messages[at]?.text ?? "").matchAll(/(run|irc):(.*)/g)];
    const done = messages.slice(at).filter(({ calls }) => calls.length > 0).length;
    if (done > 0) await gate;
    const [, kind, said = ""] = steps[done] ?? [];
    if (kind === undefined) return turn.text(`Done by ${n}.`);
    const command = said.replaceAll("N", n);
    const call = kind === "run" ? { name: "shell", args: { command } } : { name: "irc", args: JSON.parse(said) };
    return turn.calls([{ ...call, id: `s${n}${done}` }]);
  };

  beforeEach(async () => {
    close();
    scene = await stage(script);
    tmux = new TmuxServer();
    const git = (...args: string[]) => execFileSync("git", args, { cwd: scene.box.dir });
    git("init", "-q");
    writeFileSync(join(scene.box.dir, "a.txt"), NINE);
  });
  afterEach(async () => {
    go();
    tmux.close();
    await scene.close();
  });

  const lead = async (...args: string[]): Promise<string> => {
    const env = { LATHE_TMUX_SOCKET: tmux.socket, LATHE_TMUX_SESSION: "lead" };
    const { stdout, stderr } = await scene.run(["--tmux", "--permission-mode", "full", ...args], { env });
    expect(stdout, stderr).toMatch(/^lead /);
    return stdout.trim().split(" ")[1] ?? "";
  };
  const teamIn = (pane: string, ...args: string[]) => {
    const [socket] = tmux.ask("list-panes", "-t", "lead", "-F", "#{socket_path}").split("\n");
    return scene.box.run(["team", ...args], { env: { TMUX: `${socket},1,0`, TMUX_PANE: pane } });
  };
  const team = (...args: string[]) => teamIn(panes()[0] ?? "", ...args);
  const panes = (): string[] => tmux.ask("list-panes", "-t", "lead", "-F", "#{pane_id}").split("\n");
  const file = (name: string): string => readFileSync(join(scene.box.dir, name), "utf8");
  const views = (): string[] => {
    const folder = join(scene.box.home, ".lathe/views");
    return existsSync(folder) ? readdirSync(folder).flatMap((store) => readdirSync(join(folder, store))) : [];
  };
  const status = async (): Promise<TeamState> => JSON.parse((await team("--status", "--json")).stdout) as TeamState;

  const bothAtWork = async (): Promise<void> => {
    await expect.poll(() => panes().length, SELDOM).toBe(3);
    await expect
      .poll(async () => (await status()).workers.map(({ state }) => state), SELDOM)
      .toEqual(["working", "working"]);
    for (const pane of panes().slice(1)) await expect.poll(() => tmux.screen(pane), SELDOM).toContain("You are Worker");
  };

  it("G-23, G-104 two workers on one file in panes beside the leader: both land; where they changed the same line, it is named", async () => {
    const leader = await lead();
    const working = team(
      "Change it.\nrun:true\nrun:sed -i 's/^1$/one/' a.txt",
      "Change it.\nrun:true\nrun:sed -i 's/^9$/nine/' a.txt",
    );
    await bothAtWork();
    go();
    const { code, stdout, stderr } = await working;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/Worker1: done; landed a\.txt\n/);
    expect(stdout).toMatch(/Worker2: done; landed a\.txt\n/);
    expect(file("a.txt")).toBe(NINE.replace("1", "one").replace("9", "nine"));
    expect(panes()).toHaveLength(1);
    expect(views()).toEqual([]);
    expect(await status()).toMatchObject({ leader, state: "done", workers: [{ state: "done" }, { state: "done" }] });
    // What the leader's journal says is what was printed.
    const folder = join(scene.box.home, ".lathe/sessions");
    const journals = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.includes(leader));
    const lines = journals.flatMap((name) =>
      name.endsWith(".jsonl") ? readFileSync(join(folder, name), "utf8").split("\n") : [],
    );
    expect(lines.findLast((line) => line.includes('"lathe:team"'))).toContain('"state":"done"');
    await expect.poll(() => tmux.screen("lead"), SELDOM).toContain("Worker2: done; landed a.txt");

    // A worker that starts after the other one has landed sees its line, and nothing conflicts.
    close();
    const clash = team("run:true\nrun:sed -i 's/^5$/five-N/' a.txt", "-n", "2", "--json");
    await bothAtWork();
    go();
    const clashing = await clash;
    expect(clashing.code).toBe(1);
    const { workers } = JSON.parse(clashing.stdout) as TeamState;
    expect(workers.map(({ state }) => state).sort()).toEqual(["conflict", "done"]);
    const lost = workers.find(({ state }) => state === "conflict");
    expect(lost?.conflicts).toEqual([{ path: "a.txt", line: 5, message: "changed in the project too" }]);
    expect(readFileSync(lost?.patch ?? "", "utf8")).toContain(`+five-${lost?.id.at(-1)}`);
    expect(views()).toEqual([]);
  });

  it("G-23 a leader that is killed leaves no worker, pane or copy; what was done is kept as a patch", async () => {
    await lead();
    const working = team("run:echo kept-N > new-N.txt", "-n", "2");
    await expect.poll(() => panes().length, SELDOM).toBe(3);
    for (const pane of panes().slice(1)) await expect.poll(() => tmux.screen(pane), SELDOM).toContain("kept-");
    const pids = tmux.ask("list-panes", "-t", "lead", "-F", "#{pane_pid}").split("\n").map(Number);
    await expect
      .poll(
        () =>
          scene.server.requests.filter(({ view }) => view.messages.some(({ results }) => results.length > 0)).length,
      )
      .toBe(2);
    process.kill(pids[0] ?? 0, "SIGKILL");
    expect((await working).stderr).toMatch(/^lathe: The leader has ended\. .*\n$/);
    await expect.poll(() => tmux.sessions(), SELDOM).toEqual(["foreign"]);
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
    expect(views()).toEqual([]);
    const patches = join(scene.box.home, ".lathe/patches");
    const kept = readdirSync(patches).map((name) => readFileSync(join(patches, name), "utf8"));
    expect(kept.join("")).toContain("+kept-1");
    expect(kept.join("")).toContain("+kept-2");
    await lead("-c");
    const { state, workers } = await status();
    expect(state).toBe("stopped");
    expect(workers.map(({ patch = "" }) => readFileSync(patch, "utf8"))).toEqual([
      expect.stringContaining("+kept-1"),
      expect.stringContaining("+kept-2"),
    ]);
  });

  it("G-23 the work of one whose pane is closed or whose process is killed is kept and named; one that is interrupted goes on", async () => {
    await lead();
    const working = team("run:echo kept-N > new-N.txt", "-n", "3");
    const called = () =>
      scene.server.requests.filter(({ view }) => view.messages.some(({ results }) => results.length > 0)).length;
    await expect.poll(called).toBe(3);
    expect(tmux.ask("show-options", "-w", "-t", "lead")).toContain("pane-border-status top");
    const { workers } = await status();
    const paneOf = (at: number): string => workers[at]?.pane ?? "";
    tmux.ask("kill-pane", "-t", paneOf(0));
    process.kill(Number(tmux.ask("display-message", "-p", "-t", paneOf(1), "#{pane_pid}")), "SIGKILL");
    tmux.ask("send-keys", "-t", paneOf(2), "C-c");
    await expect
      .poll(async () => (await status()).workers.map(({ state }) => state), SELDOM)
      .toEqual(["failed", "failed", "interrupted"]);
    go();
    tmux.ask("send-keys", "-t", paneOf(2), "go on", "Enter");
    const { code, stdout } = await working;
    expect(code).toBe(1);
    expect(stdout.match(/failed\. It left .*git apply --reject/g), stdout).toHaveLength(2);
    for (const at of [1, 2]) {
      const [, patch = ""] = new RegExp(`Worker${at}: failed\\. It left .*git apply --reject (.*)`).exec(stdout) ?? [];
      expect(readFileSync(patch, "utf8")).toContain(`+kept-${at}`);
    }
    expect(stdout).toMatch(/Worker1: .*\(to continue: lathe --resume \w+\)/);
    expect(file("new-3.txt")).toBe("kept-3\n");
    expect(views()).toEqual([]);
    expect(tmux.ask("show-options", "-w", "-t", "lead")).not.toContain("pane-border");
  });

  it("G-23 while one works, a second team and one of a worker are refused; the work of a worker that is left by /new or /quit is kept and named, also after a dry run", async () => {
    await lead();
    const working = team("run:echo kept-N > new-N.txt", "-n", "2");
    await expect
      .poll(async () => (await status()).workers.map(({ state }) => state), SELDOM)
      .toEqual(["working", "working"]);
    const { workers } = await status();
    const [first = "", second = ""] = workers.map(({ pane = "" }) => pane);
    const isRunning =
      "lathe: This session's team is still working. See: lathe team --status, or end it: lathe team --stop\n";
    const isWorker = "lathe: A worker cannot lead a team. Use lathe team in the leader's pane.\n";
    expect(await team("x")).toMatchObject({ code: 2, stderr: isRunning });
    expect(await team("x", "--dry-run")).toMatchObject({ code: 2, stderr: isRunning });
    expect(await teamIn(first, "x")).toMatchObject({ code: 2, stderr: isWorker });
    expect(await teamIn(first, "--stop")).toMatchObject({ code: 2, stderr: isWorker });
    expect((await teamIn(first, "--status")).stdout).toMatch(/^Team \w+ \(running\), 2 workers\n/);
    const called = () =>
      scene.server.requests.filter(({ view }) => view.messages.some(({ results }) => results.length > 0)).length;
    await expect.poll(called).toBe(2);
    for (const pane of [first, second]) tmux.ask("send-keys", "-t", pane, "C-c");
    const states = async () => (await status()).workers.map(({ state }) => state);
    await expect.poll(states, SELDOM).toEqual(["interrupted", "interrupted"]);
    tmux.ask("send-keys", "-t", first, "/new", "Enter");
    tmux.ask("send-keys", "-t", second, "/quit", "Enter");
    const { code, stdout } = await working;
    expect(code).toBe(1);
    const kept = / Its work is kept: git apply --reject (.*)/.source;
    const id = workers.map(({ session = "" }) => session.slice(0, 8));
    expect(stdout).toMatch(
      new RegExp(
        `Worker1: failed\\. It was left for another session \\(to continue: lathe --resume ${id[0]}\\)\\.${kept}`,
      ),
    );
    expect(stdout).toMatch(
      new RegExp(`Worker2: failed\\. It left .*\\(to continue: lathe --resume ${id[1]}\\)\\.${kept}`),
    );
    expect(views()).toEqual([]);
    expect((await team("x", "--dry-run")).stdout).toContain("(planned), 2 workers\n  Worker1: x\n");
    const said = (await team("--status")).stdout;
    for (const at of [1, 2]) {
      const [, patch = ""] = new RegExp(`Worker${at}: .*${kept}`).exec(said) ?? [];
      expect(readFileSync(patch, "utf8")).toContain(`+kept-${at}`);
    }
  });

  it("G-23 G-101 no team is begun while the leader is in an interview, and none of its work lands then", async () => {
    await lead();
    const working = team("run:echo kept-N > new-N.txt", "-n", "1");
    await expect.poll(async () => (await status()).workers.map(({ state }) => state), SELDOM).toEqual(["working"]);
    const type = (words: string) => tmux.ask("send-keys", "-t", panes()[0] ?? "", words, "Enter");
    type("/skill:deep-interview a wall");
    await expect.poll(() => tmux.screen("lead"), SELDOM).toContain("Noted.");
    const refusal =
      "The workflow deep-interview allows no changes before its specification is accepted. Finish it, or end it with /workflow stop.";
    go();
    const { stdout } = await working;
    expect(stdout).toContain(`Worker1: failed. ${refusal} Its work is kept: git apply --reject`);
    expect(existsSync(join(scene.box.dir, "new-1.txt"))).toBe(false);
    expect(await team("x")).toMatchObject({ code: 2, stderr: `lathe: ${refusal}\n` });
    type("/workflow stop");
    await expect.poll(() => tmux.screen("lead"), SELDOM).toContain("was ended");
    expect((await team("x", "--dry-run")).code).toBe(0);
  });

  it("G-23 T-IRC-1 workers and leader exchange messages, and one that is busy reads them at its next step", async () => {
    await lead();
    go();
    const working = await team(
      `Ask.\nirc:{"op":"send","to":"Worker2","message":"Which port?","await":true}\nirc:{"op":"send","to":"Leader","message":"Ports are clear."}\nirc:{"op":"send","to":"Worker9","message":"?"}`,
      `Answer.\nirc:{"op":"wait","from":"Worker1"}\nirc:{"op":"send","to":"worker1","message":"It is 80."}\nirc:{"op":"list"}`,
    );
    expect(working.stdout).toContain("Worker2: done");
    expect(working.stdout).toContain("Worker1: done");
    const results = scene.server.requests.flatMap(({ view }) => view.messages.flatMap(({ results: own }) => own));
    const resultOf = (id: string): string => JSON.stringify(results.find((one) => JSON.stringify(one).includes(id)));
    expect(resultOf("s10")).toMatch(/Worker2: injected \[\d+\]\\n\[\d+\] Worker2: It is 80\./);
    expect(resultOf("s20")).toMatch(/\[\d+\] Worker1: Which port\?/);
    expect(resultOf("s12")).toContain("There is no agent Worker9; known: Leader, Worker2.");
    expect(resultOf("s22")).toMatch(/- Leader \[(running|idle)\]\\n- Worker1 \[(running|ended)\]/);
    await expect.poll(() => tmux.screen("lead"), SELDOM).toContain("Ports are clear.");
  });

  it("G-23 --dry-run writes the same state and starts nothing; outside of tmux and with bad input it is one line", async () => {
    const leader = await lead("--max-turns", "9");
    const dry = await team("one", "two", "--dry-run", "--json");
    const state = JSON.parse(dry.stdout) as TeamState;
    expect(state).toMatchObject({
      ...{ leader, project: scene.box.dir, state: "planned", limits: { turns: 3 } },
      workers: [
        { id: "Worker1", task: "one", state: "planned" },
        { id: "Worker2", task: "two", state: "planned" },
      ],
    });
    expect(panes()).toHaveLength(1);
    expect(await status()).toEqual(state);

    const outside = await scene.box.run(["team", "x"]);
    expect({ code: outside.code, stderr: outside.stderr }).toEqual({
      code: 2,
      stderr: "lathe: A team needs panes of tmux. Start a session with lathe --tmux, and use lathe team there.\n",
    });
    for (const number of ["0", "99", "x", "1.5"])
      expect((await team("x", "-n", number)).stderr).toBe(
        'lathe: A team has 1 to 8 workers: lathe team "<task>" -n 2\n',
      );
    expect((await team()).stderr).toBe('lathe: Say what to do: lathe team "<task>" -n 2\n');
    expect((await team("a", "b", "-n", "3")).stderr).toBe(
      "lathe: There are 2 tasks for 3 workers. Give one task for all, or one for each.\n",
    );
    expect((await team("x", "-n", "8", "--dry-run")).code).toBe(0);
    // Nothing in a task is read by a terminal or a shell.
    const hostile = await team("$(touch pwned) `id` \u001b[31m'\"\r\u0007{{task}}", "-n", "1", "--dry-run");
    expect(hostile.stdout).toContain("Worker1: $(touch pwned) `id` [31m'\" {{task}}\n");
  });
});
