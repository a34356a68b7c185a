// Checks a server's answers before a terminal shows them: the address may lead to another program, or to another
// version of `lathe serve`.

import { Checker, type Schema } from "@lathe/llm/schema";
import { COMMANDS } from "../../hosts/rpc/commands.ts";
import { EVENTS } from "../../hosts/wire/events.ts";
import type { DoorFrame } from "../door/door.ts";
import { ROUTES } from "../serve/api.ts";
import type { AnswerTo } from "../serve/client.ts";

const checkers = new WeakMap<Schema, Checker<unknown>>();

/** Returns what is wrong; undefined if the answer is valid. */
export function wrongInAnswer(to: AnswerTo, value: unknown): string | undefined {
  if ("command" in to) return wrongIn(COMMANDS[to.command].data, value);
  const route = ROUTES[to.route];
  const wrong = "data" in route ? wrongIn(route.data, value) : undefined;
  return wrong ?? (to.route === "events" ? wrongInEvents(value as DoorFrame) : undefined);
}

function wrongInEvents(frame: DoorFrame): string | undefined {
  const events = frame.kind === "event" ? [frame.event] : frame.kind === "snapshot" ? frame.snapshot.running : [];
  for (const event of events) {
    // Event types unknown to this version are not shown, so they need no check.
    const schema = Object.hasOwn(EVENTS, event.type) ? EVENTS[event.type] : undefined;
    const wrong = schema && wrongIn(schema, event);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function wrongIn(schema: Schema, value: unknown): string | undefined {
  let checker = checkers.get(schema);
  if (!checker) {
    checker = new Checker(schema, { acceptsUnknown: true, hidesValues: true });
    checkers.set(schema, checker);
  }
  return checker.wrongIn(value);
}
