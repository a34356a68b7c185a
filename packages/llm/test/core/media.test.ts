import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startModelServer, turn } from "@lathe/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InvalidRequestError, type ProviderError } from "../../src/types/errors.ts";
import { type ContentPart, Message, type Role } from "../../src/types/message.ts";
import { ALL, ANTHROPIC, BEDROCK, CHAT, clientFor, type DialectCase, GEMINI, OPENAI, testDeps } from "./support.ts";

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const BASE64 = Buffer.from(PNG).toString("base64");

const PARTS: Readonly<Record<string, ContentPart>> = {
  text: { kind: "text", text: "words" },
  image: { kind: "image", image: { data: PNG } },
  audio: { kind: "audio", audio: { data: PNG, mediaType: "audio/wav" } },
  document: { kind: "document", document: { data: PNG, mediaType: "application/pdf" } },
  tool_call: { kind: "tool_call", toolCall: { id: "c1", name: "f", arguments: {}, type: "function" } },
  tool_result: { kind: "tool_result", toolResult: { toolCallId: "c1", content: "r", isError: false } },
  thinking: { kind: "thinking", thinking: { text: "hm", redacted: false } },
  redacted_thinking: { kind: "redacted_thinking", thinking: { text: "", redacted: true } },
};
const ALLOWED: Readonly<Record<Role, readonly string[]>> = {
  system: ["text"],
  developer: ["text"],
  user: ["text", "image", "audio", "document"],
  assistant: ["text", "image", "tool_call", "thinking", "redacted_thinking"],
  tool: ["text", "tool_result"],
};
const FORTY = (Object.keys(ALLOWED) as Role[]).flatMap((role) =>
  Object.keys(PARTS).map((kind) => ({ role, kind, allowed: ALLOWED[role].includes(kind) })),
);

describe("parts and roles", () => {
  it.each(FORTY)("DM-02 $kind in $role: allowed $allowed", async ({ role, kind, allowed }) => {
    await using server = await startModelServer({ strict: false, script: () => turn.text("ok") });
    const part = PARTS[kind] as ContentPart;
    const before = role === "tool" ? [Message.user("x"), Message.assistant([PARTS["tool_call"] as ContentPart])] : [];
    const request = { model: GEMINI.model, messages: [...before, { role, content: [part] }] };
    const outcome = await clientFor(GEMINI, server)
      .complete(request)
      .then(
        () => undefined,
        (error: unknown) => error as Error,
      );
    if (allowed) {
      expect(outcome).toBeUndefined();
      return;
    }
    expect(outcome).toBeInstanceOf(InvalidRequestError);
    expect(outcome?.message).toContain(kind);
    expect(outcome?.message).toContain(role);
    expect(server.requests).toHaveLength(0);
  });
});

