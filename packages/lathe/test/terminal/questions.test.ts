// Approvals and questions at a real terminal: what is shown, how it is answered, and that no key answers by accident.

import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SONNET, TerminalBench } from "./bench.ts";
import { KEY } from "./emulator.ts";

let bench: TerminalBench;
beforeEach(async () => {
  bench = await TerminalBench.open();
});
afterEach(() => bench.close());

const shell = (command: string) => ({ name: "shell", args: { command } });
const file = (name: string): string => join(bench.box.dir, name);

/** At the first of two questions about commands. */
async function askedAboutTwo() {
  bench.server.push(
    turn.calls([shell("X=1 env echo one > one.txt"), shell("X=1 env echo two > two.txt")]),
    turn.text("both"),
  );
  const run = await bench.open();
  run.type(`go${KEY.enter}`);
  await run.see(/│ X=1 env echo one[\s\S]*Esc to stop/);
  return run;
}

describe("approvals", () => {
  it("a command is shown whole before it may run; y runs it", async () => {
    bench.server.push(turn.calls([shell("X=1 env echo one > one.txt\necho two >> one.txt")]), turn.text("written"));
    const run = await bench.open();
    run.type(`go${KEY.enter}`);
    const rows = await run.see(/│ X=1 env echo one[\s\S]*│ echo two[\s\S]*Esc to stop/);
    expect(rows.join("\n")).toMatch(
      /y {2}Yes, this once\n.*a {2}Yes, and allow all shell commands in this project for this session/,
    );
    expect(existsSync(file("one.txt"))).toBe(false);
    run.type("y");
    await run.see("written");
    expect(await readFile(file("one.txt"), "utf8")).toBe("one\ntwo\n");
  });

  it("an edit is shown as what it removes and adds; no leaves the file as it is", async () => {
    await writeFile(file("a.txt"), "old line\n");
    const edit = { name: "edit_file", args: { file_path: "a.txt", old_string: "old line", new_string: "new line" } };
    bench.server.push(turn.calls([edit]), turn.text("left alone"));
    const run = await bench.open([...SONNET, "--permission-mode", "ask"]);
    run.type(`go${KEY.enter}`);
    await run.see(/- ?old line[\s\S]*\+ ?new line[\s\S]*Esc to stop/);
    run.type("n");
    await run.see("left alone");
    expect(await readFile(file("a.txt"), "utf8")).toBe("old line\n");
    expect(JSON.stringify(bench.server.requests[1]?.body)).toContain("The user said no.");
  });

  it.each([
    [100, 30],
    [40, 10],
  ])(
    "what is asked stands on the screen once, in plain words, between rules where there is room (%dx%d)",
    async (columns, rows) => {
      await writeFile(file("a.txt"), "old line\n");
      const edit = { name: "edit_file", args: { file_path: "a.txt", old_string: "old line", new_string: "new line" } };
      const asked = { id: "q", question: "Which one?", options: [{ label: "this" }, { label: "that" }] };
      bench.server.push(
        turn.calls([shell("echo asked > one.txt")]),
        turn.calls([edit]),
        turn.calls([{ name: "ask_user", args: { questions: [asked] } }]),
        turn.text("all answered"),
      );
      const run = await bench.open([...SONNET, "--permission-mode", "ask"], {
        columns,
        rows,
        env: { HOME: bench.box.dir },
      });
      const once = (screen: readonly string[], text: string): void => {
        expect(screen.filter((row) => row.includes(text))).toHaveLength(1);
        expect(screen.join("\n")).not.toMatch(/aiting for your answer|Touches|shell call\?/);
      };
      run.type(`go${KEY.enter}`);
      once(await run.see(/Run this command in ~\?[\s\S]*Esc to stop/), "│ echo asked");
      run.type("y");
      const second = await run.see(/Change a\.txt\?[\s\S]*Esc to stop/);
      once(second, "Change a.txt?");
      if (rows > 14)
        expect(second.join("\n")).toMatch(
          /\n\n─+\nChange a\.txt\?\n +1 - old line\n +1 \+ new line\n\n[\s\S]*\n─+\nEsc to stop/,
        );
      run.type("y");
      once(await run.see(/Which one\?[\s\S]*Esc to stop/), "Which one?");
      run.type(`1${KEY.enter}`);
      await run.see("all answered");
    },
  );

  it("no, and what to do instead: the words reach the model", async () => {
    bench.server.push(turn.calls([shell("rm -r build")]), turn.text("understood"));
    const run = await bench.open();
    run.type(`go${KEY.enter}`);
    await run.see(/Esc to stop/);
    run.type("w");
    await run.see("What should Lathe do instead?");
    run.type(`only list it${KEY.enter}`);
    await run.see("understood");
    expect(JSON.stringify(bench.server.requests[1]?.body)).toContain("The user said: only list it");
  });

  it("always covers the calls that wait as well", async () => {
    const run = await askedAboutTwo();
    run.type("a");
    await run.see("both");
    expect([existsSync(file("one.txt")), existsSync(file("two.txt"))]).toEqual([true, true]);
  });

  it("letters that are being typed do not answer a question that comes up; Tab goes to it, and the words stay", async () => {
    const door = gate();
    bench.server.push(turn.calls([shell("X=1 env echo one > one.txt")], { before: door.wait }), turn.text("done"));
    const run = await bench.open();
    run.type(`go${KEY.enter}`);
    await door.reached;
    run.type("my wa");
    await run.see("❯ my wa");
    door.open();
    await run.see(/│ X=1 env echo one[\s\S]*Tab to answer/);
    run.type("y, yes");
    await run.see("❯ my way, yes");
    expect(existsSync(file("one.txt"))).toBe(false);
    run.type(KEY.tab);
    await run.see("Esc to stop");
    run.type("y");
    await run.see(/done[\s\S]*❯ my way, yes/);
    expect(existsSync(file("one.txt"))).toBe(true);
  });

  it("a character that is no answer begins a message: the letters after it answer nothing", async () => {
    const run = await askedAboutTwo();
    run.type("/");
    run.type("y");
    run.type("a");
    await run.see("❯ /ya");
    await run.see("Tab to answer");
    expect(existsSync(file("one.txt"))).toBe(false);
    run.type(`${KEY.backspace}${KEY.backspace}${KEY.backspace}${KEY.tab}`);
    await run.see(/│ X=1 env echo one[\s\S]*Esc to stop/);
    run.type("a");
    await run.see("both");
  });

  it("after an answer the next question has the keys, but not the one that was pressed at once", async () => {
    const run = await askedAboutTwo();
    run.type("yy");
    await run.see(/│ X=1 env echo two[\s\S]*Esc to stop/);
    expect(run.screen.join("\n")).not.toMatch(/❯ y+$/m);
    expect(existsSync(file("two.txt"))).toBe(false);
    run.type("y");
    await run.see(/both[\s\S]*Ask for a change/);
    expect(existsSync(file("two.txt"))).toBe(true);
  });

  it("Esc at a question stops the work", async () => {
    bench.server.push(turn.calls([shell("X=1 env echo one > one.txt")]), turn.text("never"));
    const run = await bench.open();
    run.type(`go${KEY.enter}`);
    await run.see("Esc to stop");
    run.type(KEY.escape);
    await run.see(/Interrupted[\s\S]*Ask for a change/);
    expect(existsSync(file("one.txt"))).toBe(false);
    expect(bench.server.requests).toHaveLength(1);
  });
});

