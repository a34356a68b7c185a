// MCP servers in the session's environment: in the sandbox, on another machine over ssh, and under a program that
// controls the agent.

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SshEnvironment } from "@lathe/agent/world";
import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { has } from "../../agent/test/programs.ts";
import { startSshd } from "../../agent/test/sshd.ts";
import { ROGUE } from "./mcp/kit.ts";
import { type Talk, talkWith } from "./mcp/talk.ts";
import { setup } from "./rpc-host.ts";

const rogue = { command: process.execPath, args: [ROGUE, "--more"] };
const calls = (name: string, args: Record<string, unknown> = {}) =>
  turn.calls([{ name: `mcp__rogue__${name}`, args, id: "call_1" }]);

let talk: Talk | undefined;
afterEach(async () => {
  await talk?.close();
  talk = undefined;
});

describe.skipIf(!has("bwrap", "nsenter"))("in the sandbox (needs bwrap, nsenter)", () => {
  it("MC-02 a server writes in the project and nowhere else, also after /new", async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "lathe-mcp-sandbox-")));
    for (const name of ["outside", "project"]) mkdirSync(join(root, name));
    // The sandbox shows nothing of /tmp but the project, and this repository may lie there.
    const server = join(root, "project", "server.mjs");
    copyFileSync(ROGUE, server);
    talk = await talkWith(
      { rogue: { ...rogue, args: [server, "--more"] } },
      { root, headless: true, settings: { "sandbox.enabled": true } },
    );
    const write = async (path: string): Promise<string> => {
      await talk?.say("write", calls("write", { path }), turn.text("ok"));
      return talk?.lastResult() ?? "";
    };
    expect(await write(join(root, "project", "inside"))).toContain("written");
    expect(existsSync(join(root, "project", "inside"))).toBe(true);
    expect(await write(join(root, "outside", "file"))).toContain("not written");
    await talk.say("/new");
    expect(await write(join(root, "outside", "file"))).toContain("not written");
    expect(existsSync(join(root, "outside", "file"))).toBe(false);
  });
});

describe.skipIf(!has("sshd", "ssh", "ssh-keygen"))("over ssh (needs sshd)", () => {
  it("MC-02 a server runs on the machine that the session works on, and ends with the session", async () => {
    const sshd = await startSshd();
    try {
      const there = realpathSync(mkdtempSync(join(tmpdir(), "lathe-mcp-ssh-")));
      talk = await talkWith({ rogue }, { headless: true, environment: () => new SshEnvironment(sshd.options(there)) });
      await talk.say("where", calls("where"), turn.text("ok"));
      expect(talk.lastResult()).toContain(there);
      expect(talk.lastResult()).toContain("127.0.0.1");
      await talk.say("which", calls("pid"), turn.text("ok"));
      const pid = Number(/\d+/.exec(talk.lastResult().slice(talk.lastResult().indexOf("text")))?.[0]);
      await talk.close();
      talk = undefined;
      await expect.poll(() => isRunning(pid)).toBe(false);
    } finally {
      sshd.stop();
    }
  });
});

describe("under a program that drives the agent", () => {
  it("MC-02 MO-06 a server's question is a dialog frame, and the program's answer reaches the server", async () => {
    const at = await setup({ script: () => turn.text("done") });
    try {
      const file = join(at.box.env["LATHE_HOME"]!, "mcp.json");
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, JSON.stringify({ mcpServers: { rogue } }));
      // What the server offers is known from then on: a first request does not wait long for one that is still starting.
      await at.box.run(["mcp", "test", "rogue"], { env: at.env });
      const host = await at.start("--permission-mode", "full");
      at.server.push(calls("ask_colour"));
      const from = host.frames.length;
      host.send({ type: "prompt", message: "ask" });
      const asked = await host.wait("question", (frame) => frame.type === "extension_ui_request", from);
      expect(asked).toMatchObject({ method: "select", options: ["red", "green"] });
      expect(JSON.stringify(asked)).toContain("The MCP server rogue asks: Which colour?");
      host.send({ type: "extension_ui_response", id: asked["id"], value: "green" });
      await host.event("agent_end", from);
      expect(at.server.requests.at(-1)?.result("call_1")).toContain('"colour":"green"');
      expect(await host.finish()).toBe(0);
    } finally {
      await at.remove();
    }
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
