// The browser in a session: which actions need approval, and tabs that agents share.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../agent/test/sshd.ts";
import { type AgentStage, agentStage, tasks, yields } from "./agents-kit.ts";
import { HAS_BROWSER } from "./browser-kit.ts";
import { descendantsOf } from "./started-in.ts";

const isLong = process.env["LATHE_LONG"] !== undefined;
const CHILDREN = isLong ? ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight"] : ["One", "Two"];

const SERVER = (port: number) =>
  `require("http").createServer((q, a) => a.writeHead(200, { "content-type": "text/html" }).end("<title>" + q.url + "</title>")).listen(${port}, "127.0.0.1")`;
const browse = (id: string, args: object) => ({ name: "browser", id, args: { action: "open", ...args } });

describe.skipIf(!HAS_BROWSER)("sessions (needs chromium and bubblewrap)", () => {
  let scene: AgentStage;
  afterEach(() => scene.close());

  it("T-BRW-1 a dev server of the session needs no question, every other host does; agents see the tab of their parent by its name", async () => {
    const port = await freePort();
    const url = `http://localhost:${port}`;
    let browsers = 0;
    const count = (): void => {
      const lines = descendantsOf(process.pid).map(({ line }) => line);
      browsers = lines.filter((line) => /^\S*chromium (?!.*--type=).*--remote-debugging-pipe/.test(line)).length;
    };
    const upYet = `until node -e 'fetch("${url}").catch(() => process.exit(1))'; do sleep 0.1; done`;
    const child = (name: string) => [
      turn.calls([browse("p", { name: "main" }), browse("o", { name, url: `${url}/${name}` })]),
      (request: { result(id: string): string | undefined }) => {
        count();
        return yields(`${request.result("p")} ${request.result("o")}`);
      },
    ];
    scene = await agentStage(
      {
        parent: [
          turn.calls([{ name: "bash", id: "s", args: { command: "node server.cjs", async: true } }]),
          turn.calls([{ name: "bash", id: "u", args: { command: upYet } }]),
          turn.calls([
            browse("a", { url: `${url}/own` }),
            browse("b", { name: "b", url: "http://other.example/" }),
            browse("c", { name: "c", app: { cdp_url: "http://127.0.0.1:9" } }),
            browse("d", { name: "d", app: { path: "/usr/bin/chromium" } }),
          ]),
          tasks(CHILDREN.map((id) => ({ id, assignment: "look" }))),
          (request) => turn.text(["a", "b", "c", "d", "t"].map((id) => request.result(id)).join("\n---\n")),
        ],
        ...Object.fromEntries(CHILDREN.map((name) => [name, child(name)])),
      },
      { "server.cjs": SERVER(port) },
    );
    writeFileSync(join(scene.box.home, "fast.yml"), "tools:\n  discoveryMode: off\n");
    mkdirSync(join(scene.box.dir, "x"), { recursive: true });
    const rules = ["--allow", "shell(node *)", "--allow", `shell(${upYet})`, "--allow", "shell"];
    const { stdout } = await scene.run(["--permission-mode", "auto-edit", ...rules, "--profile", "lathe", "-p", "go"]);
    const [own, other, attach, app, agents = ""] = stdout.split("\n---\n");
    expect(own).toContain(`Opened tab "main": ${url}/own (status 200)\nTitle: /own`);
    for (const denied of [other, attach, app]) expect(denied).toMatch(/denied/i);
    for (const name of CHILDREN) {
      expect(agents).toContain(`Opened tab "${name}": ${url}/${name} (status 200)`);
      expect(agents).toContain(`Tab "main": ${url}/own`);
    }
    expect(browsers).toBe(1);
    expect(descendantsOf(process.pid).filter(({ line }) => line.includes("--remote-debugging-pipe"))).toEqual([]);
  }, 240_000);
});
