// The refusal of a wrong argument. Hosts in JavaScript have no compiler that would report one.

import { inspect } from "node:util";
import { SessionError } from "./session-error.ts";

const shownValue = (value: unknown): string =>
  inspect(value, {
    depth: 0,
    customInspect: false,
    breakLength: Number.POSITIVE_INFINITY,
    maxArrayLength: 5,
    maxStringLength: 60,
  });

/** One line: `submit: the options must be an object, not null`. */
export function wrongArgument(what: string, wanted: string, value: unknown): SessionError {
  return new SessionError("config", `${what} must be ${wanted}, not ${shownValue(value)}`);
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Throws unless the options are absent or an object. */
export function checkOptions(what: string, options: unknown): void {
  if (options !== undefined && !isObject(options)) throw wrongArgument(`${what}: the options`, "an object", options);
}

export function checkText(what: string, value: unknown): void {
  if (typeof value !== "string" || value.trim() === "") throw wrongArgument(what, "a text that is not empty", value);
}

export function checkFunction(what: string, value: unknown): void {
  if (value !== undefined && typeof value !== "function") throw wrongArgument(what, "a function", value);
}
