// providers.openaiWebsockets through the command: a real websocket server, a real host.

import { mkdir, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { type Setup, setup } from "./rpc-host.ts";

let rig: Setup;
let sockets: WebSocketServer;
let asked: { readonly model: string }[];
let closed: Promise<unknown>[];

beforeEach(async () => {
  rig = await setup();
  asked = [];
  closed = [];
  sockets = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await new Promise((resolve) => sockets.once("listening", resolve));
  sockets.on("connection", (socket) => {
    closed.push(new Promise((resolve) => socket.once("close", resolve)));
    socket.on("message", (data) => {
      asked.push(JSON.parse(String(data)));
      answer(socket);
    });
  });
});
afterEach(async () => {
  for (const client of sockets.clients) client.terminate();
  sockets.close();
  await rig.remove();
});

function answer(socket: WebSocket): void {
  const item = { type: "message", id: "m1", role: "assistant", content: [{ type: "output_text", text: "hello" }] };
  const response = { id: "r1", model: "m", status: "completed", output: [item], usage: {} };
  for (const event of [
    { type: "response.created", response: { id: "r1", model: "m" } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
    { type: "response.output_text.delta", output_index: 0, content_index: 0, item_id: "m1", delta: "hello" },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ])
    socket.send(JSON.stringify(event));
}

async function settings(text: string): Promise<void> {
  await mkdir(rig.box.env["LATHE_HOME"] ?? "", { recursive: true });
  await writeFile(join(rig.box.env["LATHE_HOME"] ?? "", "config.yml"), text);
}

const overSockets = (): void => {
  rig.env["OPENAI_BASE_URL"] = `http://127.0.0.1:${(sockets.address() as AddressInfo).port}/v1`;
};

describe("providers.openaiWebsockets", () => {
  it("G-61 G-53 one socket for a conversation; another model, another session and the end close it", async () => {
    await settings("providers: { openaiWebsockets: on }\n");
    overSockets();
    const host = await rig.start();
    await host.prompt("one");
    await host.prompt("two");
    expect(await host.data("get_last_assistant_text")).toEqual({ text: "hello" });
    expect(closed).toHaveLength(1);

    await host.data("set_model", { provider: "openai", modelId: "gpt-5-mini" });
    await closed[0];
    await host.prompt("three");
    expect(asked.map(({ model }) => model)).toEqual(["gpt-5.2", "gpt-5.2", "gpt-5-mini"]);

    await host.data("set_model", { provider: "practice", modelId: "basic" });
    await closed[1];
    await host.data("set_model", { provider: "openai", modelId: "gpt-5.2" });
    await host.prompt("four");
    await host.data("new_session");
    await closed[2];
    await host.prompt("five");
    expect(await host.finish()).toBe(0);
    await closed[3];
    expect(closed).toHaveLength(4);
  });

  it.each(["", "providers: { openaiWebsockets: off }\n"])(
    "G-61 without the setting it is plain HTTP: %j",
    async (text) => {
      await settings(text);
      rig.server.push(turn.text("over http"));
      const host = await rig.start();
      await host.prompt("one");
      expect(rig.server.requests).toHaveLength(1);
      expect(await host.finish()).toBe(0);
    },
  );

  it("a recorded run goes over HTTP, so that it can be replayed", async () => {
    await settings("providers: { openaiWebsockets: on }\n");
    rig.server.push(turn.text("over http"));
    const run = await rig.box.run(["--model", "openai/gpt-5.2", "--record", "tape", "-p", "hi"], { env: rig.env });
    expect(run).toMatchObject({ code: 0, stdout: "over http\n" });
    expect(await rig.box.run(["replay", "tape"])).toMatchObject({ code: 0, stdout: "over http\n" });
  });
});
