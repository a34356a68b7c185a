import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalEnvironment } from "@lathe/agent";
import type { TabScriptEnd } from "@lathe/agent/tools";
import type { JsonObject } from "@lathe/llm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has } from "../../../../../agent/test/programs.ts";
import { CdpLink, pipeChannel } from "../cdp-link.ts";
import { Scripts } from "./scripts.ts";

const PAGE = `<!doctype html><title>Shop</title><form method=post action=/order><label>Name <input name=who></label>
<select name=size aria-label=Size><option>small<option>large</select><button>Order</button></form>
<div id=box style="position:absolute;left:40px;top:200px;width:50px;height:30px;background:#0a0"></div>
<div id=drop style="position:absolute;left:300px;top:200px;width:50px;height:30px;background:#00a"></div>
<input type=file id=up><p id=log></p><a href=/far style="position:absolute;top:4000px">Far away</a>
<script>const log=document.querySelector("#log");let moves=0;addEventListener("mousemove",()=>moves++);
document.querySelector("#drop").addEventListener("mouseup",()=>{log.textContent="dropped after "+moves});
document.querySelector("#up").addEventListener("change",async(e)=>{log.textContent=e.target.files[0].name+": "+await e.target.files[0].text()})</script>`;

const inLongRuns = process.env["LATHE_LONG"] === undefined ? () => {} : it;

interface Ran extends TabScriptEnd {
  readonly shown: string;
  readonly asked: readonly (readonly [string, JsonObject])[];
}

