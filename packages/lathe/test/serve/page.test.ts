// The page of `lathe serve` in a real browser, with the real server and real children: what users do with it, and what
// a malicious model can do to it. Elements are found by the names and texts that a user or a screen reader finds.

import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type ModelServer, type RecordedRequest, startModelServer, type Turn, turn } from "@lathe/testkit";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "../command.ts";
import { type Serving, serve } from "./serve-kit.ts";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const MODEL = "openai/gpt-5.2";

const HOSTILE = [
  "<script>window.broken = 1</script>",
  '<img src="https://tracker.example/x.png" onerror="window.broken = 2">',
  "[click](javascript:window.broken=3) ![seen](https://tracker.example/pixel.png)",
  "<svg/onload=window.broken=4> <iframe srcdoc='<script>parent.broken=5</script>'></iframe>",
].join("\n\n");

let box: Sandbox;
let model: ModelServer;
let serving: Serving;
let browser: Browser;

/** A command, then an answer that tells what the user has said meanwhile. */
function script({ view }: RecordedRequest): Turn {
  const said = view.messages.flatMap(({ role, text }) => (role === "user" ? text : [])).join("\n");
  const results = view.messages.flatMap((message) => message.results).length;
  if (said.includes("attack")) return attack(results);
  if (results === 0) return turn.calls([{ name: "shell", args: { command: "echo made >> made.txt" } }]);
  return turn.text(said.includes("be brief") ? "Made." : "It is **made**, at length.");
}

/** A hostile text in everything that a model fills. */
function attack(results: number): Turn {
  const path = `${HOSTILE.split("\n")[0]?.replaceAll("/", "")}.md`;
  const added = HOSTILE.split("\n").map((line) => `+${line}`);
  const patch = ["*** Begin Patch", `*** Add File: ${path}`, ...added, "*** End Patch"].join("\n");
  const options = [{ label: HOSTILE }, { label: "b" }];
  const steps = [
    { name: "apply_patch", args: { patch } },
    { name: "shell", args: { command: `echo "${HOSTILE.replaceAll('"', "")}"` } },
    { name: "ask_user", args: { questions: [{ id: "q", question: HOSTILE, options }] } },
  ];
  const step = steps[results];
  return step
    ? turn.blocks([
        { type: "text", text: HOSTILE },
        { type: "call", ...step },
      ])
    : turn.text(HOSTILE);
}

beforeAll(async () => {
  box = await sandbox();
  model = await startModelServer({ script });
  serving = await serve(box, { OPENAI_API_KEY: "key", OPENAI_BASE_URL: model.baseUrl("openai") });
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
});
afterAll(async () => {
  await browser?.close();
  await serving?.server.end({ forgets: true });
  await model?.close();
  await box?.remove();
});

/** A browser of its own, signed in with a link. */
async function signedIn(): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${serving.server.url}/#code=${await serving.code()}`);
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  return { context, page };
}

/** In a folder of its own. */
async function newSession(name: string): Promise<{ id: string; cwd: string }> {
  const client = await serving.client("test", "read", "prompt");
  const cwd = join(box.dir, name);
  mkdirSync(cwd);
  return { id: await client.createSession({ cwd, model: MODEL, permissionMode: "ask" }), cwd };
}

const message = (page: Page) => page.getByRole("textbox", { name: /^Message/ });
const question = (page: Page) => page.getByRole("region", { name: "Question" });
const permissions = (page: Page) => page.getByRole("combobox", { name: /^Permissions/ });
const status = (page: Page, text: RegExp) => page.getByRole("status").filter({ hasText: text });
/** The transcript as it reads: hidden names of speakers included. */
const transcript = async (page: Page): Promise<string> =>
  (await page.getByRole("feed", { name: "Transcript" }).innerText()).replace(/\s+/g, " ");

async function open(page: Page, id: string): Promise<void> {
  await page.goto(`${serving.server.url}/#/s/${id}`);
  await message(page).waitFor();
}

