// A bare HTTP client: it sees bytes and how the connection ended, nothing more. And a minimal request per dialect.

import { type IncomingMessage, request as open } from "node:http";
import type { DialectName, ModelServer } from "../src/index.ts";

export interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly chunks: Buffer[];
  readonly body: string;
  readonly bytes: Buffer;
  /** False when the connection broke before the end of the message. */
  readonly complete: boolean;
}

export interface Sample {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: object;
}

const userText = { role: "user", content: "hi" };

const gemini = (method: string): Sample => ({
  path: `/v1beta/models/gemini-3-flash-preview:${method}`,
  headers: { "x-goog-api-key": "k" },
  body: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
});

const bedrock = (method: string): Sample => ({
  path: `/model/m/${method}`,
  headers: { authorization: "Bearer k" },
  body: { messages: [{ role: "user", content: [{ text: "hi" }] }] },
});

/** A minimal request of each dialect that the strict server takes. */
export function sample(dialect: DialectName, stream: boolean): Sample {
  const headers = { authorization: "Bearer k" };
  switch (dialect) {
    case "anthropic":
      return {
        path: "/v1/messages",
        headers: { "x-api-key": "k", "anthropic-version": "2023-06-01" },
        body: { model: "m", max_tokens: 9, messages: [userText], stream },
      };
    case "responses":
      return { path: "/v1/responses", headers, body: { model: "m", input: "hi", stream } };
    case "chat":
      return { path: "/v1/chat/completions", headers, body: { model: "m", messages: [userText], stream } };
    case "gemini":
      return gemini(stream ? "streamGenerateContent?alt=sse" : "generateContent");
    case "bedrock":
      return bedrock(stream ? "converse-stream" : "converse");
    case "ollama":
      return { path: "/api/chat", headers: {}, body: { model: "m", messages: [userText], stream } };
  }
}

export const dialectNames: readonly DialectName[] = ["anthropic", "responses", "chat", "gemini", "bedrock", "ollama"];

/** Sends a request and reads until the end, a break, or until `leave` says so (then it hangs up). */
export function send(server: ModelServer, { path, headers, body }: Sample, leave?: (chunks: Buffer[]) => boolean) {
  return new Promise<Answer>((resolve) => {
    const chunks: Buffer[] = [];
    let incoming: IncomingMessage | undefined;
    const done = (complete: boolean) => {
      const bytes = Buffer.concat(chunks);
      const head = { status: incoming?.statusCode, headers: incoming?.headers ?? {} };
      resolve({ ...head, chunks, bytes, body: bytes.toString("utf8"), complete });
    };
    const outgoing = open(server.url + path, { method: "POST", headers, agent: false });
    outgoing.on("error", () => done(false));
    outgoing.on("response", (response) => {
      incoming = response;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        if (leave?.(chunks)) outgoing.destroy();
      });
      response.on("error", () => done(false));
      response.on("end", () => done(true));
    });
    outgoing.end(JSON.stringify(body));
  });
}
