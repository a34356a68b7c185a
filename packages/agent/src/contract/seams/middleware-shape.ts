// Whether a value can be used as middleware. What is stored unchecked would make every later input fail.

import { checkFunction, isObject, wrongArgument } from "../wrong-argument.ts";
import type { Middleware } from "./types.ts";

const HOOKS: Readonly<Record<Exclude<keyof Middleware, "name" | "timeoutMs">, true>> = {
  onInput: true,
  beforeRequest: true,
  onOverflow: true,
  onFailure: true,
  onUnreadable: true,
  onStreamEvent: true,
  beforeCall: true,
  approve: true,
  afterCall: true,
  afterRound: true,
  beforeStop: true,
  verdictAtEnd: true,
  beforeSummary: true,
  beforeCompact: true,
  beforeTree: true,
  beforeBranch: true,
  beforeSwitch: true,
};

/** Throws if the value is not middleware. Called before the value is stored. */
export function checkMiddleware(value: unknown): void {
  if (!isObject(value)) throw wrongArgument("middleware", "an object with a name and hooks", value);
  const { name, timeoutMs } = value;
  if (typeof name !== "string") throw wrongArgument("the name of middleware", "a text", name);
  if (timeoutMs !== undefined && typeof timeoutMs !== "number")
    throw wrongArgument(`timeoutMs of the middleware ${name}`, "a number", timeoutMs);
  for (const hook of Object.keys(HOOKS)) checkFunction(`${hook} of the middleware ${name}`, value[hook]);
}

export function checkMiddlewareList(list: unknown): void {
  if (!Array.isArray(list)) throw wrongArgument("middleware", "a list", list);
  for (const one of list) checkMiddleware(one);
}