describe("media", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "media-"));
    await writeFile(join(folder, "shot.png"), PNG);
  });
  afterAll(() => rm(folder, { recursive: true }));

  const URL_IMAGE = "https://example.com/a.png";
  const DATA_URL = `data:image/png;base64,${BASE64}`;
  const wire = {
    openai: (url: string) => ({ type: "input_image", image_url: url }),
    compatible: (url: string) => ({ type: "image_url", image_url: { url } }),
  };
  const GOLDENS = [
    {
      one: OPENAI,
      at: (body: Body) => body.input[0].content[1],
      inline: wire.openai(`data:image/png;base64,${BASE64}`),
      remote: wire.openai(URL_IMAGE),
    },
    {
      one: CHAT,
      at: (body: Body) => body.messages[0].content[1],
      inline: wire.compatible(`data:image/png;base64,${BASE64}`),
      remote: wire.compatible(URL_IMAGE),
    },
    {
      one: ANTHROPIC,
      at: (body: Body) => withoutMarker(body.messages[0].content[1]),
      inline: { type: "image", source: { type: "base64", media_type: "image/png", data: BASE64 } },
      remote: { type: "image", source: { type: "url", url: URL_IMAGE } },
    },
    {
      one: GEMINI,
      at: (body: Body) => body.contents[0].parts[1],
      inline: { inlineData: { mimeType: "image/png", data: BASE64 } },
      remote: { fileData: { mimeType: "image/png", fileUri: URL_IMAGE } },
    },
  ];

  it.each(GOLDENS)(
    "DM-03 A-020 A-103 A-104 one PNG as bytes, file, data URL and URL for $one.provider",
    async (golden) => {
      await using server = await startModelServer({ strict: false, script: () => turn.text("ok") });
      const deps = testDeps({ homeDir: folder });
      const client = clientFor(golden.one, server, { deps });
      const inline = [{ data: PNG }, { url: join(folder, "shot.png") }, { url: "~/shot.png" }, { url: DATA_URL }];
      for (const image of [...inline, { url: URL_IMAGE }])
        await client.complete({
          model: golden.one.model,
          messages: [
            Message.user([
              { kind: "text", text: "see" },
              { kind: "image", image },
            ]),
          ],
        });
      const sent = server.requests.map((request) => golden.at(request.body as Body));
      expect(sent).toEqual([...inline.map(() => golden.inline), golden.remote]);
    },
  );

  it("DM-03 a data URL is bytes: vendors that take no addresses get it, and its size and type are checked", async () => {
    await using server = await startModelServer({ strict: false, script: () => turn.text("ok") });
    const send = (one: DialectCase, url: string) =>
      clientFor(one, server).complete({
        model: one.model,
        messages: [Message.user([{ kind: "image", image: { url } }])],
      });
    for (const one of ALL) await send(one, DATA_URL);
    for (const { text } of server.requests) expect(text).toContain(BASE64);
    await expect(send(ANTHROPIC, `data:;base64,${"A".repeat(6 * 1024 * 1024)}`)).rejects.toThrow("over the limit");
    await expect(send(OPENAI, "data:image/tiff;base64,AQID")).rejects.toThrow("does not accept image/tiff");
    await expect(send(OPENAI, "data:image/png;base64")).rejects.toThrow(InvalidRequestError);
    expect(server.requests).toHaveLength(ALL.length);
  });

  it("DM-03 a text file with an extension that nobody knows is sent as text under its name, not as a PDF", async () => {
    await writeFile(join(folder, "notes.rst"), "Größe");
    await writeFile(join(folder, "paper"), Uint8Array.of(0xff, 0, 1));
    await using server = await startModelServer({ strict: false, script: () => turn.text("ok") });
    for (const name of ["notes.rst", "paper"])
      await clientFor(OPENAI, server).complete({
        model: OPENAI.model,
        messages: [Message.user([{ kind: "document", document: { url: join(folder, name) } }])],
      });
    const sent = server.requests.map(({ body }) => (body as Body).input[0].content[0]);
    expect(sent).toMatchObject([
      { filename: "notes.rst", file_data: expect.stringMatching(/^data:text\/plain;/) },
      { filename: "paper", file_data: expect.stringMatching(/^data:application\/pdf;/) },
    ]);
  });

  it("DM-03 a file is read once per message, so that the prefix cannot change", async () => {
    await using server = await startModelServer({ strict: false, script: () => turn.text("ok") });
    let reads = 0;
    const deps = testDeps({
      readFile: async () => {
        reads++;
        return PNG;
      },
    });
    const client = clientFor(OPENAI, server, { deps });
    const message = Message.user([{ kind: "image", image: { url: "/a/b.png" } }]);
    await client.complete({ model: OPENAI.model, messages: [message] });
    await client.complete({ model: OPENAI.model, messages: [message, Message.user("more")] });
    expect(reads).toBe(1);
  });

  it("DM-03 a server can refuse the files that messages name, and still read those of its settings", async () => {
    await using server = await startModelServer();
    const readMedia = () => Promise.reject(new Error("refused"));
    const client = clientFor(OPENAI, server, { deps: testDeps({ readFile: async () => PNG, readMedia }) });
    const message = Message.user([{ kind: "image", image: { url: "/a/b.png" } }]);
    await expect(client.complete({ model: OPENAI.model, messages: [message] })).rejects.toThrow("/a/b.png");
    expect(server.requests).toHaveLength(0);
  });

  it("DM-03 a missing file is named and nothing is sent", async () => {
    await using server = await startModelServer();
    const message = Message.user([{ kind: "image", image: { url: "./nowhere/gone.png" } }]);
    await expect(clientFor(OPENAI, server).complete({ model: "m", messages: [message] })).rejects.toThrow(
      "./nowhere/gone.png",
    );
    expect(server.requests).toHaveLength(0);
  });

  it("DM-03 neither or both of url and data are refused", async () => {
    await using server = await startModelServer();
    for (const image of [{}, { url: "https://x/y.png", data: PNG }]) {
      const messages = [Message.user([{ kind: "image" as const, image }])];
      await expect(clientFor(OPENAI, server).complete({ model: "m", messages })).rejects.toThrow(/exactly one/);
    }
    expect(server.requests).toHaveLength(0);
  });

  it("DM-03 6 MB for anthropic, 21 MB for openai and 4 MB for bedrock are refused before sending", async () => {
    await using server = await startModelServer();
    for (const [one, megabytes] of [
      [ANTHROPIC, 6],
      [OPENAI, 21],
      [BEDROCK, 4],
    ] as const) {
      const data = new Uint8Array(megabytes * 1024 * 1024);
      const messages = [Message.user([{ kind: "image", image: { data } }])];
      await expect(clientFor(one, server).complete({ model: one.model, messages })).rejects.toThrow(
        InvalidRequestError,
      );
    }
    expect(server.requests).toHaveLength(0);
  });

  it.each(ALL.filter(({ dialect }) => dialect !== "ollama"))(
    "DM-03 the common misspelling image/jpg is accepted by $provider",
    async (one) => {
      await using server = await startModelServer({ script: [turn.text("a dot")] });
      const image = { data: PNG, mediaType: "image/jpg" };
      const messages = [Message.user([{ kind: "image", image }])];
      await clientFor(one, server).complete({ model: one.model, messages });
      expect(server.requests[0]?.text).toContain("jpeg");
      expect(server.requests[0]?.text).not.toContain("jpg");
    },
  );

  it("DM-03 a file of a kind that no vendor takes is refused by its name, not sent as something else", async () => {
    await writeFile(join(folder, "scan.tiff"), PNG);
    await using server = await startModelServer({ script: [] });
    const messages = [Message.user([{ kind: "image", image: { url: join(folder, "scan.tiff") } }])];
    await expect(clientFor(OPENAI, server).complete({ model: OPENAI.model, messages })).rejects.toThrow(
      "openai does not accept image/tiff images",
    );
  });

  it("DM-03 heic goes to gemini only", async () => {
    await using server = await startModelServer({ strict: false, script: () => turn.text("ok") });
    const messages = [Message.user([{ kind: "image", image: { data: PNG, mediaType: "image/heic" } }])];
    for (const one of ALL) {
      const outcome = clientFor(one, server).complete({ model: one.model, messages });
      if (one === GEMINI) await outcome;
      else await expect(outcome, one.provider).rejects.toMatchObject({ errorCode: "unsupported_content" });
    }
    expect(server.requests).toHaveLength(1);
  });

  it("DM-03 A-021 audio is a golden or a graceful refusal", async () => {
    await using server = await startModelServer({ strict: false, script: () => turn.text("ok") });
    const messages = [Message.user([{ kind: "audio", audio: { data: PNG, mediaType: "audio/wav" } }])];
    const outcomes: Record<string, unknown> = {};
    for (const one of [OPENAI, ANTHROPIC, GEMINI, CHAT])
      outcomes[one.provider] = await clientFor(one, server)
        .complete({ model: one.model, messages })
        .then(
          () => JSON.stringify(server.requests.at(-1)?.body).includes(BASE64),
          (error: ProviderError) => error.errorCode,
        );
    expect(outcomes).toEqual({
      openai: "unsupported_content",
      anthropic: "unsupported_content",
      gemini: true,
      compatible: true,
    });
  });
});

// biome-ignore lint/suspicious/noExplicitAny: vendor bodies of four shapes, reached into by path
type Body = any;

function withoutMarker({ cache_control: _, ...block }: Record<string, unknown>) {
  return block;
}
