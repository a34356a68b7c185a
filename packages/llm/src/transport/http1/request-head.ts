// The head of a request as text. Whatever could end a line early or start a second request is refused, never escaped.

import type { TransportRequest } from "../../types/adapter.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { Address } from "./address.ts";

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const NOT_IN_VALUES = /[^\t\x20-\x7e\x80-\xff]/;

/** Latin-1 text. `length` is the size of the body; undefined when there is none. */
export function requestHead(
  { host, path }: Address,
  { method, headers }: Pick<TransportRequest, "method" | "headers">,
  length: number | undefined,
): string {
  const fields = new Map<string, string>([
    ["host", host],
    ["connection", "keep-alive"],
    ["accept-encoding", "gzip"],
  ]);
  for (const [name, value] of Object.entries(headers)) {
    if (!TOKEN.test(name)) throw new ConfigurationError(`"${printable(name)}" cannot be the name of a header.`);
    // Without the value: it may be a key.
    if (NOT_IN_VALUES.test(value))
      throw new ConfigurationError(
        `The header ${name} holds a line break or another character that headers cannot hold; check the key or setting it is made from.`,
      );
    fields.set(name.toLowerCase(), value);
  }
  // How the body is delimited is decided here alone: a second opinion in the same head is how requests get smuggled.
  fields.delete("transfer-encoding");
  fields.delete("content-length");
  if (length !== undefined) fields.set("content-length", String(length));
  let head = `${method} ${path} HTTP/1.1\r\n`;
  for (const [name, value] of fields) head += `${name}: ${value}\r\n`;
  return `${head}\r\n`;
}

function printable(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, "?").slice(0, 80);
}