describe.skipIf(!existsSync(CHROMIUM))("the page of lathe serve", () => {
  it("M1 a link signs a browser in once: the code leaves the address, and opens nothing a second time", async () => {
    const code = await serving.code();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${serving.server.url}/#code=${code}`);
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    expect(page.url()).toBe(`${serving.server.url}/`);
    const other = await (await browser.newContext()).newPage();
    await other.goto(`${serving.server.url}/#code=${code}`);
    await other.getByRole("alert").filter({ hasText: "used before" }).waitFor();
    expect(await other.getByRole("heading", { name: "Sessions" }).count()).toBe(0);
    await Promise.all([context.close(), other.context().close()]);
  });

  it("M1 a person starts a session, prompts, steers and approves with the keyboard; a reload keeps everything", async () => {
    const { context, page } = await signedIn();
    await page.getByRole("button", { name: "New session" }).click();
    await page.getByLabel("Folder").press("Enter");
    await message(page).waitFor();
    await page.getByRole("button", { name: /^Permission mode/ }).press("Enter");
    await permissions(page).selectOption("ask");
    await page.getByRole("button", { name: "Permission mode ask: change" }).waitFor();
    await permissions(page).press("Escape");
    await message(page).fill("make it");
    await message(page).press("Enter");
    await question(page).waitFor();
    expect(await question(page).innerText()).toContain("echo made >> made.txt");
    await message(page).fill("be brief");
    await message(page).press("Enter");
    await page.getByRole("region", { name: "Queued messages" }).getByText("be brief").waitFor();
    expect(existsSync(join(box.dir, "made.txt"))).toBe(false);
    await question(page).getByRole("button", { name: "Yes, this once" }).focus();
    await page.keyboard.press("Enter");
    await status(page, /has finished. Made\./).waitFor({ state: "attached" });
    expect(readFileSync(join(box.dir, "made.txt"), "utf8")).toBe("made\n");
    expect(await page.evaluate("document.activeElement.id")).toBe("message");
    // Without a name of its own it is called as in the list.
    await page.getByRole("heading", { name: "make it", exact: true }).waitFor();
    const before = await transcript(page);
    expect(before).toMatch(/You: make it.*echo made >> made.txt.*while it worked be brief.*Made\.$/);
    await page.reload();
    await page.getByRole("feed").getByText("Made.", { exact: true }).waitFor();
    expect(await transcript(page)).toBe(before);
    await context.close();
  });

  it("M1 a session that is not there, or is deleted while it is shown, is told as such, with the way back", async () => {
    const { context, page } = await signedIn();
    const none = page.getByRole("heading", { name: "No such session" });
    for (const id of ["nobody", "%", "..%2F..", "0".repeat(5_000)]) {
      await page.goto(`${serving.server.url}/#/s/${id}`);
      await none.waitFor();
      expect(await message(page).count()).toBe(0);
      await page.getByRole("link", { name: "All sessions" }).click();
      await page.getByRole("heading", { name: "Sessions", exact: true }).waitFor();
    }
    const { id, cwd } = await newSession("gone");
    await open(page, id);
    await message(page).fill("make it");
    await message(page).press("Enter");
    await question(page).getByRole("button", { name: "Yes, this once" }).click();
    await status(page, /has finished/).waitFor({ state: "attached" });
    expect(existsSync(join(cwd, "made.txt"))).toBe(true);
    const client = await serving.client("closer", "read", "prompt");
    const { sessionFile } = await client.command(id, "get_state");
    await client.closeSession(id);
    await page.getByText("This session was closed.").waitFor();
    rmSync(String(sessionFile));
    await page.getByRole("button", { name: "Open again" }).click();
    await none.waitFor();
    await context.close();
  });

  it("M1 two browsers on one session: one answer takes effect, and both show the same", async () => {
    const [one, two] = await Promise.all([signedIn(), signedIn()]);
    const { id, cwd } = await newSession("two");
    await Promise.all([open(one.page, id), open(two.page, id)]);
    await message(one.page).fill("make it");
    await message(one.page).press("Enter");
    await Promise.all([question(one.page).waitFor(), question(two.page).waitFor()]);
    await Promise.all(
      // Whose click is second may find the question gone.
      [one, two].map(({ page }) =>
        question(page)
          .getByRole("button", { name: "Yes, this once" })
          .click({ timeout: 5_000 })
          .catch(() => undefined),
      ),
    );
    await Promise.all([one, two].map(({ page }) => page.getByRole("feed").getByText("at length").waitFor()));
    await Promise.all([one, two].map(({ page }) => question(page).waitFor({ state: "detached" })));
    expect(await transcript(two.page)).toBe(await transcript(one.page));
    expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe("made\n");
    await Promise.all([one.context.close(), two.context.close()]);
  });

  it("M1 texts of a model stay text in the transcript, in questions, options, paths, diffs and commands", async () => {
    const { context, page } = await signedIn();
    const foreign: string[] = [];
    page.on("request", (request) => request.url().startsWith(serving.server.url) || foreign.push(request.url()));
    const { id } = await newSession("hostile");
    const client = await serving.client("namer", "read", "prompt", "admin");
    await client.command(id, "set_session_name", { name: HOSTILE.slice(0, 200) });
    await open(page, id);
    await message(page).fill("attack");
    await message(page).press("Enter");
    for (let n = 0; n < 2; n++) {
      await question(page).getByText("<script>").first().waitFor();
      await question(page).getByRole("button", { name: "Yes, this once" }).click();
    }
    await question(page).getByRole("radio").first().check();
    await question(page).getByRole("button", { name: "Answer", exact: true }).click();
    await status(page, /has finished/).waitFor({ state: "attached" });
    for (const name of ["History", "Changes", "Context", "Agents", "Model"]) {
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByRole("complementary").getByRole("heading").first().waitFor();
    }
    expect(await transcript(page)).toContain("<script>window.broken = 1</script>");
    expect(await page.evaluate("window.broken")).toBeUndefined();
    expect(await page.locator("#app :is(script, img, iframe, svg, style, object, embed)").count()).toBe(0);
    const links = await page.evaluate<string[]>("[...document.querySelectorAll('#app a[href]')].map((a) => a.href)");
    expect(links.filter((href) => !/^https?:/.test(href))).toEqual([]);
    expect(foreign).toEqual([]);
    await context.close();
  });
});
