// Rules that watch what the model writes, over a real connection: what is cut, what is sent next, what is kept.

import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { call, gate, text, thinking, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { type Project, project } from "./project-kit.ts";

const rule = (frontmatter: string, body = "Use the logger."): string => `---\n${frontmatter}\n---\n${body}\n`;
const NO_CONSOLE = { "project/.lathe/rules/no-console.md": rule("condition: console\\.log") };
const journalOf = (rig: Project): Promise<string> => readFile(rig.talk.open.journal.path!, "utf8");
const streamedText = (rig: Project): string =>
  rig.events
    .flatMap((event) =>
      event.kind === "assistant_text_delta" ||
      event.kind === "assistant_reasoning_delta" ||
      event.kind === "tool_call_args_delta"
        ? [event.data.delta]
        : [],
    )
    .join("");

describe("a rule with a condition", () => {
  it("G-96 EX-09 G-67 cuts the stream, is injected once, and nothing of the forbidden text is shown, kept or sent", async () => {
    await using rig = await project(NO_CONSOLE);
    const held = gate();
    await rig.say(
      "log it",
      // The pattern is split over two deltas; what comes after it is held back until the client has gone away.
      turn.text(`I add console.log("x") there, and more`, {
        deltaChars: 12,
        beforeEvent: (index) => (index >= 6 ? held.wait() : undefined),
      }),
      turn.text("I use the logger."),
    );
    held.open();
    const [first, second] = rig.server.requests;
    await first!.finished;
    expect(first!.closedEarly).toBe(true);
    expect(rig.server.requests).toHaveLength(2);
    // The same prefix, then the rule.
    expect(second!.view.system).toBe(first!.view.system);
    expect(second!.body.tools).toEqual(first!.body.tools);
    const [before, after] = [first!, second!].map(({ view }) => view.messages.map((message) => message.text).join(""));
    expect(after!.startsWith(before!)).toBe(true);
    expect(rig.lastSaid()).toContain(`<rule name="no-console">\nUse the logger.\n</rule>`);
    expect(rig.of("prefix_changed")).toEqual([]);
    expect(rig.of("ttsr_triggered").map(({ data }) => data.rules)).toEqual([["no-console"]]);
    expect(rig.of("retry").map(({ data }) => data.discards)).toEqual([true]);
    expect(streamedText(rig)).not.toContain("console.log");
    expect(second!.text).not.toContain("console.log");
    const journal = await journalOf(rig);
    expect(journal).not.toContain("I add");
    expect(journal).toContain(`"injectedRules":["no-console"]`);
    expect(rig.of("assistant_text_end").map(({ data }) => data.text)).toEqual(["I use the logger."]);
  });

  it("G-96 does not fire again: not in this process, not after the session was opened again", async () => {
    await using rig = await project(NO_CONSOLE);
    await rig.say("log it", turn.text("console.log"), turn.text("sorry"));
    await rig.say("again", turn.text("console.log(1)"));
    await rig.reopen();
    await rig.say("and again", turn.text("console.log(2)"));
    expect(rig.server.requests).toHaveLength(4);
    expect(rig.of("ttsr_triggered")).toHaveLength(1);
    expect(rig.of("assistant_text_end").map(({ data }) => data.text)).toEqual([
      "sorry",
      "console.log(1)",
      "console.log(2)",
    ]);
  });

  it("G-96 sees thinking, and the arguments of calls as the text that they mean", async () => {
    await using rig = await project({
      "project/.lathe/rules/thought.md": rule("condition: give up\nscope: thinking", "Never give up."),
      "project/.lathe/rules/line.md": rule("condition: '^eval\\('\nscope: [tool]", "No eval at the start of a line."),
    });
    const write = (content: string) => call({ name: "write_file", args: { file_path: "a.js", content } });
    await rig.say(
      "go, but do not give up",
      turn.blocks([text("I never give up."), write("x = 1\neval(y)\n")]),
      turn.blocks([thinking("I could give up here"), text("No.")]),
      turn.blocks([write(" eval(y)\n")]),
      turn.text("done"),
    );
    expect(rig.of("ttsr_triggered").map(({ data }) => data.rules)).toEqual([["line"], ["thought"]]);
    // The call of the cut answer never ran.
    expect(await readFile(`${rig.cwd}/a.js`, "utf8")).toBe(" eval(y)\n");
    expect(rig.of("tool_call_start")).toHaveLength(1);
  });

  it("G-96 a glob as condition fires on changes of such files only", async () => {
    await using rig = await project({
      "project/.lathe/rules/tests.md": rule('condition: "*.test.ts"', "Tests are written by people."),
    });
    const write = (path: string) => turn.calls([{ name: "write_file", args: { file_path: path, content: "x\n" } }]);
    await rig.say(
      "write",
      write("a.ts"),
      turn.calls([{ name: "shell", args: { command: "echo a.test.ts" } }]),
      write("src/a.test.ts"),
      turn.text("I see."),
    );
    expect(rig.of("ttsr_triggered").map(({ data }) => data.rules)).toEqual([["tests"]]);
    expect(rig.server.requests).toHaveLength(4);
    await expect(readFile(`${rig.cwd}/src/a.test.ts`)).rejects.toThrow("ENOENT");
    expect(await readFile(`${rig.cwd}/a.ts`, "utf8")).toBe("x\n");
  });

  it("G-96 that does not interrupt reminds the model afterwards: with the result of a call, or instead of the end", async () => {
    await using rig = await project({
      "project/.lathe/rules/a.md": rule("condition: alpha\ninterruptMode: never", "No alpha."),
      "project/.lathe/rules/b.md": rule("condition: beta\ninterruptMode: tool-only", "No beta."),
    });
    await rig.say(
      "go",
      turn.blocks([text("alpha"), call({ name: "shell", args: { command: "echo hi" }, id: "toolu_1" })]),
      turn.text("beta"),
      turn.text("corrected"),
    );
    expect(rig.server.requests[1]!.result("toolu_1")).toMatch(/hi[\s\S]*<rule name="a">\nNo alpha\.\n<\/rule>$/);
    expect(rig.lastSaid()).toContain("No beta.");
    expect(rig.of("retry")).toEqual([]);
    expect(rig.of("ttsr_triggered").map(({ data }) => data.rules)).toEqual([["a"], ["b"]]);
  });

  it("G-96 whose expression never ends is turned off with a warning that names its file; the others go on", async () => {
    await using rig = await project({
      ...NO_CONSOLE,
      "project/.lathe/rules/slow.md": rule("condition: '(a+)+$'", "Never."),
    });
    await rig.say("go", turn.text(`${"a".repeat(60)}! console.log`, { deltaChars: 70 }), turn.text("fine"));
    expect(rig.warnings().filter((warning) => warning.includes("slow"))).toEqual([
      `The condition (a+)+$ of the rule slow (${rig.cwd}/.lathe/rules/slow.md) takes too long and is off in this session. Write it without nested repetitions.`,
    ]);
    expect(rig.of("ttsr_triggered").map(({ data }) => data.rules)).toEqual([["no-console"]]);
  });

  it("G-96 is off with ttsr.enabled, and a bad expression or scope is one warning each", async () => {
    await using off = await project(NO_CONSOLE, { settings: { "ttsr.enabled": false } });
    await off.say("go", turn.text("console.log"));
    expect(off.of("ttsr_triggered")).toEqual([]);
    await using bad = await project({
      "project/.lathe/rules/bad.md": rule(
        "scope: everywhere\ncondition: ['((', beta]\ninterruptMode: often",
        "No beta.",
      ),
    });
    await bad.say("go", turn.text("beta"), turn.text("fine"));
    expect(bad.of("ttsr_triggered")).toHaveLength(1);
    const path = `${bad.cwd}/.lathe/rules/bad.md`;
    expect(bad.warnings()).toEqual([
      expect.stringContaining(`${path}:2: the scope "everywhere" is not known.`),
      expect.stringContaining(`${path}:3: the condition (( is not a regular expression and is ignored`),
      expect.stringContaining(`${path}:4: interruptMode is one of`),
    ]);
  });
});

it("G-95 G-96 EX-08 after /reload new rules and skills take effect, and not before", async () => {
  await using rig = await project({
    "project/.lathe/rules/old.md": rule("description: an old one"),
    "project/.lathe/skills/s/SKILL.md": "---\nname: s\ndescription: an old skill\n---\nOld.",
  });
  await rig.say("go", turn.text("ok"));
  await writeFile(join(rig.cwd, ".lathe/rules/new.md"), rule("description: a new one", "New text."));
  await writeFile(join(rig.cwd, ".lathe/rules/watch.md"), rule("condition: gamma", "No gamma."));
  await writeFile(join(rig.cwd, ".lathe/skills/s/SKILL.md"), "---\nname: s\ndescription: a changed skill\n---\nNew.");
  await rig.say("gamma?", turn.text("gamma"));
  expect(rig.system()).not.toMatch(/a new one|a changed skill/);
  await rig.say("/reload");
  await rig.say("again", rig.read("rule://new"), turn.text("gamma"), turn.text("fine"));
  expect(rig.system()).toContain("- new: a new one");
  expect(rig.system()).toContain("- s: a changed skill");
  expect(rig.of("ttsr_triggered").map(({ data }) => data.rules)).toEqual([["watch"]]);
});

describe("rules for the model to read", () => {
  it("LS-07 EX-09 one that the user's own prompt holds already is not in it twice", async () => {
    await using rig = await project({
      "home/.lathe/rules/plain.md": rule("alwaysApply: true", "Write plain English."),
      "home/.lathe/rules/short.md": rule("alwaysApply: true", "Be short."),
      "home/.lathe/APPEND_SYSTEM.md": "Mine. Write plain English. More of mine.",
    });
    await rig.say("go", turn.text("ok"));
    expect(rig.system().split("Write plain English.")).toHaveLength(2);
    expect(rig.system()).toContain("Be short.");
  });

  it("G-95 EX-09 the text of one that always applies is in the prompt, one with a description is listed, others are nowhere", async () => {
    await using rig = await project({
      "project/.lathe/rules/always.md": rule("alwaysApply: true", "Write plain English."),
      "home/.lathe/rules/copy.md": rule("alwaysApply: true", "Write plain English."),
      "project/.lathe/rules/style.mdc": rule(
        "description: how we write tests\nglobs: '*.test.ts, src/**'",
        "Test body.",
      ),
      "project/.lathe/rules/stream.md": rule("condition: zzz\nalwaysApply: true\ndescription: x", "Stream body."),
      "project/.lathe/rules/bare.md": "Bare body.",
    });
    await rig.say("go", rig.read("rule://style"), rig.read("rule://always"), turn.text("ok"));
    const system = rig.system();
    expect(system.split("Write plain English.")).toHaveLength(2);
    expect(system).toContain("- style: how we write tests (<*.test.ts> <src/**>)");
    expect(system).toContain("rule://<name>");
    expect(system.indexOf("Write plain English.")).toBeLessThan(system.indexOf("# Rules"));
    for (const hidden of ["Test body.", "Stream body.", "Bare body.", "stream:"]) expect(system).not.toContain(hidden);
    const results = rig.server.requests.at(-1)!.view.messages.flatMap(({ results }) => results.map(({ text }) => text));
    expect(results).toEqual(["Test body.", "Write plain English."]);
    await rig.say("more", rig.read("rule://stream"), turn.text("ok"));
    expect(rig.server.requests.at(-1)!.view.messages.at(-1)!.results[0]!.text).toContain(
      'There is no rule "stream". Rules: style, always, copy.',
    );
  });

  it("G-94 a rule whose frontmatter is broken keeps its plain lines, and is not always applied", async () => {
    await using rig = await project({
      "project/.lathe/rules/broken.md": "---\ndescription: x\nglobs:\t[\nalwaysApply: true\n---\nBody.\n",
    });
    await rig.say("go", turn.text("ok"));
    expect(rig.system()).toContain("- broken: x");
    expect(rig.system()).not.toContain("Body.");
    expect(rig.warnings().filter((warning) => warning.includes("broken.md"))).toHaveLength(1);
  });

  it("G-93 of rules with one name the project's own wins, then the user's own, then Cursor's of the user", async () => {
    const named = (text: string): string => rule("description: d", text);
    const files = {
      "project/.lathe/rules/r.md": named("native project"),
      "home/.lathe/rules/r.md": named("native user"),
      "home/.cursor/rules/r.mdc": named("cursor user"),
      "project/.cursor/rules/r.mdc": named("cursor project"),
      "project/.windsurf/rules/r.md": named("windsurf project"),
      "project/.clinerules/r.md": named("cline"),
    };
    await using rig = await project(files);
    const read = async (): Promise<string> => {
      await rig.say("/new");
      await rig.say("read", rig.read("rule://r"), turn.text("ok"));
      return rig.server.requests.at(-1)!.view.messages.at(-1)!.results[0]!.text;
    };
    for (const path of Object.keys(files)) {
      expect(await read()).toBe(files[path as keyof typeof files].split("---\n")[2]!.trim());
      await rm(join(rig.root, path));
    }
  });
});
