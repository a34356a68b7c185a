// The agent is killed while it has a browser: nothing of it remains, except a browser that it was only attached to.

import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalEnvironment } from "@lathe/agent";
import { turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { isAlive, until } from "../../agent/test/alive.ts";
import { HAS_BROWSER } from "./browser-kit.ts";
import { stage } from "./contract-kit.ts";
import { descendantsOf } from "./started-in.ts";

const isLong = process.env["LATHE_LONG"] !== undefined;
const WAIT = 240_000;
/** In the gate a skipped test counts as failed, so such a test is not even listed there. */
const inLongRuns = isLong ? it : () => {};

const PAGES: Readonly<Record<string, string>> = {
  "/plain": "<title>Plain</title>",
  "/spin": "<title>Spin</title><script>setTimeout(() => { for (;;); }, 100)</script>",
  "/dialog": "<title>Dialog</title><script>setInterval(() => confirm('again'), 10)</script>",
  "/workers":
    "<title>Workers</title><script>for (let n = 0; n < 4; n++) new Worker('data:text/javascript,for(;;);')</script>",
  "/windows": "<title>Windows</title><script>for (let n = 0; n < 4; n++) window.open('/plain')</script>",
  "/memory": "<title>Memory</title><script>window.held = new Uint8Array(200e6).fill(1)</script>",
};

interface Situation {
  readonly name: string;
  /** The calls of one answer: what each opens. */
  readonly opens: readonly object[];
  /** When to kill: when this is requested, or once the browser's process exists. */
  readonly during?: "/never" | "start";
  readonly options?: readonly string[];
}

const IN_GATE: readonly Situation[] = [
  { name: "a page is being loaded", opens: [{ url: "/never" }], during: "/never" },
];
const IN_LONG_RUNS: readonly Situation[] = [
  { name: "the browser starts", opens: [{ url: "/plain" }], during: "start" },
  { name: "a tab is open", opens: [{ url: "/plain" }] },
  { name: "eight tabs are open", opens: [..."abcdefgh"].map((name) => ({ name, url: "/plain" })) },
  { name: "a script of the page never ends", opens: [{ url: "/spin" }] },
  { name: "the page asks again and again", opens: [{ url: "/dialog" }] },
  { name: "workers of the page never end", opens: [{ url: "/workers" }] },
  { name: "the page has opened windows", opens: [{ url: "/windows" }] },
  { name: "the page holds much memory", opens: [{ url: "/memory" }] },
  {
    name: "an app was started",
    opens: [{ app: { path: "/usr/bin/chromium", args: ["--headless=new", "--no-sandbox"] } }],
  },
  { name: "commands are in the sandbox", opens: [{ url: "/plain" }], options: ["--sandbox"] },
];

describe.skipIf(!HAS_BROWSER)("the agent is killed (needs chromium and bubblewrap)", () => {
  it.each(isLong ? [...IN_GATE, ...IN_LONG_RUNS] : IN_GATE)(
    "T-BRW-1 SIGKILL of the agent while $name: nothing is left",
    async ({ opens, during, options = [] }) => {
      const asked: string[] = [];
      const server = createServer((request, response) => {
        asked.push(request.url ?? "");
        if (request.url !== "/never")
          response.writeHead(200, { "content-type": "text/html" }).end(PAGES[request.url ?? ""] ?? "");
      });
      await once(server.listen(0, "127.0.0.1"), "listening");
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const calls = opens.map((open, at) => {
        const url = "url" in open ? { url: `${origin}${open.url}` } : {};
        return { id: `b${at}`, name: "browser", args: { action: "open", ...open, ...url } };
      });
      let turns = 0;
      const scene = await stage(() => (turns++ === 0 ? turn.calls(calls) : new Promise(() => {})));
      try {
        writeFileSync(join(scene.box.home, "fast.yml"), "tools:\n  discoveryMode: off\n");
        const mode = ["--permission-mode", "full", "--profile", "lathe", ...options];
        // The user types the address, so that the port of this program is open.
        const agent = scene.start([...mode, "-p", `look at ${origin}/`]);
        agent.stdin.end();
        agent.stdout.resume();
        agent.stderr.pipe(process.stderr);
        const browsers = () => descendantsOf(agent.pid!).filter(({ line }) => line.includes("chromium"));
        await until(() =>
          during === "start" ? browsers().length > 0 : during === undefined ? turns > 1 : asked.includes(during),
        );
        const started = descendantsOf(agent.pid!);
        expect(browsers()).not.toEqual([]);
        agent.kill("SIGKILL");
        await once(agent, "close");
        const killed = performance.now();
        await until(() => started.every(({ pid }) => !isAlive(pid)));
        if (isLong) console.log(`gone after ${Math.round(performance.now() - killed)} ms`);
      } finally {
        server.closeAllConnections();
        server.close();
        await scene.close();
      }
    },
    WAIT,
  );

  inLongRuns(
    "T-BRW-1 SIGKILL of the agent leaves a browser that it only attached to",
    async () => {
      let said = "";
      const user = new LocalEnvironment({
        cwd: "/",
        baseEnv: { PATH: "/usr/bin:/bin", HOME: mkdtempSync(join(tmpdir(), "c-")) },
      });
      let turns = 0;
      const scene = await stage(() => {
        const [, port] = /127\.0\.0\.1:(\d+)/.exec(said) ?? [];
        const args = { action: "open", app: { cdp_url: `http://127.0.0.1:${port}` } };
        return turns++ === 0 ? turn.calls([{ id: "b", name: "browser", args }]) : new Promise(() => {});
      });
      const flags = ["--headless=new", "--no-sandbox", "--remote-debugging-port=0"];
      const theirs = await user.startProcess(
        ["/usr/bin/chromium", ...flags, `--user-data-dir=${join(scene.box.home, "theirs")}`],
        { onStderr: (text) => (said += text) },
      );
      try {
        await until(() => said.includes("DevTools listening on"));
        writeFileSync(join(scene.box.home, "fast.yml"), "tools:\n  discoveryMode: off\n");
        const agent = scene.start(["--permission-mode", "full", "--profile", "lathe", "-p", "go"]);
        agent.stdin.end();
        agent.stdout.resume();
        await until(() => turns > 1);
        const started = descendantsOf(agent.pid!);
        agent.kill("SIGKILL");
        await once(agent, "close");
        await until(() => started.every(({ pid }) => !isAlive(pid)));
        expect(await Promise.race([theirs.exited, Promise.resolve("runs")])).toBe("runs");
      } finally {
        await user.cleanup();
        await scene.close();
      }
    },
    WAIT,
  );
});
