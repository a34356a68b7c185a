// Answers of a hostile or broken model server: a vendor's own stream with values replaced, events dropped, repeated,
// swapped and mixed, cut connections, absurd sizes, and HTTP errors whose bodies have no known shape.

import {
  call,
  type ModelTurn,
  redactedThinking,
  type StreamPart,
  type Turn,
  text,
  thinking,
  turn,
} from "@lathe/testkit";
import type { Chance } from "./chance.ts";
import { hostileNumber, hostileText, hostileValue, INHERITED } from "./hostile-values.ts";

export function hostileAnswer(chance: Chance): Turn {
  const kind = chance.below(100);
  if (kind < 55) return { ...vendorTurn(chance), edit: (parts) => editedParts(chance, parts) };
  if (kind < 65) return { ...vendorTurn(chance), ...wireOptions(chance) };
  if (kind < 80) return strangeStatus(chance);
  if (kind < 99) return strangeBody(chance);
  return { ...vendorTurn(chance), fault: { kind: "stall", afterEvents: chance.below(4) } };
}

/** A vendor's answer with words and names that a server should not be trusted with. */
function vendorTurn(chance: Chance): ModelTurn {
  const blocks = [
    ...(chance.percent(40) ? [thinking(hostileText(chance))] : []),
    ...(chance.percent(5) ? [redactedThinking(hostileText(chance))] : []),
    ...chance.list(2, () => text(hostileText(chance))),
    ...chance.list(3, () => call(callOf(chance))),
  ];
  // Long ids are repeated in every chunk; with chunks of one character, our own server would be the slow one.
  const names = chance.percent(10) ? { id: hostileText(chance), model: hostileText(chance) } : undefined;
  return turn.blocks(blocks.length === 0 ? [text("x")] : blocks, {
    deltaChars: chance.pick([names === undefined ? 1 : 61, 16, 100_000]),
    ...(chance.percent(10) ? { rawStop: chance.pick([...INHERITED, "\u001b[31m", ""]) } : {}),
    ...names,
  });
}

/** Calls that can do no harm, since the run is read-only. */
function callOf(chance: Chance): { name: string; rawArgs: string; id?: string } {
  const rawArgs = chance.pick([
    '{"file_path":"a.txt"}',
    '{"command":"true"}',
    "",
    "null",
    '"text"',
    '{"file_path":"a.txt"',
    '{"__proto__":{"file_path":"a.txt"}}',
    `${"[".repeat(5_000)}${"]".repeat(5_000)}`,
    '{"file_path":"\\ud800\\u001b[31m"}',
    JSON.stringify({ file_path: hostileText(chance) }),
  ]);
  const name = chance.pick(["read_file", "read", "shell", ...INHERITED, "", hostileText(chance)]);
  return {
    name,
    rawArgs,
    ...(chance.percent(30) ? { id: chance.pick(["same", "", ...INHERITED, hostileText(chance)]) } : {}),
  };
}

function editedParts(chance: Chance, parts: StreamPart[]): StreamPart[] {
  const edited = [...parts];
  for (let edits = 1 + chance.below(4); edits > 0 && edited.length > 0; edits--) {
    const at = chance.below(edited.length);
    const part = edited[at]!;
    switch (chance.below(8)) {
      case 0:
        edited.splice(at, 1);
        break;
      case 1:
        edited.splice(at, 0, ...Array.from({ length: chance.pick([1, 1, 50]) }, () => part));
        break;
      case 2:
        edited.splice(chance.below(edited.length), 0, ...edited.splice(at, 1));
        break;
      case 3:
        edited.splice(at, 0, ...parts.slice(0, 1 + chance.below(parts.length)));
        break;
      case 4:
        edited[at] = {
          ...part,
          data: chance.pick<unknown>([null, 5, [], "", "{", "[DONE]", hostileText(chance)]) as never,
        };
        break;
      case 5:
        edited[at] = { ...part, event: hostileText(chance).replace(/[\r\n]/g, " ") };
        break;
      default:
        edited[at] = { ...part, data: withAnotherValue(chance, part.data) as never };
    }
  }
  return edited;
}

