// Sessions whose first prompt came with files or piped text: users look for their own words.

import { readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { replaceAttachmentsByNames } from "../src/sessions/attached-text.ts";
import { sessionName } from "../src/sessions/list.ts";
import { seconds } from "../src/sessions/numbers.ts";
import { type Bench, bench } from "./models-kit.ts";

let at: Bench;
beforeEach(async () => {
  at = await bench({ script: () => turn.text("fine") });
});
afterEach(() => at.close());

async function say(args: string[], stdin = ""): Promise<void> {
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: at.server.baseUrl("anthropic") };
  const { code, stderr } = await at.box.run(["--model", "anthropic/claude-sonnet-4-5", ...args], { env, stdin });
  expect([code, stderr]).toEqual([0, ""]);
}

const lathe = async (...args: string[]): Promise<string> => (await at.box.run(args)).stdout;

describe("text attached to a prompt", () => {
  it("G-36 a session is listed by the words that were said, not by the file that went with them", async () => {
    await writeFile(join(at.box.dir, "notes.md"), "# Notes\n\nremember the milk\n");
    await say(["-p", "what is missing?", "@notes.md"], "diff --git a/x b/x\n");
    expect(await lathe("sessions", "list")).toContain("  what is missing? (@notes.md, piped text)");
    await writeFile(join(at.box.dir, "long.md"), "a line of a long file\n".repeat(1000));
    await say(["-p", "and here?", "@long.md"]);
    expect(await lathe("sessions", "list")).toContain("(@long.md)");
  });

  it("shows and exports it folded below the words; --full shows it", async () => {
    await writeFile(join(at.box.dir, "notes.md"), "# Notes\n</file>\nremember the milk\n");
    await say(["-p", "what is missing?", "@notes.md"]);
    const [id = ""] = (await lathe("sessions", "list")).split(" ");
    const shown = await lathe("sessions", "show", id);
    expect(shown.startsWith("# what is missing?\n")).toBe(true);
    expect(shown).toContain("> user\n[@notes.md: 3 lines]\nwhat is missing?\n");
    expect(await lathe("sessions", "show", id, "--full")).toContain(
      "[@notes.md]\n  | # Notes\n  | </file>\n  | remember the milk\nwhat is missing?\n",
    );
    await lathe("sessions", "export", id, "--out", "page.html");
    const page = await readFile(join(at.box.dir, "page.html"), "utf8");
    expect(page).toContain("<h1>what is missing?</h1>");
    expect(page).toContain("<b>1</b> answer, <b>0</b> calls");
    expect(page).toMatch(/what is missing\?<\/div><details><summary>.*@notes\.md[\s\S]*remember the milk/);
    expect(page).not.toContain("&lt;file path");
  });

  it("words that only look like it stay; a beginning that is cut names the file", () => {
    expect(replaceAttachmentsByNames("<file path is what?")).toBe("<file path is what?");
    expect(replaceAttachmentsByNames('<file path="a b.ts">\nconst a =')).toBe("(@a b.ts)");
    expect(replaceAttachmentsByNames('<file path="p.png">\n</file>\nlook')).toBe("look (@p.png)");
  });

  it("G-100 a skill that was given with /skill is shown as it was typed; its text is folded", async () => {
    await say(["-p", "/skill:deep-interview a wall"]).catch(() => undefined);
    const list = await lathe("sessions", "list");
    expect(list).toContain("  /skill:deep-interview a wall");
    const shown = await lathe("sessions", "show", list.split(" ")[0] ?? "");
    expect(shown).toMatch(/> user\n\[skill deep-interview: \d+ lines\]\n\/skill:deep-interview a wall\n/);
    expect(replaceAttachmentsByNames('<skill name="x">\nFollow th')).toBe("/skill:x");
  });
});

describe("sessions that hold a change", () => {
  it("the diff of an edit is shown once", async () => {
    await at.close();
    const edit = { name: "edit_file", args: { file_path: "a.txt", old_string: "one", new_string: "two" } };
    at = await bench({
      script: ({ view }) => (view.messages.at(-1)?.results.length ? turn.text("done") : turn.calls([edit])),
    });
    await writeFile(join(at.box.dir, "a.txt"), "one\n");
    await say(["-p", "change it"]);
    const [id = ""] = (await lathe("sessions", "list")).split(" ");
    const shown = await lathe("sessions", "show", id, "--full");
    expect(shown.match(/^ {2}\| \+two$/gm)).toHaveLength(1);
  });

  it("a session is not removed by a slip of a letter or two; show and export take one session", async () => {
    await say(["-p", "keep me"]);
    const [id = ""] = (await lathe("sessions", "list")).split(" ");
    expect(await at.box.run(["sessions", "rm", id.slice(0, 2)])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("give at least 4 characters"),
    });
    for (const verb of ["show", "export"]) {
      const { code, stderr } = await at.box.run(["sessions", verb, id, "another"]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('takes one session, but got "another"')]);
    }
    expect(await at.box.run(["sessions", "rm", id.slice(0, 4)])).toMatchObject({ code: 0 });
  });
});

describe("a new name", () => {
  it("G-36 does not make an old session the newest one, in the list or for --continue; search finds it", async () => {
    await say(["-p", "old work"]);
    const [old = ""] = (await lathe("sessions", "list")).split(" ");
    const [{ path }] = JSON.parse(await lathe("sessions", "list", "--json"));
    await utimes(path, new Date("2026-01-02"), new Date("2026-01-02"));
    await say(["-p", "new work"]);
    await lathe("sessions", "search", "work");
    await lathe("sessions", "rename", old, "renamed");
    expect(await lathe("sessions", "list")).toMatch(/^\w+ .*new work\n\w+ .*renamed\n$/);
    expect(await lathe("sessions", "search", "renamed")).toContain(old);
    await say(["-c", "-p", "going on"]);
    expect(JSON.stringify(at.modelRequests.at(-1)?.view.messages)).toContain("new work");
  });
});

describe("names and numbers", () => {
  it("G-36 a long name is not cut in the middle of a character", () => {
    const name = sessionName({ id: "i", firstMessage: "👋".repeat(60) });
    expect(name).toBe(`${"👋".repeat(39)}…`);
  });

  it("a time is never 60 seconds", () => {
    expect([59_990, 119_999, 3_599_900, 7_260_000, 3 * 86_400_000].map(seconds)).toEqual([
      "1 min 0 s",
      "2 min 0 s",
      "1 h 0 min",
      "2 h 1 min",
      "3 days",
    ]);
  });
});
