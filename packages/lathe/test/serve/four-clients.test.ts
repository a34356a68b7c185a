// One session, four clients: two browsers at a server, an attached terminal, and the editor whose process holds the
// session. The browsers are real, and so is the server's door to the editor.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gate, type ModelServer, startModelServer, turn } from "@lathe/testkit";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Editor, EVERYTHING } from "../acp-kit.ts";
import { type Sandbox, sandbox } from "../command.ts";
import { InsideTerminal } from "../terminal.ts";
import { type Serving, serve } from "./serve-kit.ts";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const MODEL = "openai/gpt-5.2";
const { terminal: _terminal, ...FILES_ONLY } = EVERYTHING;

let box: Sandbox;
let model: ModelServer;
let serving: Serving;
let browser: Browser;
let env: Record<string, string>;

beforeAll(async () => {
  box = await sandbox();
  model = await startModelServer({
    script: [
      turn.calls([{ name: "shell", args: { command: "echo first >> made.txt" } }]),
      turn.calls([{ name: "shell", args: { command: "echo second >> made.txt" } }]),
      turn.text("It is **made**, twice."),
      turn.text("Good day to all four."),
    ],
  });
  env = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: model.baseUrl("openai"), NO_COLOR: "1", LATHE_NO_TITLE: "1" };
  serving = await serve(box, env);
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
});
afterAll(async () => {
  await browser?.close();
  await serving?.server.end({ forgets: true });
  await model?.close();
  await box?.remove();
});

async function pageOf(id: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(`${serving.server.url}/#code=${await serving.code()}`);
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  await page.goto(`${serving.server.url}/#/s/${id}`);
  await message(page).waitFor();
  return page;
}
const message = (page: Page) => page.getByRole("textbox", { name: /^Message/ });
const question = (page: Page) => page.getByRole("region", { name: "Question" });
const yes = (page: Page) => question(page).getByRole("button", { name: "Yes, this once" });
const transcript = async (page: Page): Promise<string> =>
  (await page.getByRole("feed", { name: "Transcript" }).innerText()).replace(/\s+/g, " ");

/** What each of the four must show, in this order. */
const SAID = ["make it", "echo first", "echo second", "made", ", twice.", "and greet us", "Good day to all four."];

function inOrder(text: string): readonly string[] {
  let from = 0;
  return SAID.filter((words) => {
    const at = text.indexOf(words, from);
    if (at >= 0) from = at + words.length;
    return at >= 0;
  });
}

describe.skipIf(!existsSync(CHROMIUM))("one session and four clients", () => {
  it("M1 two browsers, an attached terminal and an editor: one answer takes effect, and all four show the same transcript", async () => {
    const late = gate();
    let asked = 0;
    const editor = new Editor(box.open(["acp", "--model", MODEL, "--permission-mode", "ask"], env), {
      capabilities: FILES_ONLY,
      permission: async () => {
        if (asked++ === 0) return "once";
        // The editor's user looks at the second question, and answers when it has been answered.
        await late.wait();
        return "reject";
      },
    });
    await editor.initialize(FILES_ONLY);
    const { sessionId: id } = await editor.create(box.dir);
    // A session is in the server's list when it has begun.
    const work = editor.prompt(id, "make it");
    await late.reached;
    const [one, two] = await Promise.all([pageOf(id), pageOf(id)]);
    const terminal = new InsideTerminal(box, env);
    let at = terminal.type(`lathe attach ${id.slice(0, 8)}`);
    at = await terminal.see(at, /│ echo second >> made\.txt\r?\nAllow this\?/);
    await Promise.all([yes(one).waitFor(), yes(two).waitFor()]);
    expect(readFileSync(join(box.dir, "made.txt"), "utf8")).toBe("first\n");

    // Both browsers answer at once; the editor's "reject" comes when it is too late.
    const clicks = [one, two].map((page) =>
      yes(page)
        .click({ timeout: 5_000 })
        .catch(() => undefined),
    );
    await Promise.all(clicks);
    at = await terminal.see(at, /Answered by [\s\S]*made/);
    expect((await work).stopReason).toBe("end_turn");
    late.open();
    expect(readFileSync(join(box.dir, "made.txt"), "utf8")).toBe("first\nsecond\n");
    expect(editor.wire.methods("agent")).toContain("$/cancel_request");
    await Promise.all([one, two].map((page) => question(page).waitFor({ state: "detached" })));

    await message(two).fill("and greet us");
    await message(two).press("Enter");
    await Promise.all([one, two].map((page) => page.getByRole("feed").getByText("Good day to all four.").waitFor()));
    at = await terminal.see(at, /and greet us[\s\S]*Good day to all four\.[\s\S]*Done/);
    await editor.saw(() => editor.text().includes("Good day to all four."));

    expect(await transcript(two)).toBe(await transcript(one));
    const shown = [await transcript(one), terminal.text(0), editorText(editor)];
    for (const text of shown) expect(inOrder(text)).toEqual(SAID);
    expect(model.requests).toHaveLength(4);
    await one.reload();
    await one.getByRole("feed").getByText("Good day to all four.").waitFor();
    expect(await transcript(one)).toBe(await transcript(two));
    await editor.leave();
    await terminal.see(at, /The session was closed\.[\s\S]*ended-0/);
  }, 90_000);
});

/** Prompt of its own, titles of calls, texts of both sides, as they came. */
function editorText(editor: Editor): string {
  const texts = editor.updates.map(({ update }) => {
    if (update.sessionUpdate === "tool_call") return `\n${update.title}\n`;
    const isText = update.sessionUpdate === "agent_message_chunk" || update.sessionUpdate === "user_message_chunk";
    return isText && update.content.type === "text" ? update.content.text : "";
  });
  return `make it\n${texts.join("")}`;
}
