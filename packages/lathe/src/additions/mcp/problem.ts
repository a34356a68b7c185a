// A server's error in one line.

import { messageOf } from "@lathe/llm";

const ENDLESS = /^(\w+)\/list: exceeded listMaxPages \((\d+)\)/;
const INVALID = /^Invalid result for (\S+): (\[.*\])$/s;

/** Shortens the protocol package's message, which contains its whole list of errors. */
export function problemOf(error: unknown): string {
  const message = messageOf(error);
  const [, listed, pages] = ENDLESS.exec(message) ?? [];
  if (listed !== undefined) return `its list of ${listed} has no end: it went on after ${pages} pages`;
  const [, method, list = ""] = INVALID.exec(message) ?? [];
  if (method === undefined) return message;
  const [first] = JSON.parse(list) as readonly { readonly path?: readonly unknown[]; readonly message?: string }[];
  const where = (first?.path ?? []).join(".");
  return `its answer to ${method} is not what the protocol says: ${where === "" ? "" : `${where}: `}${first?.message ?? ""}`;
}
