// Every failure of a call says what a host can do about it, in one word of a closed list.

import { startModelServer, turn } from "@lathe/testkit";
import { describe, expect, expectTypeOf, it } from "vitest";
import { classifyHttpFailure } from "../../src/errors/classify.ts";
import { createProvider } from "../../src/providers/index.ts";
import * as errors from "../../src/types/errors.ts";
import { Message } from "../../src/types/message.ts";
import type { Request } from "../../src/types/request.ts";
import { ALL, clientFor, collect, OPENAI, testDeps } from "./support.ts";

const KINDS = [
  ...(["rate_limit", "overloaded", "credential", "auth", "quota", "overflow", "refused", "invalid", "config"] as const),
  ...(["network", "timeout", "cancelled", "bug"] as const),
];

const statusFailure = (status: number) =>
  classifyHttpFailure({ provider: "p", status, headers: { location: "https://elsewhere" }, body: "", now: 0 });

const failing = async (call: Promise<unknown>): Promise<errors.SDKError> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(errors.SDKError);
  return error as errors.SDKError;
};

describe("kinds", () => {
  it("ER-01 the list is closed", () => {
    expectTypeOf<(typeof KINDS)[number]>().toEqualTypeOf<errors.ErrorKind>();
  });

  it.each([
    [301, "config"],
    [400, "invalid"],
    [401, "auth"],
    [403, "auth"],
    [404, "invalid"],
    [408, "timeout"],
    [409, "invalid"],
    [413, "overflow"],
    [418, "invalid"],
    [422, "invalid"],
    [429, "rate_limit"],
    [451, "invalid"],
    [500, "overloaded"],
    [503, "overloaded"],
    [529, "overloaded"],
    [599, "overloaded"],
  ] as const)("ER-02 ER-03 status %i is %s", (status, kind) => {
    expect(statusFailure(status).kind).toBe(kind);
  });

  it("ER-03 no status of a server is a bug of ours", () => {
    for (let status = 300; status < 700; status++) {
      const { kind } = statusFailure(status);
      expect(KINDS).toContain(kind);
      expect(kind).not.toBe("bug");
    }
  });
});

describe.each(ALL)("what goes wrong on the way to $provider", (one) => {
  const ask = { model: one.model, messages: [Message.user("hi")] };
  const both = (client: ReturnType<typeof clientFor>, request: Request = ask) => [
    client.complete(request),
    collect(client.stream(request)),
  ];

  it("ER-02 a credential that cannot be had is credential, and keeps its cause", async () => {
    await using server = await startModelServer({ script: [] });
    const cause = new Error("the vault is locked");
    const client = clientFor(one, server, { auth: () => Promise.reject(cause) });
    for (const call of both(client)) {
      const error = await failing(call);
      expect([error.name, error.kind, error.retryable, error.cause]).toEqual([
        "CredentialError",
        "credential",
        false,
        cause,
      ]);
      expect(error.message).toContain("the vault is locked");
    }
    expect(server.requests).toEqual([]);
  });

  it("ER-02 a transport that rejects with anything is network", async () => {
    await using server = await startModelServer({ script: [] });
    const fetch = () => Promise.reject(new TypeError("fetch failed"));
    const client = clientFor(one, server, { deps: testDeps({ fetch }) });
    for (const call of both(client)) {
      const error = await failing(call);
      expect([error.name, error.kind, error.retryable]).toEqual(["NetworkError", "network", true]);
    }
  });

  it("ER-02 what nobody foresaw is a bug, and keeps its cause", async () => {
    await using server = await startModelServer({ script: [] });
    const broken = { ...ask, messages: [{ role: "user" } as unknown as Message] };
    for (const call of both(clientFor(one, server), broken)) {
      const error = await failing(call);
      expect([error.name, error.kind, error.retryable]).toEqual(["UnexpectedError", "bug", false]);
      expect(error.cause).toBeInstanceOf(TypeError);
    }
  });

  it("ER-02 an answer that breaks off is network, whole or streamed", async () => {
    const cut = turn.withFault({ kind: "cut", at: { bytes: 20 } });
    await using server = await startModelServer({ script: [cut, cut] });
    const client = clientFor(one, server);
    expect((await failing(client.complete(ask))).kind).toBe("network");
    const events = await collect(client.stream(ask)).catch((error: errors.SDKError) => [{ type: "error", error }]);
    const last = events.at(-1) as { type: string; error: errors.SDKError };
    expect([last.type, last.error.kind]).toEqual(["error", "network"]);
  });
});

it("CT-03 a provider without a key is credential before anything is sent", async () => {
  await using server = await startModelServer({ script: [] });
  const openai = createProvider("openai", { deps: testDeps(), baseUrl: server.baseUrl("openai") });
  const error = await failing(openai.complete({ model: OPENAI.model, messages: [Message.user("hi")] }, {}));
  expect([error.name, error.kind]).toEqual(["CredentialError", "credential"]);
  expect(error).toBeInstanceOf(errors.ConfigurationError);
  expect(server.requests).toEqual([]);
});
