import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { gate, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RpcClient, type RpcClientOptions, RpcError } from "../src/index.ts";
import { CLI, collect } from "./command.ts";
import { MODEL, type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
const clients: RpcClient[] = [];
beforeEach(async () => {
  rig = await setup();
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.stop()));
  await rig.remove();
});

function client(options: RpcClientOptions = {}): RpcClient {
  const made = new RpcClient({ cwd: rig.box.dir, env: { ...rig.box.env, ...rig.env }, args: MODEL, ...options });
  clients.push(made);
  return made;
}

describe("RpcClient", () => {
  it("MO-07 start, prompt, waitForIdle, getState, stop", async () => {
    rig.server.push(turn.text("hello there"));
    const agent = client();
    await agent.start();
    await agent.prompt("hello");
    await agent.waitForIdle(20_000);
    expect(await agent.getState()).toMatchObject({ messageCount: 2, isStreaming: false });
    expect(await agent.getLastAssistantText()).toBe("hello there");
    const { entries } = await agent.getEntries({ before: null, limit: 1 });
    expect(entries).toMatchObject([{ type: "assistant", parts: [{ kind: "text", text: "hello there" }] }]);
    await expect(agent.continue()).rejects.toThrow("There is no unfinished input.");
    expect(await agent.stop()).toBe(0);
  });

  it("MO-07 collectEvents gives the events up to the end, follow-ups included", async () => {
    const open = gate();
    rig.server.push(turn.text("one", { before: open.wait }), turn.text("two"));
    const agent = client();
    await agent.start();
    const collected = agent.prompt("go").then(() => agent.collectEvents());
    await open.reached;
    await agent.followUp("and then");
    open.open();
    const types = (await collected).map(({ type }) => type);
    expect(types.filter((type) => type === "agent_end")).toHaveLength(2);
    expect(types.at(-1)).toBe("agent_end");
  });

  it("MO-07 an agent that cannot start rejects with what it said on stderr", async () => {
    await expect(client({ args: ["--model", "nothing/x"] }).start()).rejects.toThrow('Unknown provider "nothing"');
    await expect(client({ command: ["/nowhere/lathe"] }).start()).rejects.toThrow("could not be started");
    await expect(client({ command: ["echo", "hello"] }).start()).rejects.toThrow("not a protocol line: hello");
    const silent = ["sh", "-c", "cat >/dev/null", "lathe"];
    await expect(client({ command: silent, readyTimeoutMs: 50 }).start()).rejects.toThrow("not ready within 50 ms");
  });

  it("MO-07 killing the agent in the middle of a request rejects it", async () => {
    const agent = client();
    await agent.start();
    const request = agent.request("bash", { command: "sleep 60" });
    const idle = new Promise<Error>((resolve) => agent.onFailure(resolve));
    process.kill(agent.pid ?? 0, "SIGKILL");
    await expect(request).rejects.toThrow("The agent ended (SIGKILL)");
    expect((await idle).message).toContain("SIGKILL");
    await expect(agent.getState()).rejects.toThrow("The agent ended (SIGKILL)");
  });

  it("MO-07 a listener that throws or rejects is reported as a failure; the others still get the event", async () => {
    rig.server.push(turn.text("one"));
    const agent = client();
    await agent.start();
    const failures: string[] = [];
    const seen = new Set<string>();
    agent.onFailure((error) => failures.push(error.message));
    agent.onEvent(() => {
      throw new Error("thrown by the host");
    });
    agent.onEvent(() => Promise.reject(new Error("rejected by the host")));
    agent.onEvent(({ type }) => seen.add(type));
    const ended = new Promise<void>((resolve) => {
      agent.onEvent(({ type }) => type === "agent_end" && resolve());
    });
    await agent.prompt("go");
    await ended;
    expect(seen).toContain("agent_end");
    expect(failures).toContain("A listener threw: thrown by the host");
    expect(failures).toContain("A listener threw: rejected by the host");
    await agent.stop();
  });

  it("MO-07 refusals are errors with a code; a prompt that is refused fails who sent it, not who waits for the work", async () => {
    const open = gate();
    rig.server.push(turn.text("one", { before: open.wait }));
    const agent = client();
    await agent.start();
    const refusal = await agent.request("negotiate_unattended", { declaration: {} }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RpcError);
    expect(refusal).toMatchObject({ command: "negotiate_unattended", code: "invalid_declaration" });
    await agent.prompt("go");
    await open.reached;
    const waiting = agent.waitForIdle();
    await expect(agent.prompt("too soon")).rejects.toThrow("streamingBehavior");
    open.open();
    await waiting;
  });

  it("MO-07 G-12 host tools, addresses and dialogs are served", async () => {
    rig.server.push(
      turn.calls([
        { name: "add", id: "a", args: { x: 2, y: 3 } },
        { name: "read_file", id: "r", args: { file_path: "db://users/42" } },
        { name: "write_file", id: "w", args: { file_path: "db://users/42", content: "new" } },
        { name: "shell", id: "s", args: { command: "X=1 env echo approved" } },
      ]),
      turn.text("all done"),
    );
    const agent = client();
    await agent.start();
    const number = { type: "number" };
    await agent.setHostTools([
      {
        name: "add",
        description: "Adds.",
        parameters: { type: "object", properties: { x: number, y: number }, required: ["x", "y"] },
        tier: "read",
        execute: ({ x, y }, { update }) => {
          update("adding");
          return `sum ${Number(x) + Number(y)}`;
        },
      },
    ]);
    const written: string[] = [];
    await agent.setHostUriSchemes([
      { scheme: "DB", read: (url) => `row of ${url}`, write: (url, content) => void written.push(url, content) },
    ]);
    const asked: string[] = [];
    agent.onUiRequest((request) => {
      asked.push(request.method);
      return { confirmed: true };
    });
    await agent.prompt("go");
    const events = await agent.collectEvents();
    const request = rig.server.requests[1];
    expect(request?.result("a")).toBe("sum 5");
    expect(request?.result("r")).toContain("row of db://users/42");
    expect(written).toEqual(["db://users/42", "new"]);
    // The host answers for the address, so a write to it is asked about like a command.
    expect(asked).toEqual(["confirm", "confirm"]);
    expect(request?.result("s")).toContain("approved");
    expect(events).toContainEqual(expect.objectContaining({ type: "tool_execution_update", delta: "adding" }));
  });

  it("MO-07 without a handler a dialog is cancelled, so that nothing waits for ever", async () => {
    rig.server.push(turn.calls([{ name: "shell", id: "s", args: { command: "X=1 env echo no" } }]), turn.text("pity"));
    const agent = client();
    await agent.start();
    await agent.prompt("go");
    await agent.waitForIdle();
    expect(rig.server.requests[1]?.result("s")).toContain("Denied by host");
  });

  it("G-12 a Python program of thirty lines drives prompt and host tool and prints the final text", async () => {
    rig.server.push(
      turn.calls([{ name: "lookup", id: "l", args: { key: "colour" } }]),
      turn.text("The colour is blue."),
    );
    const program = fileURLToPath(new URL("./rpc_host.py", import.meta.url));
    const python = spawn("python3", [program, process.execPath, CLI, ...MODEL], {
      cwd: rig.box.dir,
      env: { ...rig.box.env, ...rig.env },
    });
    const { code, stdout, stderr } = await collect(python);
    expect(stderr).toBe("");
    expect(stdout).toBe("The colour is blue.\n");
    expect(code).toBe(0);
    expect(rig.server.requests[1]?.result("l")).toBe("blue");
  });
});
