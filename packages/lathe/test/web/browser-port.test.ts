// A port of another program, in the browser: closed as for every web tool, and open once the user approves (decision
// 0383).

import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Turn, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HAS_BROWSER } from "../browser-kit.ts";
import { type Stage, stage } from "../contract-kit.ts";
import { type Frame, RpcHost } from "../rpc-host.ts";

let scene: Stage;
let other: Server;
let port: number;
let heard: string[];
beforeEach(async () => {
  heard = [];
  other = createServer(({ url = "" }, response) => {
    heard.push(url);
    response.setHeader("content-type", "text/html").end(`<title>Of another program ${url}</title>`);
  });
  await once(other.listen(0, "127.0.0.1"), "listening");
  ({ port } = other.address() as AddressInfo);
});
afterEach(async () => {
  other.close();
  other.closeAllConnections();
  await scene.close();
});

const opens = (path: string) =>
  turn.calls([{ name: "browser", args: { action: "open", url: `http://localhost:${port}${path}` } }]);
/** A model that gives these answers, and has the browser without a search for it. */
async function begin(...answers: Turn[]): Promise<void> {
  scene = await stage(() => answers.shift() ?? turn.text("nothing left"));
  await writeFile(join(scene.box.home, ".lathe/config.yml"), "tools:\n  discoveryMode: off\n");
}
const results = (): string[] =>
  scene.server.requests.flatMap(({ view }) => view.messages.at(-1)?.results ?? []).map(({ text }) => text);
const because = (): string => `Port ${port} does not belong to a server of this session`;
const isQuestion = ({ type }: Frame): boolean => type === "extension_ui_request";

describe.skipIf(!HAS_BROWSER)("with a browser (needs chromium and bubblewrap)", () => {
  it("T-BRW-1 LS-10 a yes opens another program's port in a tab: the question says so and offers no rule", async () => {
    await begin(opens("/a"), opens("/b"), turn.text("done"));
    const host = new RpcHost(
      scene.box.open(["--mode", "rpc", ...scene.args, "--permission-mode", "auto-edit"], scene.env),
    );
    host.send({ type: "prompt", message: "go" });
    const asked: Frame[] = [];
    for (const confirmed of [false, true]) {
      const question = await host.wait("a question", (frame) => isQuestion(frame) && !asked.includes(frame));
      asked.push(question);
      expect(JSON.stringify(question)).toContain(`${because()}; your yes opens it for this session.`);
      expect(question).not.toHaveProperty("remember");
      host.send({ type: "extension_ui_response", id: question["id"], confirmed });
    }
    await host.event("agent_end");
    expect(results()).toEqual([
      expect.stringContaining("Denied by host"),
      expect.stringContaining("Of another program /b"),
    ]);
    expect(heard).toContain("/b");
    expect(heard).not.toContain("/a");
    expect(await host.finish()).toBe(0);
  });

  it.each([
    ["plan", () => because()],
    ["read-only", () => "Denied by mode read-only"],
    [
      "auto-edit",
      () => `${because()}; your yes opens it for this session. It would be allowed with its address in the prompt.`,
    ],
    ["full", () => `localhost:${port} is closed: no process of this session listens there`],
  ])("T-BRW-1 LS-10 in mode %s and without anyone to ask it stays closed, with the reason", async (mode, reason) => {
    await begin(opens("/a"), turn.text("done"));
    await scene.run(["--permission-mode", mode, "go"]);
    expect(results()).toEqual([expect.stringContaining(reason())]);
    expect(heard).toEqual([]);
  });
});
