// The interactive mode at a real terminal: prompting, steering, queueing, interrupting, leaving.

import { gate, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BUILT, SONNET, TerminalBench } from "./bench.ts";
import { KEY } from "./emulator.ts";

let bench: TerminalBench;
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(() => bench.close());

describe("speaking", () => {
  it("MO-01 a prompt is answered in rendered markdown, stays in the scrollback, and leaving says how to go on", async () => {
    bench.server.push(turn.text("# Result\n\nIt **works** now.\n"));
    const run = await bench.open(SONNET, BUILT);
    run.type("does it work?");
    await run.see("❯ does it work?");
    run.type(KEY.enter);
    const rows = await run.see(/It works now\.[\s\S]*Ask for a change/);
    expect(rows.join("\n")).not.toContain("**");
    run.type(`/quit${KEY.enter}`);
    expect(await run.exited).toBe(0);
    expect(run.all.join("\n")).toMatch(/❯ does it work\?[\s\S]*It works now\.[\s\S]*To continue: lathe --resume \w{8}/);
    expect(run.modes).toMatchObject({ bracketedPasteMode: false, sendFocusMode: false });
    expect(run.raw).not.toMatch(/\x1b\[[23]J/);
  });

  it("MO-01 what is typed before the first paint is kept, Enter included", async () => {
    bench.server.push(turn.text("heard you"));
    const run = bench.start(SONNET, BUILT);
    run.type("early words\n");
    await run.see("heard you");
    expect(bench.lastMessageText(0)).toMatch(/early words$/);
  });

  it("HD-04 prompts of the command line are sent one after the other, and then the composer is there", async () => {
    bench.server.push(turn.text("the first answer"), turn.text("the second answer"));
    const run = bench.start([...SONNET, "do the first thing", "do the second thing"]);
    await run.seeAnywhere(/the first answer[\s\S]*the second answer[\s\S]*Ask for a change/);
    expect([bench.lastMessageText(0), bench.lastMessageText(1)]).toEqual([
      expect.stringMatching(/do the first thing$/),
      expect.stringMatching(/do the second thing$/),
    ]);
  });
});

describe("while it works", () => {
  it("Enter steers: what waits is on the screen in words, and reaches the model at the next step", async () => {
    const door = gate();
    bench.server.push(
      turn.calls([{ name: "glob", args: { pattern: "*" } }], { before: door.wait }),
      turn.text("understood"),
    );
    const run = await bench.open();
    run.type(`look around${KEY.enter}`);
    await door.reached;
    run.type(`only the tests${KEY.enter}`);
    await run.see(/Sent at the next step[\s\S]*only the tests/);
    door.open();
    await run.see("understood");
    expect(bench.lastMessageText(1)).toContain("only the tests");
    expect(run.all.join("\n")).not.toContain("Sent at the next step");
  });

  it("Alt+Enter waits until the work is done; Up brings it back to be edited", async () => {
    const door = gate();
    bench.server.push(turn.text("done", { before: door.wait }), turn.text("and this too"));
    const run = await bench.open();
    run.type(`work${KEY.enter}`);
    await door.reached;
    run.type(`then tidy up${KEY.altEnter}`);
    await run.see(/Sent when the work is done[\s\S]*then tidy up/);
    run.type(KEY.up);
    await run.see(/❯ then tidy up/);
    run.type(` at once${KEY.altEnter}`);
    await run.see(/Sent when the work is done[\s\S]*then tidy up at once/);
    door.open();
    await run.see("and this too");
    expect(bench.lastMessageText(1)).toMatch(/then tidy up at once$/);
  });

  it("Esc with a message queued for the end: the line of work goes away, and the queued message waits", async () => {
    const door = gate();
    bench.server.push(turn.text("half", { before: door.wait }), turn.text("other answer"), turn.text("tidied"));
    const run = await bench.open();
    run.type(`work${KEY.enter}`);
    await door.reached;
    run.type(`then tidy up${KEY.altEnter}`);
    await run.see(/Sent when the work is done[\s\S]*then tidy up/);
    run.type(KEY.escape);
    await run.see(/Queued earlier[\s\S]*then tidy up/);
    run.type("do this instead");
    await run.see(/❯ do this instead/);
    expect(run.screen.join("\n")).not.toContain("to interrupt");
    door.open();
    run.type(KEY.enter);
    await run.see("other answer");
    expect(bench.lastMessageText(1)).toMatch(/do this instead$/);
  });

  it("Esc stops at once; what was to steer comes back into the composer", async () => {
    const door = gate();
    bench.server.push(turn.text("half", { before: door.wait }), turn.text("other answer"));
    const run = await bench.open();
    run.type(`work${KEY.enter}`);
    await door.reached;
    run.type(`wait, no${KEY.enter}`);
    await run.see(/Sent at the next step/);
    run.type(KEY.escape);
    await run.see(/❯ wait, no/);
    door.open();
    run.type(KEY.enter);
    await run.see("other answer");
    expect(bench.lastMessageText(1)).toMatch(/wait, no$/);
  });

  it("Ctrl+C while it works clears what is typed first, then stops the work, then leaves", async () => {
    const door = gate();
    bench.server.push(turn.text("never", { before: door.wait }));
    const run = await bench.open();
    run.type(`go${KEY.enter}`);
    await door.reached;
    run.type("a draft");
    await run.see("❯ a draft");
    run.type(KEY.ctrl("c"));
    await run.see(/esc to interrupt[\s\S]*Ask for a change[\s\S]*Press Ctrl\+C again to stop the work\./);
    run.type(KEY.ctrl("c"));
    await run.see(/Interrupted[\s\S]*Press Ctrl\+C again to quit\./);
    run.type(KEY.ctrl("c"));
    expect(await run.exited).toBe(130);
    door.open();
  });

  it("whoever leaves does not wait until the hint would have gone by itself", async () => {
    const timers = new Map<object, number>();
    const run = await bench.open(SONNET, {
      deps: (usual) => ({
        ...usual,
        setTimer: (callback, ms) => {
          const key = {};
          const timer = usual.setTimer(() => {
            timers.delete(key);
            callback();
          }, ms);
          timers.set(key, ms);
          return {
            cancel: () => {
              timers.delete(key);
              timer.cancel();
            },
          };
        },
      }),
    });
    run.type(KEY.ctrl("c"));
    expect(await run.leave()).toBe(130);
    expect([...timers.values()]).toEqual([]);
  });

  it("Ctrl+D in the middle of work leaves only when it is pressed again", async () => {
    const door = gate();
    bench.server.push(turn.text("never", { before: door.wait }));
    const run = await bench.open();
    run.type(`go${KEY.enter}`);
    await door.reached;
    run.type(KEY.ctrl("d"));
    await run.see("Press Ctrl+D again to quit. The work will stop.");
    run.type(KEY.ctrl("d"));
    expect(await run.exited).toBe(0);
    door.open();
  });

  it("what a command answers is on the screen while a long block streams in", async () => {
    const door = gate();
    const code = `\`\`\`text\n${Array.from({ length: 60 }, (_, i) => `line ${i}`).join("\n")}\n\`\`\`\n`;
    const paragraph = "words that go on ".repeat(120);
    let sent = 0;
    const beforeEvent = async (): Promise<void> => {
      if (sent++ === 5) await door.wait(); // within the paragraph, so that it stays on the screen
    };
    bench.server.push(turn.text(`${paragraph}\n\n${code}`, { deltaChars: 400, beforeEvent }));
    const run = await bench.open();
    run.type(`go${KEY.enter}`);
    await run.see("words that go on");
    run.type(`/new${KEY.enter}`);
    await run.see("The agent is working. Interrupt it first.");
    door.open();
    await run.see(/line 59[\s\S]*The agent is working\. Interrupt it first\.[\s\S]*Ask for a change/);
  });

  it("Ctrl+C stops the work, again leaves with 130; the lock is gone", async () => {
    const door = gate();
    bench.server.push(turn.text("never", { before: door.wait }));
    const run = await bench.open();
    run.type(`go${KEY.enter}`);
    await door.reached;
    run.type(KEY.ctrl("c"));
    expect(await run.leave()).toBe(130);
    door.open();
    bench.server.push(turn.text("again"));
    const next = await bench.open([...SONNET, "-c", "go on"]);
    await next.see("again");
  });
});
