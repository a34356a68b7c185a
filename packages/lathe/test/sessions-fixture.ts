// Session files written by the journal itself, for tests of their readers.

import { join } from "node:path";
import { FileBlobs, FileStore, Journal, type JournalDeps } from "@lathe/agent";
import { idSource, type NewEntry, processStartTime, sessionPath } from "@lathe/agent/record";
import { Message } from "@lathe/llm";

export interface MadeSession {
  readonly id: string;
  readonly path: string;
  readonly journal: Journal;
}

export interface SessionMaker {
  readonly home: string;
  readonly deps: JournalDeps;
  /** The session is open for writing until it is closed. */
  make(options?: {
    cwd?: string;
    id?: string;
    at?: number;
    path?: string;
    parentCall?: string;
    agentId?: string;
  }): MadeSession;
}

export function sessionMaker(home: string, cwd: string): SessionMaker {
  let clock = Date.parse("2026-03-01T10:00:00.000Z");
  const now = (): number => (clock += 1000);
  const deps: JournalDeps = { blobs: new FileBlobs(join(home, "blobs"), "test"), now, newId: idSource(Math.random) };
  return {
    home,
    deps,
    make: ({ id = crypto.randomUUID(), at, path: given, ...rest } = {}) => {
      if (at !== undefined) clock = at;
      const timestamp = new Date(now()).toISOString();
      const where = rest.cwd ?? cwd;
      const path = given ?? sessionPath(join(home, "sessions"), where, timestamp, id);
      const journal = Journal.create({ ...rest, id, cwd: where, timestamp }, () => openStore(path), deps);
      return { id, path, journal };
    },
  };
}

export function openStore(path: string, host = "test"): FileStore {
  const owner = { pid: process.pid, host, startTime: processStartTime(process.pid), token: crypto.randomUUID() };
  return new FileStore(path, { owner, create: true });
}

export const user = (text: string): NewEntry => ({ type: "message", message: Message.user(text), origin: "input" });

export const answer = (text: string, cost = 0.01): NewEntry => ({
  type: "message",
  message: Message.assistant(text),
  provider: "acme",
  model: "m-1",
  usage: { inputTokens: 1000, outputTokens: 50, totalTokens: 1050, cacheReadTokens: 800 },
  cost,
  finishReason: { reason: "stop" },
});

export const call = (id: string, name: string, args: Record<string, string>, text = ""): NewEntry => ({
  type: "message",
  message: Message.assistant([
    ...(text === "" ? [] : [{ kind: "text" as const, text }]),
    { kind: "tool_call", toolCall: { id, name, arguments: args, type: "function" } },
  ]),
  provider: "acme",
  model: "m-1",
  usage: { inputTokens: 2000, outputTokens: 80, totalTokens: 2080 },
  cost: 0.002,
  finishReason: { reason: "tool_calls" },
});

export const result = (
  toolCallId: string,
  content: string,
  more: Partial<Extract<NewEntry, { type: "message" }>> & { isError?: boolean } = {},
): NewEntry => {
  const { isError = false, ...rest } = more;
  return { type: "message", message: Message.toolResult({ toolCallId, content, isError }), durationMs: 42, ...rest };
};

/** A conversation of one prompt and one answer, closed. */
export async function saySomething(
  maker: SessionMaker,
  prompt: string,
  reply: string,
  options = {},
): Promise<MadeSession> {
  const made = maker.make(options);
  made.journal.append(user(prompt));
  made.journal.append(answer(reply));
  await made.journal.close();
  return made;
}