describe.skipIf(!has("chromium") || !has("bwrap"))("scripts on a tab", () => {
  const heard: string[] = [];
  let folder: string;
  let env: LocalEnvironment;
  let link: CdpLink;
  let server: Server;
  let base: string;
  let scripts: Scripts;
  const tabs = new Map<string, string>();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "lathe-scripts-"));
    writeFileSync(join(folder, "secret.txt"), "planted-secret");
    env = new LocalEnvironment({ cwd: folder, baseEnv: { ...process.env, HOME: folder, PLANTED: "planted-secret" } });
    const flags = ["--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--hide-scrollbars"];
    const argv = [...flags, "--window-size=800,600", `--user-data-dir=${folder}/profile`];
    link = new CdpLink(
      pipeChannel(await env.startProcess(["/bin/sh", "-c", 'exec chromium "$@" 3<&0 4>&1', "sh", ...argv])),
    );
    server = createServer(async (request, response) => {
      heard.push(`${request.method} ${request.url} ${await bodyOf(request)}`.trim());
      response.setHeader("content-type", "text/html");
      response.end(request.url === "/order" ? "<title>Thanks</title>Ordered" : PAGE);
    });
    await new Promise<void>((resolve) => server.listen(0, resolve));
    base = `http://localhost:${(server.address() as AddressInfo).port}`;
    scripts = new Scripts();
    await Promise.all([open("main"), open("other")]);
  }, 60_000);

  afterAll(async () => {
    await scripts.close();
    server.close();
    await env.cleanup();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function open(name: string): Promise<string> {
    const { browserContextId } = (await link.call("Target.createBrowserContext")) as { browserContextId: string };
    const made = (await link.call("Target.createTarget", { url: base, browserContextId })) as { targetId: string };
    tabs.set(name, made.targetId);
    return made.targetId;
  }

  async function run(code: string, { timeoutMs = 20_000, tab = "main" } = {}): Promise<Ran> {
    const shown: string[] = [];
    const asked: [string, JsonObject][] = [];
    const targetId = tabs.get(tab)!;
    const discard = async (): Promise<void> => {
      tabs.delete(tab);
      await link.call("Target.closeTarget", { targetId });
    };
    const end = await scripts.run(
      { targetId, isAlone: tab === "main", isConfined: true, connect: () => link.open(), discard },
      { tab, code, timeoutMs },
      {
        signal: new AbortController().signal,
        show: (text) => void shown.push(text),
        picture: () => {},
        answer: async (what, args) => {
          asked.push([what, args]);
          if (what === "file") return Buffer.from("file's text").toString("base64");
          if (what === "markdown") return `# ${args["url"]}`;
          return { path: `shot-${asked.length}`, width: 800, height: 600 };
        },
      },
    );
    return { ...end, shown: shown.join("\n"), asked };
  }

  it("T-BRW-2 a form is observed, filled by number and sent; numbers go stale with the page, a new look and the element", async () => {
    const first = await run(`const seen = await tab.observe(); display("looking"); display(seen);
      return seen.elements.map(({ role, name }) => role + ":" + name)`);
    expect(first.status, first.error).toBe("done");
    expect(first.shown).toMatch(
      /^looking\nShop · http:\/\/localhost:\d+\/\n\[1\] textbox "Name"\n\[2\] combobox "Size" value="small"/,
    );
    expect(first.shown).toMatch(/"link:Far away"\n\]$/);
    const near = await run("return (await tab.observe({ viewportOnly: true })).elements.map((one) => one.name)");
    expect(near.shown).not.toContain("Far away");
    expect((await run("await tab.id(1).click()")).error).toMatch(/^Element 1 is stale: .*observed again.* \(line 1\)$/);
    const gone = await run(`const { elements } = await tab.observe();
      await tab.evaluate(() => document.querySelector("select").remove());
      await tab.id(elements[1].id).click()`);
    expect(gone.error).toMatch(/is stale: it is no longer on the page\. Call tab\.observe\(\) again\. \(line 3\)/);
    const sent = await run(`await tab.goto(tab.url());
      const { elements } = await tab.observe();
      const id = (name) => elements.find((one) => one.name === name).id;
      await tab.id(id("Name")).fill("Ada"); await tab.select("select", "large"); await tab.id(id("Order")).click();
      await tab.waitForUrl(/order$/); assert(await tab.title() === "Thanks", "no thanks"); await tab.goto(${JSON.stringify(base)})`);
    expect(sent).toMatchObject({ status: "done", shown: "" });
    expect(heard).toContain("POST /order who=Ada&size=large");
  });

  it("T-BRW-2 the helpers of a tab do what they say", async () => {
    const moved = await run(
      `await tab.drag("#box", "p-pierce/#drop"); return await tab.evaluate(() => log.textContent)`,
    );
    expect(moved.shown).toBe("dropped after 13");
    const found = await run(`await tab.waitFor("p-text/Far away"); await tab.scrollIntoView("p-xpath///a");
      await tab.scroll(0, -9000); await tab.type("p-aria/Name", "Gr"); await tab.press("Z", { selector: "input" });
      const [answer] = await Promise.all([tab.waitForResponse("/more"), tab.evaluate(() => fetch("/more").then(() => {}))]);
      return [await tab.evaluate(() => document.querySelector("input").value), answer.status(), await tab.extract()]`);
    expect(found.error).toBeUndefined();
    expect(JSON.parse(found.shown)).toEqual(["GrZ", 200, `# ${base}/`]);
    expect((await run('await tab.click("p-css/b")')).error).toContain("p-css/ is no selector");
    expect((await run('await tab.click("#none")', { timeoutMs: 1000 })).error).toMatch(
      /^TimeoutError: Waiting for selector `#none` failed/,
    );
    const upload = await run(`await tab.uploadFile("#up", "data/report.txt"); await wait(50);
      return tab.evaluate(() => log.textContent)`);
    expect(upload).toMatchObject({ shown: "report.txt: file's text", asked: [["file", { path: "data/report.txt" }]] });
    const shots = await run(`const before = await tab.screenshot({ silent: true });
      const same = await tab.screenshot({ against: before });
      await tab.evaluate(() => { document.querySelector("#box").style.background = "red" });
      return [same.changed, (await tab.screenshot({ against: before.path })).changed]`);
    expect(JSON.parse(shots.shown)).toEqual([null, { x: 40, y: 200, width: 50, height: 30 }]);
    expect(shots.asked.map(([, { silent }]) => silent)).toEqual([true, false, false]);
    const crop = Buffer.from(String(shots.asked[2]![1]["shown"]), "base64");
    expect([crop.readUInt32BE(16), crop.readUInt32BE(20)]).toEqual([50, 30]);
    expect((await run('console.log("unseen"); await wait(1)')).shown).toBe("");
    const cookies =
      "await page.setCookie({ name: 'a', value: 'b' }); return (await page.cookies()).map((one) => one.name)";
    expect((await run(cookies)).shown).toContain('"a"');
    expect((await run("assert(1 > 2, 'no')")).error).toBe("no (line 1)");
  });

  it("T-BRW-2 a click waits until its element is enabled, stands still and is in sight, and says what it waited for", async () => {
    const setUp = (html: string): string => `await tab.evaluate((html) => {
      window.clicked = [];
      document.body.innerHTML = html;
      document.body.addEventListener("click", ({ target }) => clicked.push(target.id), { once: false });
    }, ${JSON.stringify(html)});`;
    const far = '<div style="height:3000px"></div><svg width=40 height=40><rect id=d width=40 height=40 /></svg>';
    const { shown, error } = await run(`${setUp(
      `<button id=a disabled>a</button><button id=b style="position:absolute;top:90px">b</button><span id=c>c</span>
       <iframe srcdoc="<button id=in>in</button>"></iframe>${far}`,
    )}
      await tab.evaluate(() => {
        setTimeout(() => document.querySelector("#a").disabled = false, 200);
        b.animate([{ left: "0px" }, { left: "300px" }], 300);
        const old = c;
        setTimeout(() => { old.replaceWith(Object.assign(document.createElement("button"), { id: "c" })) }, 5);
      });
      for (const id of ["b", "a", "c", "d"]) await tab.click("#" + id);
      const frame = await (await page.$("iframe")).contentFrame();
      await frame.evaluate(() => document.body.addEventListener("click", ({ target }) => parent.clicked.push(target.id)));
      await tab.click(await frame.$("#in"));
      return tab.evaluate(() => clicked.join())`);
    expect(error).toBeUndefined();
    expect(shown).toBe("b,a,c,d,in");
    const never = async (html: string) =>
      (await run(`${setUp(html)} await tab.click("#x")`, { timeoutMs: 1000 })).error?.replace(/ \(line .*/, "");
    expect(await never("<button id=x disabled>x</button>")).toBe("The element was not clicked: it is disabled.");
    expect(await never("<button id=x hidden>x</button>")).toBe("The element was not clicked: it cannot be seen.");
    await run("await tab.goto(tab.url())");
  });

  it("T-BRW-2 a tab runs one script at a time; one that does not end takes its page with it, and a new tab works", async () => {
    const slow = run("while (true) {}", { timeoutMs: 300 });
    await expect(run("return 1")).rejects.toThrow('Tab "main" is busy');
    // This tab shares its cookies with others.
    expect((await run("return page.cookies('https://bank.example')", { tab: "other" })).error).toContain(
      "cannot read cookies",
    );
    expect(await slow).toMatchObject({ status: "timed_out", error: "The script timed out after 300ms." });
    expect(tabs.has("main")).toBe(false);
    await open("main");
    expect((await run("return tab.title()")).shown).toBe("Shop");
  });
  const ROOT = 'page.constructor.constructor("return process")()';
  const MODULE = `const load = (name) => ${ROOT}.getBuiltinModule?.(name) ?? ${ROOT}.mainModule.require(name);`;
  const RAW = `const say = (message) => ${ROOT}.stdout.write("c" + JSON.stringify(message) + "\\n");`;
  const cdp = (method: string, params: object): string =>
    `const s = await page.createCDPSession(); return s.send(${JSON.stringify(method)}, ${JSON.stringify(params)})`;
  const refused = /is not available to scripts of a tab|Scripts cannot/;
  const ESCAPES: readonly (readonly [string, () => string, RegExp])[] = [
    ["require", () => 'return require("fs").readFileSync("/etc/passwd", "utf8")', /require is not defined/],
    ["import", () => 'return (await import("node:fs")).readdirSync("/")', /dynamic import/i],
    ["process", () => "return process.env", /process is not defined/],
    ["fetch", () => `return (await fetch("${base}/leak")).status`, /fetch is not defined/],
    ["variables by a constructor", () => `return ${ROOT}.env`, /^\{\s*("PWD": "\/")?\s*\}$/],
    [
      "the context's constructor",
      () => 'return this.constructor.constructor("return process.env.HOME")()',
      /undefined|^$/,
    ],
    ["files by a constructor", () => `${MODULE} return load("fs").readFileSync("${folder}/secret.txt", "utf8")`, /./],
    ["/proc", () => `${MODULE} return load("fs").readFileSync("/proc/self/environ", "latin1")`, /./],
    ["a new process", () => `${MODULE} return String(load("child_process").spawnSync("/node", ["-v"]).stdout)`, /./],
    ["a fork bomb", () => `${MODULE} for (;;) load("child_process").fork("-e", ["1"])`, /./],
    ["a worker", () => `${MODULE} return new (load("worker_threads").Worker)("1", { eval: true }).threadId`, /./],
    [
      "a socket",
      () => `${MODULE} return new Promise((done, fail) =>
        load("net").connect(${new URL(base).port}, "127.0.0.1", () => done("connected")).on("error", fail))`,
      /./,
    ],
    ["a new tab", () => "return (await browser.newPage()).url()", refused],
    [
      "the end of the browser",
      () => `${RAW} say({ id: 900001, method: "Browser.close" }); await wait(200); return 1`,
      /^1$/,
    ],
    ["another tab", () => cdp("Target.attachToTarget", { targetId: tabs.get("other"), flatten: true }), refused],
    ["a file", () => `await tab.goto("file://${folder}/secret.txt"); return page.content()`, refused],
    ["settings of the browser", () => 'await tab.goto(" chrome://version"); return page.content()', refused],
    ["a file as source", () => 'await tab.goto("VIEW-SOURCE:file:///etc/passwd")', refused],
    [
      "a frame with a file",
      () => `await page.setContent('<iframe src="file://${folder}/secret.txt"></iframe>');
        await wait(300); return Promise.all(page.frames().map((one) => one.content()))`,
      /./,
    ],
    [
      "a folder for downloads",
      () => cdp("Page.setDownloadBehavior", { behavior: "allow", downloadPath: "/tmp" }),
      refused,
    ],
    [
      "a file by its path",
      () => `await page.setContent("<input type=file>"); const s = await page.createCDPSession();
        const { root } = await s.send("DOM.getDocument"); const { nodeId } = await s.send("DOM.querySelector", { nodeId: root.nodeId, selector: "input" });
        return s.send("DOM.setFileInputFiles", { nodeId, files: ["${folder}/secret.txt"] })`,
      refused,
    ],
    [
      "a dragged file",
      () =>
        cdp("Input.dispatchDragEvent", {
          type: "drop",
          x: 1,
          y: 1,
          data: { items: [], files: ["/etc/passwd"], dragOperationsMask: 1 },
        }),
      refused,
    ],
    [
      "a resource without the page",
      () =>
        cdp("Network.loadNetworkResource", {
          url: `${base}/leak`,
          options: { disableCache: true, includeCredentials: true },
        }),
      refused,
    ],
    ["a stream of others", () => cdp("IO.read", { handle: "1" }), /streams that they have opened/],
    ["cookies of others", () => cdp("Storage.getCookies", {}), refused],
    [
      "a made-up end",
      () => `${ROOT}.stdout.write('m{"done":1}\\nm{"nonsense\\n{}\\n'); return "went on"`,
      /^$|went on/,
    ],
    ["its own end", () => `${ROOT}.exit(3)`, /exited with code 3/],
  ];

  it("T-BRW-2 scripts do not get out: no file, no variable, no network, no other tab, no word to the browser", async () => {
    const outcomes: [string, string][] = [];
    const problems: string[] = [];
    for (const [name, code, expected] of ESCAPES) {
      const { status, error, shown } = await run(code(), { timeoutMs: 5000 });
      outcomes.push([name, `${status}: ${error ?? shown}`.slice(0, 300)]);
      if (!expected.test(`${error ?? shown}`)) problems.push(`${name}: ${error ?? shown}`);
      if (/planted-secret|root:x:/.test(`${error}${shown}`) || shown === "connected") problems.push(`${name} leaks`);
      if (!tabs.has("main")) await open("main");
    }
    if (process.env["LATHE_SHOW"]) console.log(outcomes);
    expect(problems).toEqual([]);
    expect(heard.filter((line) => line.includes("leak"))).toEqual([]);
    expect((await run(`await tab.goto(${JSON.stringify(base)}); return tab.title()`)).shown).toBe("Shop");
    expect((await run("return tab.title()", { tab: "other" })).shown).toBe("Shop");
  }, 60_000);

  it("T-BRW-2 what a script shows is bounded", async () => {
    const shown = await run('for (let i = 0; i < 1000; i++) display("x".repeat(1 << 20)); return "end"');
    expect(shown.shown.length).toBeLessThan(3 << 20);
    expect(shown.shown.includes("[only the first 1048576 characters are shown]")).toBe(true);
  });

  inLongRuns(
    "T-BRW-2 a script that floods its host or the memory is ended, and a later one works",
    async () => {
      const flood =
        await run(`const out = ${ROOT}.stdout; const piece = "m" + JSON.stringify({ show: "y".repeat(1 << 20) }) + "\\n";
      for (let i = 0; i < 1024; i++) if (!out.write(piece)) await new Promise((resolve) => out.once("drain", resolve))`);
      expect(flood.error).toBe("The script was ended: it sent more than 256 MiB.");
      expect(flood.shown.length).toBeLessThan(3 << 20);
      const memory = await run("const all = []; for (;;) all.push(new Uint8Array(8 << 20).fill(1))");
      expect(["died", "failed"]).toContain(memory.status);
      if (!tabs.has("main")) await open("main");
      expect((await run("return tab.title()")).shown).toBe("Shop");
    },
    60_000,
  );
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
