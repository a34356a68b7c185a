import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { defaultDeps } from "../../src/deps.ts";
import { createProvider, type ProviderOptions } from "../../src/providers/index.ts";
import type { ClientDeps } from "../../src/types/adapter.ts";
import type { JsonObject } from "../../src/types/json.ts";
import { Message } from "../../src/types/message.ts";
import { testClock } from "../core/support.ts";
import { streamed } from "./kit.ts";

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0)) await step();
});

/** A server whose sockets answer each message as told; `onConnect` may end one before that. */
async function serve(
  onMessage: (socket: WebSocket, message: JsonObject) => void,
  onConnect: (socket: WebSocket, count: number) => void = () => {},
) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  const messages: JsonObject[] = [];
  const closed: Promise<void>[] = [];
  let count = 0;
  server.on("connection", (socket) => {
    count += 1;
    closed.push(new Promise((resolve) => socket.once("close", () => resolve())));
    onConnect(socket, count);
    socket.on("message", (data) => {
      const message = JSON.parse(String(data)) as JsonObject;
      messages.push(message);
      onMessage(socket, message);
    });
  });
  cleanup.push(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { baseUrl, messages, closed, connections: () => count };
}

function answer(socket: WebSocket, text: string): void {
  const item = { type: "message", id: "m1", role: "assistant", content: [{ type: "output_text", text }] };
  const events: JsonObject[] = [
    { type: "response.created", response: { id: "r1", model: "m" } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
    { type: "response.output_text.delta", output_index: 0, content_index: 0, item_id: "m1", delta: text },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id: "r1", model: "m", status: "completed", output: [item], usage: {} } },
  ];
  for (const event of events) socket.send(JSON.stringify(event));
}

const ask = (model = "m") => ({ model, messages: [Message.user('say "response.completed"')] });

interface Setup extends Omit<ProviderOptions, "deps"> {
  readonly env?: Readonly<Record<string, string>>;
  readonly machine?: Partial<ClientDeps>;
}

function adapter(baseUrl: string, { env = {}, machine = {}, ...options }: Setup = {}) {
  const deps = defaultDeps({ env: { LATHE_CODEX_WEBSOCKET: "1", ...env }, sleep: async () => {}, ...machine });
  const made = createProvider("codex-like", { api: "openai-codex-responses", apiKey: "k", ...options, baseUrl, deps });
  cleanup.push(() => made.close?.());
  return made;
}

