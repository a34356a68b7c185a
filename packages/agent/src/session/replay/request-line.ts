// How a recording keeps a request, and where a request of a replay differs from it. Bodies are kept as digests: they
// repeat the whole history.

import { createHash } from "node:crypto";
import type { TransportRequest } from "@lathe/llm";
import type { RequestLine } from "./log.ts";

export function requestLine(n: number, request: TransportRequest): RequestLine {
  const fields = n === 0 ? fieldDigests(request) : undefined;
  return {
    t: "request",
    n,
    body: bodyDigest(request),
    url: withoutQuery(request.url),
    ...(fields === undefined ? {} : { fields }),
  };
}

/** Undefined if the request is the recorded one. */
export function differenceOf(
  recorded: RequestLine | undefined,
  n: number,
  request: TransportRequest,
): string | undefined {
  const made = requestLine(n, request);
  if (recorded?.body === made.body) return undefined;
  if (recorded === undefined) return `request ${n} was not made in the recording`;
  const parts: string[] = [];
  if (recorded.url !== undefined && recorded.url !== made.url)
    parts.push(
      `it goes to ${made.url} and went to ${recorded.url} (give the session the same model and baseUrl as in the recording)`,
    );
  if (recorded.fields && made.fields) {
    const { fields } = recorded;
    const names = [...new Set([...Object.keys(fields), ...Object.keys(made.fields)])];
    const other = names.filter((name) => fields[name] !== made.fields?.[name]);
    if (other.length > 0) parts.push(`these fields of its body differ: ${other.join(", ")}`);
  }
  return `request ${n} is not the one that was recorded: ${parts.join("; ") || "its body differs"}`;
}

function bodyDigest(request: TransportRequest): string {
  const hash = createHash("sha256");
  for (const piece of request.body ?? []) hash.update(piece);
  return hash.digest("hex");
}

/** Undefined if the body is not a JSON object. */
function fieldDigests({ body = [] }: TransportRequest): Readonly<Record<string, string>> | undefined {
  const text = body.map((piece) => (typeof piece === "string" ? piece : Buffer.from(piece).toString("utf8"))).join("");
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined; // a vendor with another format
  }
  const digest = (value: unknown): string =>
    createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
  return Object.fromEntries(Object.entries(Object(parsed)).map(([name, value]) => [name, digest(value)]));
}

const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, "").replace(/\/\/[^/@]*@/, "//");
