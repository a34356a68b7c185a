// Strictness is tested in pairs: a request that the vendor's own SDK serialised is accepted, and the same bytes with one
// change are refused.

import type { ModelServer, RecordedRequest } from "../src/index.ts";

// biome-ignore lint/suspicious/noExplicitAny: a mutation reaches into a vendor's body wherever it likes
export type Mutation = (body: any) => void;

/** Rule, change, and a fragment of the refusal's message. */
export type Rule = readonly [title: string, change: Mutation, message: string];

export async function resend(server: ModelServer, original: RecordedRequest, change: Mutation, path?: string) {
  const body = structuredClone(original.body);
  change(body);
  const response = await fetch(server.url + (path ?? original.path), {
    method: "POST",
    headers: headersOf(original),
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

export function headersOf(request: RecordedRequest): Record<string, string> {
  const own = ["host", "content-length", "connection", "accept-encoding", "transfer-encoding"];
  const kept = Object.entries(request.headers).filter(([name]) => !own.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Sets the field at a path such as `messages.0.content`. */
export function set(path: string, value: unknown): Mutation {
  return (body) => {
    const { owner, key } = locate(body, path);
    owner[key] = value;
  };
}

/** Removes the field or list item at a path. */
export function drop(path: string): Mutation {
  return (body) => {
    const { owner, key } = locate(body, path);
    if (Array.isArray(owner)) owner.splice(Number(key), 1);
    else delete owner[key];
  };
}

function locate(body: Parameters<Mutation>[0], path: string) {
  const steps = path.split(".");
  const key = steps.pop()!;
  const owner = steps.reduce((value, step) => value[step], body);
  if (owner === undefined) throw new Error(`no such place in the request: ${path}`);
  return { owner, key };
}
