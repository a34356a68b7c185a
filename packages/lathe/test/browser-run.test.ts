// Scripts on pages in whole runs, with a real Chromium: what the model reads and sees, and what is written.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@lathe/llm";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../../agent/test/alive.ts";
import { freePort } from "../../agent/test/sshd.ts";
import { browserBench, HAS_BROWSER, serve } from "./browser-kit.ts";
import { type Stage, stage } from "./contract-kit.ts";

const PAGE = `<!doctype html><title>Shop</title><form method=post action=/order><input name=who aria-label=Name><button>Order</button></form>
<input type=file id=up><a href=/report.csv download>Report</a><main><h1>Prices</h1><p>Everything costs one crown, and that has been so for years.</main>
<script>document.querySelector("#up").onchange=async(e)=>{document.title=await e.target.files[0].text()};console.error("late")</script>`;

/** It runs in a kernel of the session, so it is the session's own server. */
const server = (port: number): string => `
globalThis.posts = [];
require("node:http").createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  if (request.method === "POST") posts.push(body);
  if (request.url === "/report.csv") return response.end("a,b\\n1,2\\n");
  response.setHeader("content-type", "text/html");
  response.end(${JSON.stringify(PAGE)});
}).listen(${port}, "127.0.0.1");`;

describe.skipIf(!HAS_BROWSER)("scripts of the browser (needs chromium and bubblewrap)", () => {
  let scene: Stage;
  afterEach(() => scene?.close());

  it("T-BRW-2 a form is sent by number, files go up and come down, pictures fit the model and the file is whole", async () => {
    const port = await freePort();
    const url = `http://localhost:${port}/`;
    const cell = (code: string) => turn.calls([{ name: "eval", args: { cells: [{ language: "js", code }] } }]);
    const browser = (args: JsonObject) => turn.calls([{ name: "browser", args }]);
    const run = (code: string, more: JsonObject = {}) => browser({ action: "run", code, ...more });
    scene = await stage([
      cell(server(port)),
      run("return 1"),
      browser({ action: "open", url, viewport: { width: 1600, height: 1200, scale: 1 } }),
      run(`const { elements } = await tab.observe(); display(elements.length > 2);
        const id = (name) => elements.find((one) => one.name === name).id;
        await tab.id(id("Name")).fill("Ada");
        await Promise.all([page.waitForNavigation(), tab.id(id("Order")).click()]); return tab.url()`),
      cell("posts"),
      run('await tab.uploadFile("#up", "up.txt"); await wait(100); return tab.title()', { files: ["up.txt"] }),
      run('await tab.uploadFile("#up", "secret.txt")', { files: ["up.txt"] }),
      run('await tab.click("a"); await wait(300)'),
      run('await tab.screenshot({ save: "shot.png" }); await tab.screenshot({ silent: true }); return tab.extract()'),
      run('await tab.screenshot({ save: "secrets/shot.png" })'),
      run("await wait(1)"),
      run("while (true) {}", { timeout: 1 }),
      run("return 1"),
      browser({ action: "open", url }),
      run("return tab.title()"),
      turn.text("done"),
    ]);
    const { dir, home } = scene.box;
    writeFileSync(join(home, "fast.yml"), "tools:\n  discoveryMode: off\nbrowser:\n  screenshotDir: shots\n");
    writeFileSync(join(dir, "up.txt"), "uploaded text");
    const args = ["--permission-mode", "full", "--profile", "lathe", "--deny", "write(secrets/**)"];
    expect(await scene.run([...args, "go"])).toMatchObject({ code: 0 });
    const results = resultsOf(scene);
    const text = results.map((parts) => parts.flatMap((part) => part.text ?? []).join("\n"));
    expect(text[1]).toContain('There is no tab named "main". Open it first.');
    expect(text[2]).toContain("Console errors:\n- late");
    expect(text[3]).toContain(`true\n${url}order`);
    expect(text[4]).toContain("who=Ada");
    expect(text[5]).toContain("uploaded text");
    expect(text[6]).toContain("secret.txt is not among the files of this call. Name it in `files`.");
    // The result lists it after its end.
    expect(text.slice(7).join("\n")).toMatch(/\nDownloads:\n- report\.csv: 8 bytes, artifact:\/\/\d+/);
    expect(text[8]).toMatch(/\[screenshot, 1600x1200 pixels: shot\.png\]\n# Prices\n\nEverything costs one crown/);
    expect(sizeOfPng(readFileSync(join(dir, "shot.png")))).toEqual([1600, 1200]);
    const [other] = readdirSync(join(dir, "shots"));
    expect(other).toMatch(/^main-.*\.png$/);
    expect(sizeOfPng(readFileSync(join(dir, "shots", other!)))).toEqual([1600, 1200]);
    const pictures = results[8]!.filter(({ type }) => type === "image");
    expect(pictures).toHaveLength(1);
    const small = Buffer.from(pictures[0]!.source!.data, "base64");
    expect(small.length).toBeLessThanOrEqual(150 << 10);
    expect(sizeOf(small)).toEqual([1024, 768]);
    expect(text[9]).toMatch(/denied|not allowed|refused/i);
    expect(text[10]).toContain('Ran code on tab "main".');
    expect(text[11]).toContain("The script timed out after 1000ms.\nThe tab was closed with it. Open it again.");
    expect(text[12]).toContain('There is no tab named "main"');
    expect(text[14]).toContain("Shop");
  }, 120_000);

  it("T-BRW-3 browser.stealth hides the automation, in workers as well, and never in a browser that was attached to", async () => {
    const at = await browserBench({ isStealthy: true });
    const look = (name: string): Promise<string> =>
      at.say({
        action: "run",
        name,
        code: `return tab.evaluate(async () => {
          const worker = new Worker(URL.createObjectURL(new Blob(["postMessage(navigator.userAgent)"])));
          const theirs = await new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data) });
          return [navigator.webdriver, navigator.plugins.length > 0, theirs === navigator.userAgent, /Headless/.test(theirs)];
        })`,
      });
    try {
      const url = `http://localhost:${await serve(at.env, { "/": { html: "<title>Plain</title>" } })}/`;
      await at.say({ action: "open", url });
      expect(JSON.parse(await look("main"))).toEqual([false, true, true, false]);
      expect(await at.say({ action: "run", code: "await tab.screenshot()" })).toMatch(
        /^\[screenshot, 1365x768 pixels: artifact:\/\/0\]\n\[image\]$/,
      );
      expect(at.artifacts[0]?.map(({ length }) => length <= 150 << 10)).toEqual([true]);

      const flags = ["--headless=new", "--no-sandbox", `--user-data-dir=${at.dir}/theirs`, "--remote-debugging-port=0"];
      const theirs = await at.env.startProcess!(["chromium", ...flags, url]);
      const portOf = () => /ws:\/\/127\.0\.0\.1:(\d+)/.exec(theirs.readStderr().text)?.[1];
      await until(() => portOf() !== undefined);
      await at.say({ action: "open", name: "theirs", app: { cdp_url: `http://127.0.0.1:${portOf()}` }, url });
      expect(JSON.parse(await look("theirs"))).toEqual([true, true, true, true]);
    } finally {
      await at.close();
    }
  }, 60_000);
});

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly source?: { readonly data: string };
}

/** The results of the model's calls, in order. */
function resultsOf({ server: { requests } }: Stage): Part[][] {
  const { messages } = requests.at(-1)!.body as { messages: { content: unknown }[] };
  return messages
    .flatMap(({ content }) => (Array.isArray(content) ? (content as { type: string; content: string | Part[] }[]) : []))
    .filter(({ type }) => type === "tool_result")
    .map(({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content));
}

const sizeOfPng = (bytes: Buffer): [number, number] => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];

/** Width and height of a JPEG. */
function sizeOf(bytes: Buffer): [number, number] {
  for (let at = 2; at < bytes.length; at += 2 + bytes.readUInt16BE(at + 2))
    if ([0xc0, 0xc1, 0xc2].includes(bytes[at + 1]!)) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
  throw new Error("not a JPEG");
}
