// Instructions of a subfolder and rules for some files: the model gets them once, with the first matching file, and the
// prompt stays the same.

import { turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { type Project, project } from "./project-kit.ts";

let ids = 0;
const read = (path: string) => turn.calls([{ name: "read_file", args: { file_path: path }, id: `toolu_${++ids}` }]);
/** How often the last request has this text. */
const count = (rig: Project, text: string): number => rig.server.requests.at(-1)!.text.split(text).length - 1;
const prefixes = (rig: Project): number => new Set(rig.server.requests.map(({ view }) => view.system)).size;

const API = {
  "project/AGENTS.md": "Root.",
  "project/api/AGENTS.md": "Return JSON.",
  "project/api/a.ts": "a",
  "project/api/b.ts": "b",
  "project/api/v2/CLAUDE.md": "Version two. @extra.md @../../../home/key.md",
  "project/api/v2/extra.md": "Imported there.",
  "project/api/v2/c.ts": "c",
  "home/key.md": "OUTSIDE",
  "project/web/AGENTS.md": "Use hooks.",
  "project/node_modules/x/AGENTS.md": "A stranger's.",
  "project/node_modules/x/i.js": "i",
};

it("EX-12 instructions of a subfolder are given once, in a message, when a file there is first read", async () => {
  await using rig = await project(API);
  await rig.say("go", read("api/a.ts"), read("api/v2/c.ts"), read("node_modules/x/i.js"), turn.text("done"));
  expect(rig.server.requests[0]!.text).not.toContain("Return JSON.");
  expect(rig.server.requests[1]!.view.messages.at(-1)).toMatchObject({ role: "user" });
  expect(rig.server.requests[1]!.view.messages.at(-1)!.text).toContain(
    '<instructions folder="api">\n# api/AGENTS.md\n\nReturn JSON.\n</instructions>',
  );
  expect(rig.server.requests[2]!.view.messages.at(-1)!.text).toContain("Imported there.");
  await rig.say("again", read("api/b.ts"), turn.text("done"));
  await rig.reopen();
  await rig.say("and again", read("api/a.ts"), turn.text("done"));
  expect(["Return JSON.", "Version two.", "Root."].map((text) => count(rig, text))).toEqual([1, 1, 1]);
  expect(["Use hooks.", "A stranger's.", "OUTSIDE"].map((text) => count(rig, text))).toEqual([0, 0, 0]);
  expect(rig.of("prefix_changed")).toEqual([]);
  expect(prefixes(rig)).toBe(1);
});

it("EX-12 instructions of a subfolder that are cut or left out give one warning each, and those of the top none again", async () => {
  await using rig = await project({
    ...API,
    "project/api/AGENTS.md": "x".repeat(40_000),
    "project/web/AGENTS.md": "y".repeat(2 << 20),
    "project/web/w.ts": "w",
  });
  await rig.say("go", read("api/a.ts"), read("web/w.ts"), read("api/b.ts"), turn.text("done"));
  expect(rig.of("warning").map(({ data }) => data.message)).toEqual([
    "api/AGENTS.md: with the other instruction files it is larger than 32 KB, so it is cut or left out",
    "web/AGENTS.md: it is larger than 1 MB; it is left out",
  ]);
});

it("EX-12 a command that reads a file counts, and a failed call does not", async () => {
  await using rig = await project(API);
  await rig.say(
    "go",
    read("web/missing.ts"),
    turn.calls([{ name: "shell", args: { command: "cat api/a.ts" }, id: "toolu_cat" }]),
    turn.text("done"),
  );
  expect(count(rig, "Return JSON.")).toBe(1);
  expect(count(rig, "Use hooks.")).toBe(0);
});

it.each([
  ["Claude Code", ".claude/rules/ts.md", "paths:\n  - src/**/*.ts"],
  ["Cursor", ".cursor/rules/ts.mdc", "globs: src/**/*.{js,ts}\nalwaysApply: false"],
  ["Windsurf", ".windsurf/rules/ts.md", "trigger: glob\nglobs: src/**/*.ts"],
  ["Cline", ".clinerules/ts.md", 'paths:\n  - "src/**/*.ts"'],
  ["Copilot", ".github/instructions/ts.instructions.md", "applyTo: '**/*.ts,**/*.tsx'"],
])("G-93 a rule of %s for some files is given when one is touched, once", async (_agent, path, frontmatter) => {
  await using rig = await project({
    [`project/${path}`]: `---\n${frontmatter}\n---\nNo default exports.`,
    "project/src/deep/a.ts": "a",
    "project/src/b.ts": "b",
    "project/readme.txt": "r",
  });
  await rig.say("go", read("readme.txt"), turn.text("done"));
  expect(rig.server.requests.at(-1)!.text).not.toContain("No default exports.");
  await rig.say("go on", read("src/deep/a.ts"), read("src/b.ts"), turn.text("done"));
  expect(rig.server.requests.at(-2)!.view.messages.at(-1)!.text).toContain("No default exports.");
  expect(count(rig, "No default exports.")).toBe(1);
  expect(rig.of("prefix_changed")).toEqual([]);
  expect(prefixes(rig)).toBe(1);
  expect(rig.warnings()).toEqual([]);
});

it("G-93 a rule is given with a write, too; a glob that is none is one warning with its file", async () => {
  await using rig = await project({
    "project/.lathe/rules/sql.md": "---\nglobs: '*.sql'\n---\nUpper case.",
    "project/.lathe/rules/bad.md": "---\nglobs: 'src/[a'\n---\nNever given.",
  });
  await rig.say(
    "go",
    turn.calls([{ name: "write_file", args: { file_path: "db/x.sql", content: "select 1\n" }, id: "toolu_w" }]),
    turn.text("done"),
  );
  const after = rig.server.requests[1]!;
  expect(after.view.messages.at(-1)!.text, "it comes with the result of the first write").toContain("Upper case.");
  expect(after.text).toContain("toolu_w");
  expect(count(rig, "Upper case.")).toBe(1);
  expect(rig.warnings()).toEqual([expect.stringMatching(/\.lathe\/rules\/bad\.md: Bad glob pattern/)]);
});

const NOTES = turn.text("## Goal\nAll of it.\n\n## Done\nSome.\n\n## Next steps\nThe rest.");
const long = (name: string) => `${name} ${"word ".repeat(2000)}`;
const RULED = {
  "project/.claude/rules/ts.md": "---\npaths:\n  - src/**/*.ts\n---\nNo default exports.",
  "project/api/AGENTS.md": "Return JSON.",
  "project/api/a.ts": "a",
  "project/web/AGENTS.md": "Use hooks.",
  "project/web/a.ts": "a",
  "project/src/a.ts": "a",
  "project/src/b.ts": "b",
};
const counts = (rig: Project): number[] => ["No default exports.", "Return JSON."].map((text) => count(rig, text));

it("G-93 EX-12 what a summary took away is given again with the next such file, once", async () => {
  await using rig = await project(RULED);
  await rig.say("go", read("src/a.ts"), read("api/a.ts"), turn.text(long("first")));
  await rig.say("more", turn.text(long("second")));
  await rig.say("/compact", NOTES);
  await rig.say("next", turn.text("ok"));
  expect(counts(rig), "the messages were summarized").toEqual([0, 0]);
  await rig.say("again", read("src/b.ts"), read("src/a.ts"), read("api/a.ts"), turn.text("done"));
  expect(counts(rig)).toEqual([1, 1]);
  await rig.reopen();
  await rig.say("and again", read("src/b.ts"), read("api/a.ts"), turn.text("done"));
  expect(counts(rig)).toEqual([1, 1]);
  expect(prefixes(rig), "the summarizing request has a prompt of its own").toBe(2);
});

it("G-93 EX-12 what a summary leaves in the request is not given again", async () => {
  await using rig = await project(RULED);
  await rig.say("go", turn.text(long("first")));
  await rig.say("more", read("src/a.ts"), read("api/a.ts"), turn.text("short"));
  await rig.say("/compact", NOTES);
  await rig.say("again", read("src/b.ts"), read("api/a.ts"), turn.text("done"));
  expect(rig.of("compaction_end")).toHaveLength(1);
  expect(counts(rig)).toEqual([1, 1]);
});

it("G-93 EX-12 what /uncompact brings back is not given again", async () => {
  await using rig = await project(RULED);
  await rig.say("go", read("src/a.ts"), read("api/a.ts"), turn.text(long("first")));
  await rig.say("more", turn.text(long("second")));
  await rig.say("/compact", NOTES);
  await rig.say("next", read("web/a.ts"), turn.text("ok"));
  await rig.say("/uncompact");
  await rig.say("again", read("api/a.ts"), read("web/a.ts"), turn.text("done"));
  expect([...counts(rig), count(rig, "Use hooks.")]).toEqual([1, 1, 1]);
});

it("G-93 EX-12 a compaction in the middle of work takes the texts away, and the next such file brings them back", async () => {
  await using rig = await project(RULED);
  await rig.say("go", read("src/a.ts"), read("api/a.ts"), turn.text(long("first")));
  await rig.say("more", turn.text(long("second")));
  Object.assign(rig.workspace.settings, { "compaction.thresholdTokens": rig.talk.session.contextTokens });
  await rig.say("again", NOTES, read("src/b.ts"), read("api/a.ts"), turn.text("done"));
  expect(rig.of("compaction_end")).toHaveLength(1);
  expect(counts(rig)).toEqual([1, 1]);
});
