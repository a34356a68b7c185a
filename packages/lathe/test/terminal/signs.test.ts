// How the terminal itself shows the work, and passing notices: title, notifications, retries, a newer version, work
// that was cut off.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { joinLocally, localSessions } from "../../src/doors/local/local-door.ts";
import { clientNamed } from "../doors/follower.ts";
import { BUILT, SONNET, TerminalBench } from "./bench.ts";
import { KEY, type TerminalOptions } from "./emulator.ts";

let bench: TerminalBench;
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(() => bench.close());

describe("the terminal's own signs", () => {
  it("the title names the project and whether work goes on; it is given back at the end", async () => {
    const door = gate();
    bench.server.push(turn.text("done", { before: door.wait }));
    const run = await bench.open();
    await expect.poll(() => run.raw).toContain("\x1b]0;lathe · project\x07");
    run.type(`go${KEY.enter}`);
    await door.reached;
    await expect.poll(() => run.raw).toContain("\x1b]0;● lathe · project\x07");
    door.open();
    await run.see(/done[\s\S]* out · \$/);
    await expect.poll(() => run.raw.lastIndexOf("]0;lathe")).toBeGreaterThan(run.raw.lastIndexOf("]0;●"));
    run.type(KEY.ctrl("d"));
    await run.exited;
    expect(run.raw).toContain("\x1b[23;0t");
  });

  it.each([
    ["off", "\x1b[O", {}, true],
    ["seen", "\x1b[I", {}, false],
    ["unwanted", "\x1b[O", { LATHE_NOTIFICATIONS: "off" }, false],
  ] as const)(
    "G-119 a long turn that ends is notified only when nobody looks: %s",
    async (_, focus, env, isNotified) => {
      const door = gate();
      bench.server.push(turn.text("done", { before: door.wait }));
      let passed = 0;
      const run = await bench.open(SONNET, {
        deps: (usual) => ({ ...usual, now: () => usual.now() + passed }),
        env: { TERM_PROGRAM: "WezTerm", ...env },
      });
      run.type(`go${KEY.enter}`);
      await door.reached;
      run.type(focus);
      run.type("x");
      await run.see("❯ x");
      passed = 60_000;
      await run.see(/1m|60s|6\ds/);
      door.open();
      await run.see(/done[\s\S]* out · \$/);
      run.type("y");
      await run.see("❯ xy");
      expect(run.raw.includes("\x1b]9;Lathe is done\x07")).toBe(isNotified);
    },
  );

  it("G-119 a question is notified when nobody looks", async () => {
    const door = gate();
    bench.server.push(
      turn.calls([{ name: "shell", args: { command: "X=1 env echo one > x" } }], { before: door.wait }),
    );
    const run = await bench.open(SONNET, { env: { KITTY_WINDOW_ID: "1" } });
    run.type(`go${KEY.enter}`);
    await door.reached;
    run.type("\x1b[O");
    run.type("x");
    await run.see("❯ x");
    door.open();
    await run.see("Run this command in");
    await expect.poll(() => run.raw).toContain("\x1b]99;;Lathe is waiting for your answer\x1b\\");
  });
});

describe("said in passing", () => {
  it("a request that is made again says which provider failed, the attempt and when", async () => {
    bench.server.push(turn.error(529), turn.error(529), turn.text("got through"));
    const run = await bench.open(SONNET, { columns: 120 });
    run.type(`go${KEY.enter}`);
    await run.see(/⚠ .*anthropic.* · retrying in \d+s \(attempt \d\)/i);
    await run.see("got through");
    expect(run.all.join("\n")).not.toContain("attempt");
  });

  it("a newer version is said once, when nothing runs, and not without the setting", async () => {
    const home = bench.box.env["LATHE_HOME"] ?? "";
    await mkdir(join(home, "cache"), { recursive: true });
    await writeFile(
      join(home, "cache", "newest-version.json"),
      JSON.stringify({ package: "ours", version: "99.1.0", at: Date.now() }),
    );
    await writeFile(join(home, "config.yml"), "updates.package: ours\n");
    // Ten seconds are over at once.
    const deps: TerminalOptions["deps"] = (usual) => ({
      ...usual,
      setTimer: (call, ms) => usual.setTimer(call, ms === 10_000 ? 20 : ms),
    });
    const door = gate();
    bench.server.push(turn.text("the answer", { before: door.wait }));
    const run = bench.start([...SONNET, "go"], { deps, columns: 160 });
    await door.reached;
    run.type("typed");
    await run.see("❯ typed");
    expect(run.all.join("\n")).not.toContain("99.1.0");
    door.open();
    const rows = await run.see(/the answer[\s\S]*Version 99\.1\.0 is out; this is /);
    expect(rows.filter((row) => row.includes("99.1.0"))).toHaveLength(1);
    await writeFile(join(home, "config.yml"), "");
    const other = await bench.open(SONNET, { deps });
    other.type(`!!echo later${KEY.enter}`);
    await other.see(/echo later · exit 0/);
    expect(other.all.join("\n")).not.toContain("99.1.0");
  });
});

