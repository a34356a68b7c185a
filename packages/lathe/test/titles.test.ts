// Titles of sessions: by a model, from an approved plan, by the user.

import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { cleanTitle, humanizeName, titleOfPlan } from "../src/conversation/titles/title-text.ts";
import { listSessions } from "../src/sessions/list.ts";
import { conversation, type Talk } from "./conversation-kit.ts";

let c: Talk;
let named: string[];
afterEach(async () => {
  await c.talk.close();
  await c.server.close();
});

async function naming(
  settings: Record<string, unknown> = {},
  more: {
    readonly env?: Record<string, string>;
    readonly plans?: boolean;
    readonly files?: Readonly<Record<string, string>>;
  } = {},
): Promise<void> {
  named = [];
  const person = { decidePlan: async () => ({ approved: true }) };
  const parts = {
    namesSessions: true,
    onTitle: (title: string) => void named.push(title),
    ...(more.plans ? { person } : {}),
  };
  c = await conversation(settings, {
    parts,
    ...(more.env ? { env: more.env } : {}),
    ...(more.files ? { files: more.files } : {}),
  });
}

const titled = (title: string) => turn.calls([{ name: "set_title", args: { title } }]);
const isTitleRequest = (body: unknown): boolean => JSON.stringify(body).includes('"set_title"');

describe("LS-08 session titles", () => {
  it("the first message asks once, with a forced call; lists show the title, the second message asks no more", async () => {
    await naming();
    c.answer(({ body }) => (isTitleRequest(body) ? titled("fix-login") : turn.text("hello")));
    await c.say("the login is broken");
    await expect.poll(() => named).toEqual(["fix-login"]);
    await c.say("and now?");
    const requests = c.server.requests.filter(({ body }) => isTitleRequest(body));
    expect(requests).toHaveLength(1);
    expect(requests[0]?.body).toMatchObject({ tool_choice: { type: "tool", name: "set_title" } });
    expect(JSON.stringify(requests[0]?.body)).toContain("the login is broken");
    const { sessions, cache } = c.talk.workspace.paths;
    const [listed] = listSessions({
      sessionsRoot: sessions,
      cwd: c.root,
      cacheFile: `${cache}/heads`,
      now: Date.now(),
    });
    expect(listed?.title).toBe("fix-login");
    expect(c.talk.titles.current).toBe("fix-login");
  });

  it("a copy of a session says what it is a copy of, without a request", async () => {
    await naming({ "title.enabled": false });
    c.answer(() => turn.text("hello"));
    await c.say("the login is broken");
    await c.say("/fork");
    expect(c.talk.titles.current).toBe("Copy of the login is broken");
    expect(c.server.requests).toHaveLength(1);
  });

  it("LS-07 a TITLE_SYSTEM.md replaces the prompt that asks for it, and no other", async () => {
    await naming({}, { files: { ".lathe-home/TITLE_SYSTEM.md": "Titles are in Latin." } });
    c.answer(({ body }) => (isTitleRequest(body) ? titled("salve") : turn.text("hello")));
    await c.say("hi");
    await expect.poll(() => named).toEqual(["salve"]);
    for (const { body } of c.server.requests)
      expect(JSON.stringify(body).includes("Titles are in Latin.")).toBe(isTitleRequest(body));
  });

  it("the model for small jobs is asked when there is one", async () => {
    await naming({ "modelRoles.smol": "openai/gpt-5-mini" });
    c.answer(({ body }) => (isTitleRequest(body) ? titled("small") : turn.text("hello")));
    await c.say("hi");
    await expect.poll(() => named).toEqual(["small"]);
    expect(c.server.requests.find(({ body }) => isTitleRequest(body))?.model).toBe("gpt-5-mini");
  });

  it.each([
    ["LATHE_NO_TITLE", {}, { env: { LATHE_NO_TITLE: "1" } }],
    ["the setting", { "title.enabled": false }, {}],
  ])("%s turns it off: one request for one turn", async (_how, settings, more) => {
    await naming(settings, more);
    c.server.push(turn.text("hello"));
    await c.say("hi");
    await c.talk.close();
    expect(c.server.requests).toHaveLength(1);
  });

  it("a request that fails, or a session that is closed meanwhile, leaves the session without a title and says nothing", async () => {
    await naming({ "retry.maxRetries": 0 });
    c.answer(({ body }) => (isTitleRequest(body) ? turn.error(400) : turn.text("hello")));
    await c.say("hi");
    await expect.poll(() => c.server.requests.length).toBe(2);
    await c.talk.close();
    expect([named, c.warnings, c.talk.titles.current]).toEqual([[], [], undefined]);
  });

  it("a person's name wins over the model that is still thinking", async () => {
    await naming();
    c.answer(({ body }) => (isTitleRequest(body) ? titled("by the model") : turn.text("hello")));
    await c.say("/name my own");
    await c.say("hi");
    expect(c.lines.at(-1)).toBe("Named: my own");
    expect(named).toEqual(["my own"]);
    expect(c.server.requests.filter(({ body }) => isTitleRequest(body))).toHaveLength(0);
    await expect(c.say("/name")).rejects.toThrow("Give the session a name: /name <name>");
  });
});

describe("G-35 a plan that is approved names the session", () => {
  const plan = (text: string) => turn.calls([{ name: "exit_plan_mode", args: { plan: text } }]);

  it("with its heading; not after the person has named it", async () => {
    await naming({ "title.enabled": false, permissionMode: "plan" }, { plans: true });
    c.server.push(plan("# fix_session_naming\n\n1. look"), turn.text("ok"));
    await c.say("plan it");
    expect(c.talk.session.journal.title).toEqual({ title: "Fix session naming", source: "auto" });
    await c.say("/name mine");
    c.talk.setPermissionMode("plan");
    c.server.push(plan("# another one"), turn.text("ok"));
    await c.say("plan it again");
    expect(c.talk.titles.current).toBe("mine");
  });

  it("words are put as people write them", () => {
    expect(["foo--bar__baz", "RefactorRouter", "---"].map(humanizeName)).toEqual(["Foo bar baz", "RefactorRouter", ""]);
    expect(titleOfPlan("\n## Plan: make the parser faster\n- x")).toBe("make the parser faster");
    expect(titleOfPlan("just do it\nthen more")).toBe("just do it");
    expect(cleanTitle('"Fix\u001b[31m the\nthing."')).toBe("Fix [31m the thing");
  });
});
