// One gate at every door: the editor that holds the session, a real browser, an attached terminal, a program over RPC
// and one over HTTP. Each answers one gate, which then closes for the others.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CreateElicitationRequest, CreateElicitationResponse } from "@agentclientprotocol/sdk/unstable";
import { type ModelServer, startModelServer } from "@lathe/testkit";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { LatheClient } from "../../src/doors/serve/client.ts";
import { Editor, EVERYTHING } from "../acp-kit.ts";
import { type Sandbox, sandbox } from "../command.ts";
import { type Frame, RpcHost } from "../rpc-host.ts";
import { InsideTerminal } from "../terminal.ts";
import { interviewOf, WISH } from "./interview.ts";
import { type Serving, serve } from "./serve-kit.ts";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const MODEL = "openai/gpt-5.2";
const { terminal: _terminal, ...FILES_ONLY } = EVERYTHING;
const PICTURES = process.env["LATHE_PICTURES"];

let box: Sandbox;
let model: ModelServer;
let serving: Serving;
let client: LatheClient;
let browser: Browser;
let env: Record<string, string>;

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
});
afterAll(() => browser?.close());
beforeEach(async () => {
  box = await sandbox();
});
afterEach(async () => {
  await serving?.server.end({ forgets: true });
  await model?.close();
  await box.remove();
});

async function begin(questions: readonly string[]): Promise<void> {
  model = await startModelServer({ script: interviewOf(questions) as never });
  env = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: model.baseUrl("openai"), NO_COLOR: "1", LATHE_NO_TITLE: "1" };
  serving = await serve(box, env);
  client = await serving.client("a script", "read", "prompt", "approve");
}

async function pageOf(id: string, viewport = { width: 1280, height: 800 }): Promise<Page> {
  const page = await (await browser.newContext({ viewport })).newPage();
  await page.goto(`${serving.server.url}/#code=${await serving.code()}`);
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  await page.goto(`${serving.server.url}/#/s/${id}`);
  await page.getByRole("textbox", { name: /^Message/ }).waitFor();
  return page;
}
const dock = (page: Page) => page.getByRole("region", { name: "Question", exact: true });
const seen = (page: Page, title: string) => dock(page).getByRole("heading", { name: title }).waitFor();
async function answerOn(page: Page, option: string, words?: string): Promise<void> {
  if (words === undefined) await dock(page).getByLabel(option).check();
  else await dock(page).getByRole("textbox", { name: "In your own words" }).fill(words);
  await dock(page).getByRole("button", { name: "Answer", exact: true }).click();
}
async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

/** A program that has joined the session. */
class Joined {
  readonly rpc: RpcHost;
  constructor(id: string) {
    this.rpc = new RpcHost(box.open(["--mode", "rpc", "--resume", id], env));
  }
  gate(title: string): Promise<Frame> {
    const titleOf = ({ context }: Frame): unknown => (context as { title?: string } | undefined)?.title;
    return this.rpc.wait(`the gate ${title}`, (frame) => frame.type === "workflow_gate" && titleOf(frame) === title);
  }
  /** Of the dialog of the same question; who has settled it. */
  async closed(title: string): Promise<unknown> {
    const dialog = await this.rpc.wait(title, (frame) => frame["method"] !== "cancel" && frame["title"] === title);
    const cancel = ({ method, targetId }: Frame): boolean => method === "cancel" && targetId === dialog["id"];
    return (await this.rpc.wait(`the end of ${title}`, cancel))["by"];
  }
  async respond(title: string, answer: unknown): Promise<void> {
    const { gate_id } = await this.gate(title);
    expect(await this.rpc.data("workflow_gate_response", { gate_id, answer })).toMatchObject({ status: "accepted" });
  }
}

const spec = (): string => {
  const folder = join(box.dir, ".lathe/specs");
  return readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "utf8");
};
const ACCEPT = 'Accept the specification "A wall"?';

