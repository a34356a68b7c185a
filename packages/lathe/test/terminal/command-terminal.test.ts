// A command that the model runs in a terminal: the user types into it, at a real screen.

import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SONNET, TerminalBench } from "./bench.ts";
import { KEY } from "./emulator.ts";

let bench: TerminalBench;
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(() => bench.close());

const LATHE = [...SONNET, "--profile", "lathe", "--permission-mode", "full"];

it("T-BASH-4 a prompt of a command comes up over the screen, the person answers it, and the conversation goes on", async () => {
  bench.server.push(
    turn.calls([{ name: "bash", args: { command: 'read -p "n? " n; echo got $n', pty: true } }]),
    turn.text("All done."),
  );
  const run = await bench.open(LATHE);
  run.type(`ask me${KEY.enter}`);
  await run.see(/read -p "n\?[\s\S]*esc or ctrl\+\] to end it[\s\S]*n\?/);
  run.type(`5${KEY.enter}`);
  await run.see("All done.");
  expect(JSON.stringify(bench.server.requests[1]?.body)).toContain("got 5");
});

it("T-BASH-4 what a program shows stands where the program has put it, and a command that the person ends says so", async () => {
  const command = "printf '\\e[31mred\\e[0m   \\e[7minv\\e[0m\\n    deep\\ttab\\n\\e[20Gfar\\n'; read x";
  bench.server.push(turn.calls([{ name: "bash", args: { command, pty: true } }]), turn.text("All done."));
  const run = await bench.open(LATHE, { columns: 60, rows: 15 });
  run.type(`show${KEY.enter}`);
  await run.see(/to end it\s*\nred {3}inv *\n {4}deep {8}tab *\n {19}far/);
  run.type(KEY.escape);
  await run.see(/ended by you[\s\S]*All done\./);
});

it("T-BASH-4 Escape goes to a full-screen program and ends a command without one; the size of the window reaches it", async () => {
  bench.server.push(
    turn.calls([{ name: "bash", args: { command: "vim -u NONE a.txt; stty size", pty: true } }]),
    turn.calls([{ name: "bash", args: { command: "echo waiting; sleep 91", pty: true } }]),
    turn.text("All done."),
  );
  const run = await bench.open(LATHE, { columns: 40, rows: 15 });
  run.type(`edit${KEY.enter}`);
  await run.see(/ctrl\+\] to end it[\s\S]*~[\s\S]*a\.txt/);
  run.type("ihello");
  await run.see("hello");
  run.type(KEY.escape);
  await run.see(/^(?![\s\S]*INSERT)/);
  run.type(`:wq${KEY.enter}`);
  await run.see(/esc or ctrl\+\] to end it[\s\S]*waiting/);
  run.type(KEY.escape);
  await run.see("All done.");
  expect(JSON.stringify(bench.server.requests[1]?.body)).toContain("14 40");
  expect(JSON.stringify(bench.server.requests[2]?.body)).toContain("[ended by the user]");
});