/** A copy with one value, somewhere inside, replaced. */
function withAnotherValue(chance: Chance, value: unknown): unknown {
  if (typeof value !== "object" || value === null || chance.percent(15)) {
    if (typeof value === "number" && chance.percent(60)) return hostileNumber(chance);
    return typeof value === "string" && chance.percent(60) ? hostileText(chance) : hostileValue(chance);
  }
  const keys = Object.keys(value);
  if (keys.length === 0) return hostileValue(chance);
  const key = chance.pick(keys);
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  copy[key] = withAnotherValue(chance, (value as Record<string, unknown>)[key]);
  return copy;
}

function wireOptions(chance: Chance): Partial<ModelTurn> {
  return chance.pick<Partial<ModelTurn>>([
    { fault: { kind: "cut", at: chance.pick(["before-head", "after-head", "after-first-byte", "inside-json"]) } },
    { fault: { kind: "cut", at: { bytes: chance.below(3_000) } } },
    { fault: { kind: "malformed", beforeEvent: chance.below(3), line: hostileText(chance) } },
    { fault: { kind: "wrong-length", by: chance.pick([-5, 5, 1_000]) } },
    { fault: { kind: "duplicate-terminal" } },
    { fault: { kind: "missing-terminal" } },
    { fault: { kind: "stream-error", afterEvents: chance.below(3), message: hostileText(chance) } },
    { chunk: 61, crlf: true, pings: true },
    { gzip: true },
  ]);
}

const STATUSES = [400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529, 418, 300, 599];

function strangeStatus(chance: Chance): Turn {
  const retryAfter = chance.pick(["0", "-1", "99999999999", "NaN", "soon", "Thu, 01 Jan 1970 00:00:00 GMT"]);
  return {
    kind: "raw",
    status: chance.pick(STATUSES),
    headers: {
      "content-type": chance.pick(["application/json", "text/html", "image/png", "x"]),
      ...(chance.percent(20) ? { "retry-after": retryAfter } : {}),
    },
    chunks: [errorBody(chance)],
    after: "end",
  };
}

function errorBody(chance: Chance): string {
  const message = chance.percent(50) ? hostileText(chance) : hostileValue(chance);
  return chance.pick([
    "",
    "null",
    "[]",
    '"\\u001b[31m"',
    "{",
    `<html>${hostileText(chance)}</html>`,
    JSON.stringify(hostileValue(chance)),
    JSON.stringify({ error: hostileValue(chance) }),
    JSON.stringify({
      error: { message, type: hostileValue(chance), code: hostileValue(chance), details: hostileValue(chance) },
    }),
    JSON.stringify([{ error: { message, status: hostileText(chance) } }]),
    JSON.stringify({ type: "error", error: { type: "overloaded_error", message } }),
    hostileText(chance),
  ]);
}

/** Status 200 followed by something that is not a stream of this vendor. */
function strangeBody(chance: Chance): Turn {
  const chunks = chance.list(4, () =>
    chance.pick<string | Uint8Array>([
      hostileText(chance),
      `data: ${hostileText(chance)}\n\n`,
      `data: ${JSON.stringify(hostileValue(chance))}\n\n`,
      `event: error\ndata: ${errorBody(chance)}\n\n`,
      `${JSON.stringify(hostileValue(chance))}\n`,
      "data: [DONE]\n\n",
      ":\n\n",
      "\n".repeat(5_000),
      `data: ${"x".repeat(300_000)}`,
      Uint8Array.from({ length: 64 }, () => chance.below(256)),
      Uint8Array.from([0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ]),
  );
  const types = [
    "text/event-stream",
    "application/json",
    "application/x-ndjson",
    "application/vnd.amazon.eventstream",
    "x",
  ];
  const encoding = chance.percent(5) ? { "content-encoding": chance.pick(["gzip", "br", "x"]) } : {};
  return {
    kind: "raw",
    status: 200,
    headers: { "content-type": chance.pick(types), ...encoding },
    chunks,
    after: chance.percent(80) ? "end" : "reset",
  };
}