describe("questions of the model", () => {
  const ask = (question: object) => turn.calls([{ name: "ask_user", args: { questions: [question] } }]);
  const parts = ["lexer", "parser", "printer"].map((label) => ({ label }));
  const answer = (index: number): string => JSON.stringify(bench.server.requests[index]?.view.messages.at(-1)?.results);

  it("a set of them is answered in its panel: no key lands in the composer between two", async () => {
    const questions = ["Which part?", "Which tests?", "Which name?"].map((question, i) => ({
      id: `q${i}`,
      question,
      options: parts,
    }));
    bench.server.push(turn.calls([{ name: "ask_user", args: { questions } }]), turn.text("understood"));
    const run = await bench.open();
    run.type(`go${KEY.enter}`);
    await run.see(/\(1\/3\) Which part\?[\s\S]*Esc to stop/);
    run.type(`1${KEY.enter}2`);
    await run.see(/\(2\/3\) Which tests\?[\s\S]*Esc to stop/);
    run.type(`2${KEY.enter}`);
    await run.see(/\(3\/3\) Which name\?[\s\S]*Esc to stop/);
    run.type(`3${KEY.enter}`);
    await run.see(/understood[\s\S]*Ask for a change/);
    expect(answer(1)).toMatch(/lexer.*parser.*printer/);
  });

  it("one of several by its digit, several by marks, the recommended one by Enter, or one's own words", async () => {
    bench.server.push(
      ask({ id: "a", question: "Which part?", options: parts }),
      ask({ id: "b", question: "Which parts?", options: parts, multi: true }),
      ask({ id: "c", question: "Which one first?", options: parts, recommended: 1 }),
      ask({ id: "d", question: "What else?", options: parts }),
      ask({ id: "e", question: "In words?", options: [] }),
      turn.text("understood"),
    );
    const run = await bench.open();
    run.type(`go${KEY.enter}`);
    await run.see(/Which part\?[\s\S]*Esc to stop/);
    run.type(`2${KEY.enter}`);
    await run.see(/Which parts\?[\s\S]*Space to mark · Enter to send/);
    run.type("1");
    run.type("3");
    run.type(KEY.enter);
    await run.see(/Which one first\?[\s\S]*2 {2}parser \(recommended\)[\s\S]*Esc to stop/);
    run.type(KEY.enter);
    await run.see(/What else\?[\s\S]*Esc to stop/);
    run.type("1. white");
    await run.see(/1\. white[\s\S]*Esc to go back/);
    run.type(` tests only${KEY.enter}`);
    await run.see(/In words\?[\s\S]*Your answer[\s\S]*Enter to send · Esc to stop/);
    expect(run.screen.join("\n")).not.toContain("own words");
    run.type("/x");
    await run.see(/❯ \/x/);
    run.type(`${KEY.backspace}${KEY.backspace}${KEY.tab}`);
    await run.see(/Enter to send · Esc to stop/);
    run.type(`why not${KEY.enter}`);
    await run.see("understood");
    expect(answer(1)).toMatch(/parser/);
    expect(answer(2)).toMatch(/lexer.*printer/);
    expect(answer(3)).toMatch(/parser/);
    expect(answer(4)).toContain("1. white tests only");
    expect(answer(5)).toContain("why not");
  });
});
