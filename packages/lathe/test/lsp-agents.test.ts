// Language servers and agents: those in the project share a server with their parent, one in an isolated copy has its own.

import { fileURLToPath } from "node:url";
import { type RecordedRequest, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { isAlive, until } from "../../agent/test/alive.ts";
import { has } from "../../agent/test/programs.ts";
import { type AgentStage, agentStage, tasks, yields } from "./agents-kit.ts";

const SERVER = fileURLToPath(new URL("lsp-scripted-server.mjs", import.meta.url));
const LSP_JSON = JSON.stringify({
  servers: {
    xyz: { command: process.execPath, args: [SERVER, "plain"], fileTypes: [".xyz"], rootMarkers: ["a.xyz"] },
  },
});
const hover = turn.calls([{ name: "lsp", args: { action: "hover", file: "a.xyz", line: 1, symbol: "one" }, id: "h" }]);
const told = (request: RecordedRequest) => yields(request.result("h") ?? "nothing");

describe.skipIf(!has("bwrap", "nsenter", "unshare"))("with agents (needs bwrap, nsenter, unshare)", () => {
  let scene: AgentStage;
  afterEach(() => scene.close());

  it("LP-02 agents in the project share the server of their parent, one in an isolated copy has its own; all end with the session", async () => {
    const child = [hover, told];
    scene = await agentStage(
      {
        parent: [
          hover,
          tasks([
            { id: "One", assignment: "look" },
            { id: "Two", assignment: "look" },
            { id: "Apart", assignment: "look", isolated: true },
          ]),
          (request) => turn.text(`${request.result("h")}\n${request.result("t")}`),
        ],
        One: child,
        Two: child,
        Apart: child,
      },
      { "a.xyz": "one\n", "lsp.json": LSP_JSON },
    );
    await scene.box.run(["trust"]);
    const { stdout, code } = await scene.run(["--permission-mode", "full", "--profile", "lathe", "-p", "go"]);
    expect(code).toBe(0);
    const pids = [...stdout.matchAll(/process (\d+)/g)].map(([, pid]) => Number(pid));
    expect(pids, stdout).toHaveLength(4);
    expect(new Set(pids).size).toBe(2);
    expect(pids.filter((pid) => pid === pids[0])).toHaveLength(3);
    await until(() => !isAlive(pids[0]!));
  }, 120_000);
});