describe.skipIf(!existsSync(CHROMIUM))("one gate, every door", () => {
  it("G-10 G-18 an editor, a browser, an attached terminal, RPC and HTTP see each gate; whoever answers, the others are closed", async () => {
    const questions = [
      "Asked of RPC?",
      "Asked of the page?",
      "Asked of the terminal?",
      "Asked of HTTP?",
      "Asked of the editor?",
    ];
    await begin(questions);
    const forms: CreateElicitationRequest[] = [];
    let showForm: (() => void) | undefined;
    const never = new Promise<CreateElicitationResponse>(() => {});
    const editor = new Editor(box.open(["acp", "--model", MODEL], env), {
      capabilities: FILES_ONLY,
      elicitation: (asked) => {
        forms.push(asked);
        showForm?.();
        if (!asked.message.endsWith("Asked of the editor?")) return never;
        return { action: "accept", content: { answer_other: "as the sky" } };
      },
    });
    await editor.initialize(FILES_ONLY);
    const { sessionId: id } = await editor.create(box.dir);
    const work = editor.prompt(id, WISH);
    while (forms.length === 0)
      await new Promise<void>((resolve) => {
        showForm = resolve;
      });
    const page = await pageOf(id);
    const program = new Joined(id);
    const terminal = new InsideTerminal(box, env);
    let at = terminal.type(`lathe attach ${id.slice(0, 8)}`);

    // Every door shows the first one, with what is known of its answers.
    await Promise.all([seen(page, "Asked of RPC?"), program.gate("Asked of RPC?")]);
    at = await terminal.see(at, /like the sea[\s\S]*Asked of RPC\?\r?\n {2}1\. red\r?\n {2}2\. blue[\s\S]*own words: /);
    expect(await dock(page).innerText()).toContain("blue: like the sea");
    expect(forms[0]).toMatchObject({ message: expect.stringMatching(/like the sea[\s\S]*Asked of RPC\?/) });
    await program.respond("Asked of RPC?", "blue");

    at = await terminal.see(at, /Answered by [\s\S]*Asked of the page\?[\s\S]*own words: /);
    await answerOn(page, "red");
    expect(String(await program.closed("Asked of the page?"))).toMatch(/^browser/);

    at = await terminal.see(at, /Answered by browser[\s\S]*Asked of the terminal\?[\s\S]*own words: /);
    terminal.keys("as the grass\r");
    expect(String(await program.closed("Asked of the terminal?"))).toMatch(/^terminal/);

    await seen(page, "Asked of HTTP?");
    const gate = await program.gate("Asked of HTTP?");
    const given = { gate_id: String(gate["gate_id"]), answer: { selected: ["red"] }, idempotency_key: "k1" };
    expect(await client.command(id, "workflow_gate_response", given)).toMatchObject({ status: "accepted" });
    expect(await program.closed("Asked of HTTP?")).toBe("a script");
    expect(await program.closed("Asked of the editor?")).toBe("the editor");

    // Words that are no option ask for changes; the next version is shown, and accepted.
    await seen(page, ACCEPT);
    expect(await dock(page).innerText()).toMatch(/Goal\s+A wall of stone\.\s+2 m high\s+9 m long/);
    at = await terminal.see(at, /- 9 m long[\s\S]*Accept the specification "A wall"\?[\s\S]*own words: /);
    await answerOn(page, "", "two of them");
    await dock(page).getByText("wants changes: two of them").waitFor();
    await answerOn(page, "Accept it");
    expect((await work).stopReason).toBe("end_turn");
    expect(spec()).toContain("wants changes: two of them");
    await dock(page).waitFor({ state: "detached" });
    await terminal.see(at, /It is \*\*written/);
    const said = model.requests.at(-1)?.text ?? "";
    for (const words of ["answered: blue", "answered: red", "answered: as the grass", "answered: as the sky"])
      expect(said).toContain(`The user ${words}`);
    // Each question once at the editor, and each but its own was taken back.
    expect(forms.map(({ message }) => message.split("\n").at(-1))).toEqual([...questions, ACCEPT, ACCEPT]);
    expect(editor.wire.methods("agent")).toContain("$/cancel_request");
    expect(await program.rpc.finish()).toBe(0);
    await editor.leave();
  }, 90_000);

  it("G-10 G-12 the same run answered half over RPC, half in Chromium, wide and narrow", async () => {
    const questions = ["First?", "Second?", "Third?", "Fourth?"];
    await begin(questions);
    const id = await client.createSession({ cwd: box.dir, model: MODEL });
    await client.command(id, "prompt", { message: WISH });
    const program = new Joined(id);
    const [wide, narrow] = await Promise.all([pageOf(id), pageOf(id, { width: 390, height: 780 })]);
    for (const [i, title] of questions.entries()) {
      await Promise.all([seen(wide, title), seen(narrow, title), program.gate(title)]);
      if (i === 0) await Promise.all([picture(wide, "question-wide"), picture(narrow, "question-narrow")]);
      if (i % 2 === 0) await program.respond(title, { selected: ["red"], other: `with ${i}` });
      else await answerOn(i === 1 ? wide : narrow, "blue");
    }
    await Promise.all([seen(wide, ACCEPT), seen(narrow, ACCEPT)]);
    for (const [page, name] of [
      [wide, "wide"],
      [narrow, "narrow"],
    ] as const) {
      await picture(page, `spec-${name}`);
      const buttons = await dock(page).getByRole("button", { name: "Answer", exact: true }).boundingBox();
      expect(buttons && buttons.y + buttons.height, name).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
    }
    await answerOn(narrow, "Accept it");
    await Promise.all([wide, narrow].map((page) => page.getByRole("feed").getByText("It is written.").waitFor()));
    await picture(wide, "written-wide");
    expect(model.requests.at(-1)?.text).toMatch(
      /red, with 0[\s\S]*answered: blue[\s\S]*red, with 2[\s\S]*answered: blue/,
    );
    expect(spec()).toContain("A wall of **stone**.");
    expect(await program.rpc.finish()).toBe(0);
  }, 90_000);
});