describe("Responses over a websocket", () => {
  it("AD-90 G-61 one socket carries the requests of a conversation, one message each, without `stream`", async () => {
    const server = await serve((socket) => answer(socket, 'the "response.completed" event\nends it'));
    const codex = adapter(server.baseUrl);
    for (let turn = 0; turn < 3; turn++) {
      expect((await streamed(codex, ask())).text).toBe('the "response.completed" event\nends it');
    }
    expect(server.connections()).toBe(1);
    expect(server.messages[0]).toMatchObject({ type: "response.create", model: "m", store: false });
    expect(server.messages.map((message) => "stream" in message)).toEqual([false, false, false]);
  });

  it("AD-90 G-61 a history long enough to be kept as bytes is the same message", async () => {
    const server = await serve((socket) => answer(socket, "ok"));
    const page = "ü€😀".repeat(20_000);
    const messages = [Message.user(page), Message.assistant("a"), Message.user(page), Message.user("last")];
    await streamed(adapter(server.baseUrl), { model: "m", messages });
    const input = server.messages[0]?.["input"] as { content: { text: string }[] }[];
    expect(input.map(({ content }) => content[0]?.text)).toEqual([page, "a", page, "last"]);
  });

  it("AD-90 G-61 a server that drops twice costs two back-offs, then it works", async () => {
    const sleeps: number[] = [];
    const server = await serve(
      (socket) => answer(socket, "third time"),
      (socket, count) => {
        if (count < 3) socket.terminate();
      },
    );
    const machine = {
      sleep: async (ms: number) => {
        sleeps.push(ms);
      },
    };
    expect((await streamed(adapter(server.baseUrl, { machine }), ask())).text).toBe("third time");
    expect(sleeps).toEqual([500, 1000]);
    expect(server.connections()).toBe(3);
  });

  it("AD-90 the budget spent: plain HTTP under auto, an error under on", async () => {
    const server = await serve(
      () => {},
      (socket) => socket.terminate(),
    );
    const sent: string[] = [];
    const fetch = async ({ url }: { url: string }) => {
      sent.push(url);
      const body = (async function* () {
        yield Buffer.from(JSON.stringify({ id: "r", model: "m", status: "completed", output: [] }));
      })();
      return { status: 200, headers: { "content-type": "application/json" }, body };
    };
    const options = { env: { LATHE_CODEX_WEBSOCKET_RETRY_BUDGET: "1" }, machine: { fetch } };
    const codex = adapter(server.baseUrl, options);
    await streamed(codex, ask());
    expect([sent.length, server.connections()]).toEqual([1, 2]);
    await streamed(codex, ask());
    expect([sent.length, server.connections()]).toEqual([2, 2]);
    await expect(streamed(adapter(server.baseUrl, { ...options, websocket: "on" }), ask())).rejects.toMatchObject({
      name: "NetworkError",
    });
    expect(sent).toHaveLength(2);
  });

  it.each([
    [404, "auto", "over HTTP"],
    [426, "auto", "over HTTP"],
    [404, "on", "NotFoundError"],
    [401, "auto", "AuthenticationError"],
  ] as const)("AD-90 a server that answers the handshake with %i: under %s %s", async (status, websocket, outcome) => {
    let handshakes = 0;
    const server = createServer((request, response) => {
      request.resume();
      const item = {
        type: "message",
        id: "m",
        role: "assistant",
        content: [{ type: "output_text", text: "over HTTP" }],
      };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ id: "r", model: "m", status: "completed", output: [item] }));
    });
    server.on("upgrade", (_, socket) => {
      handshakes += 1;
      socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanup.push(() => server.close());
    const codex = adapter(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, { websocket });
    for (let round = 0; round < 2; round++) {
      const answered = streamed(codex, ask()).then(({ text }) => text);
      expect(await answered.catch((error: Error) => error.name)).toBe(outcome);
    }
    expect(handshakes).toBe(outcome === "over HTTP" ? 1 : 2);
  });

  it("G-61 another model closes the socket of the last one, and so does close()", async () => {
    const server = await serve((socket) => answer(socket, "ok"));
    const codex = adapter(server.baseUrl);
    await streamed(codex, ask("m"));
    await streamed(codex, ask("n"));
    await server.closed[0];
    expect(server.connections()).toBe(2);
    await codex.close?.();
    await server.closed[1];
  });

  it("G-61 a silent socket is given up and opened again", async () => {
    const clock = testClock();
    const server = await serve((socket) => {
      if (server.connections() > 1) answer(socket, "awake");
      else queueMicrotask(() => clock.advance(7000));
    });
    const env = { LATHE_CODEX_WEBSOCKET_IDLE_TIMEOUT_MS: "7000" };
    const machine = { setTimer: clock.setTimer };
    expect((await streamed(adapter(server.baseUrl, { machine, env }), ask())).text).toBe("awake");
    expect(server.connections()).toBe(2);
  });

  it("TM-01 an abort and leaving the loop close the socket; a cut after events is an error event", async () => {
    const server = await serve((socket, { model }) => {
      socket.send(JSON.stringify({ type: "response.created", response: { id: "r1", model: "m" } }));
      if (model === "cut") setImmediate(() => socket.terminate());
    });
    const codex = adapter(server.baseUrl);
    const controller = new AbortController();
    const aborted: string[] = [];
    for await (const event of codex.stream(ask(), { signal: controller.signal })) {
      aborted.push(event.type === "error" ? event.error.name : event.type);
      controller.abort();
    }
    expect(aborted).toEqual(["stream_start", "AbortError"]);
    await server.closed[0];
    for await (const _ of codex.stream(ask(), {})) break;
    await server.closed[1];
    const cut: string[] = [];
    for await (const event of codex.stream(ask("cut"), {}))
      cut.push(event.type === "error" ? event.error.name : event.type);
    expect(cut).toEqual(["stream_start", "NetworkError"]);
  });
});
