// What a terminal's pickers and screens show, as data: models, sessions, settings.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { helpOf, SETTINGS } from "../src/config/settings/schema.ts";
import { changeSetting, settingsScreen } from "../src/config/settings/screen.ts";
import type { SessionWorkspace } from "../src/conversation/session-workspace.ts";
import { Run } from "../src/hosts/run.ts";
import { offeredModels } from "../src/models/offered-models.ts";
import { deskOf } from "../src/platform/machine/desk.ts";
import { findAmong, pickableSessions, renameSession, sessionPreview } from "../src/sessions/picker.ts";
import { type Box, makeBox } from "./sessions-box.ts";
import { answer, user } from "./sessions-fixture.ts";

let box: Box;
let workspace: SessionWorkspace;
beforeEach(async () => {
  box = makeBox({ ANTHROPIC_API_KEY: "k", OLLAMA_HOST: "127.0.0.1:1" });
  workspace = await new Run(box.machine()).open({});
});
afterEach(() => box.remove());

describe("models", () => {
  it("the one in use, then those with a credential, then the others with what to do; price and window are told", async () => {
    const offered = await offeredModels(workspace, "anthropic/claude-sonnet-4-5");
    expect(offered[0]).toMatchObject({ selector: "anthropic/claude-sonnet-4-5", isCurrent: true });
    expect(offered[0]?.facts).toEqual([expect.stringMatching(/^\d+k window$/), "$3 in, $15 out", "thinks, sees"]);
    const firstWithout = offered.findIndex(({ problem }) => problem !== undefined);
    expect(firstWithout).toBeGreaterThan(1);
    expect(offered.slice(firstWithout).every(({ problem }) => problem !== undefined)).toBe(true);
    expect(offered.find(({ selector }) => selector.startsWith("openai/"))?.problem).toBe(
      "no credential: lathe login openai",
    );
    expect(offered.find(({ selector }) => selector === "practice/basic")?.facts).toEqual([
      expect.anything(),
      "free",
      "",
    ]);
  });
});

describe("G-39 G-36 sessions", () => {
  async function session(title: string, ...messages: string[]): Promise<string> {
    const { journal, path } = box.maker.make({});
    for (const [at, text] of messages.entries()) journal.append(at % 2 ? answer(text) : user(text));
    if (title !== "") journal.setTitle(title, "auto");
    await journal.close();
    return path;
  }

  it("are found by a word that only the seventh message holds, before and after those that are named so", async () => {
    const old = await session("", "one", "two", "three", "four", "five", "six", "the zebra crossing", "eight");
    await session("Parser", "fix the parser", "done");
    const named = await session("All about the zebra", "hello", "hi");
    const all = pickableSessions(workspace);
    expect(all).toHaveLength(3);
    expect((await findAmong(workspace, all, "crossing zeb")).map(({ path }) => path)).toEqual([old]);
    expect((await findAmong(workspace, all, "zebra")).map(({ path }) => path)).toEqual([named, old]);
    expect((await findAmong(workspace, all, "nowhere-at-all")).length).toBe(0);
    expect(await findAmong(workspace, all, "  ")).toHaveLength(3);
    await expect(findAmong(workspace, all, '( * "')).resolves.toBeInstanceOf(Array);
  });

  it("a preview shows the end of the talk and how long it is; one without a message is not listed", async () => {
    const path = await session("", "first words", "an answer", "more", "the end of it");
    await session("");
    expect(pickableSessions(workspace).map((one) => one.path)).toEqual([path]);
    expect(sessionPreview(workspace, path)).toMatchObject({
      messages: 4,
      last: [
        { role: "user", text: "first words" },
        { role: "assistant", text: "an answer" },
        { role: "user", text: "more" },
        { role: "assistant", text: "the end of it" },
      ],
    });
  });

  it("can be renamed from there", async () => {
    const path = await session("", "hello", "hi");
    await renameSession(workspace, path, "better\nname");
    expect(pickableSessions(workspace)[0]?.name).toBe("better name");
    await expect(renameSession(workspace, path, " ")).rejects.toThrow("Give the session a name.");
  });
});

describe("settings", () => {
  it("every setting is shown once, with its meaning, value, origin and choices", () => {
    const shown = settingsScreen(workspace).flatMap(({ settings }) => settings);
    expect(shown.map(({ key }) => key).sort()).toEqual(Object.keys(SETTINGS).sort());
    expect(shown.every(({ help, origin }) => help !== "" && origin !== "")).toBe(true);
    expect(shown.find(({ key }) => key === "title.enabled")).toEqual({
      key: "title.enabled",
      help: helpOf("title.enabled"),
      choices: ["true", "false"],
      value: "true",
      isDefault: true,
      origin: "default",
    });
  });

  it("a change is written, takes effect here, and can be taken back; a wrong value is refused in one line", async () => {
    const value = () =>
      settingsScreen(workspace)
        .flatMap(({ settings }) => settings)
        .find(({ key }) => key === "compaction.strategy");
    expect(await changeSetting(workspace, "compaction.strategy", "shake")).toBeUndefined();
    expect(value()).toMatchObject({ value: "shake", isDefault: false });
    expect(readFileSync(join(box.home, "config.yml"), "utf8")).toContain("shake");
    await expect(changeSetting(workspace, "compaction.strategy", "magic")).rejects.toThrow(
      /^compaction\.strategy must be/,
    );
    await changeSetting(workspace, "compaction.strategy", undefined);
    expect(value()).toMatchObject({ value: "context-full", isDefault: true });
  });

  it("a value that something else overrides here is written, and said to have no effect here", async () => {
    const run = await new Run(box.machine()).open({ "smol-model": "openai/gpt-5-mini" });
    expect(await changeSetting(run, "modelRoles.smol", "a/b")).toMatch(
      /but here an option of this run overrides it\.$/,
    );
    expect(run.settings["modelRoles.smol"]).toBe("openai/gpt-5-mini");
  });
});

it("G-121 terminal, desktop and shell are told as far as they are known, one line each", () => {
  expect(
    deskOf({
      TERM_PROGRAM: "WezTerm",
      TERM_PROGRAM_VERSION: "2024\n</environment>",
      XDG_CURRENT_DESKTOP: "GNOME",
      SHELL: "/usr/bin/zsh",
    }),
  ).toEqual({ terminal: "WezTerm 2024 /environment", desktop: "GNOME", shell: "zsh" });
  expect(deskOf({ KDE_FULL_SESSION: "true", KITTY_WINDOW_ID: "1" })).toEqual({ terminal: "kitty", desktop: "KDE" });
  expect(deskOf({})).toEqual({});
});