/** A run that was killed while the model was waited for, opened again. */
async function reopenedAfterKill(door: ReturnType<typeof gate>) {
  const run = await bench.open(SONNET, BUILT);
  run.type(`do the long thing${KEY.enter}`);
  await door.reached;
  run.signal("SIGKILL");
  await run.exited;
  door.open();
  return bench.open(["-c"]);
}

describe("a run that was cut", () => {
  it("is offered to be continued, and goes on where it was", async () => {
    const door = gate();
    bench.server.push(turn.text("never", { before: door.wait }), turn.text("went on"));
    const next = await reopenedAfterKill(door);
    await next.see(
      /❯ do the long thing[\s\S]*The last request was interrupted\. Resume it\?[\s\S]*y {2}Yes[\s\S]*Esc to cancel/,
    );
    next.type("y");
    await next.see("went on");
    expect(bench.lastMessageText(1)).toContain("do the long thing");
  });

  it("that goes on through the session's door is offered no longer", async () => {
    const [door, second] = [gate(), gate()];
    bench.server.push(turn.text("never", { before: door.wait }), turn.text("went on", { before: second.wait }));
    const next = await reopenedAfterKill(door);
    await next.see(/Resume it\?[\s\S]*Esc to cancel/);
    next.type(`/serve${KEY.enter}`);
    await next.see(/lathe attach[\s\S]*Resume it\?[\s\S]*Do something else/);
    const client = clientNamed("coordinator");
    const doors = join(bench.box.home, ".lathe/doors");
    const [held = { sessionId: "" }] = await localSessions(doors, client);
    const joined = await joinLocally(doors, held.sessionId, client);
    if (!joined) throw new Error("The session has no local door.");
    const going = joined.command(client, "continue", {});
    await expect.poll(() => next.screen.join("\n")).not.toContain("Resume it?");
    second.open();
    await going;
    await next.see("went on");
    await joined.close();
  });

  it("can be left as it is: n, and the composer is there", async () => {
    const door = gate();
    bench.server.push(turn.text("never", { before: door.wait }));
    const next = await reopenedAfterKill(door);
    await next.see(/Resume it\?[\s\S]*Esc to cancel/);
    next.type("n");
    await next.see(/Ask for a change/);
    expect(bench.server.requests).toHaveLength(1);
  });

  it("and left: what waited to be sent is in the composer, and goes along with nothing", async () => {
    const door = gate();
    bench.server.push(turn.text("never", { before: door.wait }), turn.text("fresh"));
    const run = await bench.open(SONNET, BUILT);
    run.type(`do the long thing${KEY.enter}`);
    await door.reached;
    run.type(`steer it${KEY.enter}`);
    await run.see(/Sent at the next step[\s\S]*steer it/);
    run.signal("SIGKILL");
    await run.exited;
    door.open();
    const next = await bench.open([...SONNET, "-c"]);
    await next.see(/Queued earlier[\s\S]*steer it[\s\S]*Resume it\?[\s\S]*Esc to cancel/);
    next.type("n");
    await next.see(/Your queued messages are back in the input\.[\s\S]*❯ steer it/);
    expect(next.screen.join("\n")).not.toMatch(/Sent at the next step|Queued earlier/);
    next.type(KEY.ctrl("c"));
    await next.see("Ask for a change");
    next.type(`something else${KEY.enter}`);
    await next.see("fresh");
    expect(bench.lastMessageText(1)).toMatch(/something else$/);
    expect(bench.lastMessageText(1)).not.toContain("steer it");
  });
});
