// Arguments that arrive as values at JSON paths (`partialArgs`), collected into one object. We never ask for them, but
// a caller's own request may; then the call's text comes only when it is complete.

import type { JsonObject, JsonValue } from "../../types/json.ts";
import { list, object, string } from "../common/json.ts";

type Step = string | number;

export class PartialArguments {
  readonly #root: JsonObject = {};
  /** The path of a string that the next value continues. */
  #continuing: string | undefined;

  add(partialArgs: JsonValue | undefined): void {
    for (const item of list(partialArgs)) {
      const arg = object(item);
      const path = string(arg?.["jsonPath"]);
      if (arg === undefined || path === undefined) continue;
      this.#put(path, argValue(arg));
      this.#continuing = arg["willContinue"] === true ? path : undefined;
    }
  }

  get json(): string {
    return JSON.stringify(this.#root);
  }

  #put(path: string, value: JsonValue): void {
    const steps = stepsOf(path);
    const last = steps.pop();
    if (last === undefined) return;
    let node: JsonObject | JsonValue[] = this.#root;
    steps.forEach((step, index) => {
      const next = index + 1 < steps.length ? steps[index + 1]! : last;
      const present = read(node, step);
      if (typeof present === "object" && present !== null) {
        node = present;
        return;
      }
      const made: JsonObject | JsonValue[] = typeof next === "number" ? [] : {};
      write(node, step, made);
      node = made;
    });
    const before = read(node, last);
    const continues = this.#continuing === path && typeof before === "string" && typeof value === "string";
    write(node, last, continues ? before + value : value);
  }
}

function argValue(arg: JsonObject): JsonValue {
  for (const key of ["stringValue", "numberValue", "boolValue"]) {
    const value = arg[key];
    if (value !== undefined) return value;
  }
  return "nullValue" in arg ? null : "";
}

/** Splits `$.a.b[0]['c d']` into steps. */
function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  for (const [, name, index, quoted] of path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\[['"]([^'"]*)['"]\]/g)) {
    steps.push(index === undefined ? (name ?? quoted ?? "") : Number(index));
  }
  return steps;
}

function read(node: JsonObject | JsonValue[], step: Step): JsonValue | undefined {
  return Object.hasOwn(node, step) ? (node as JsonObject)[String(step)] : undefined;
}

/** Defines the property instead of assigning it, because a key such as `__proto__` is data. */
function write(node: JsonObject | JsonValue[], step: Step, value: JsonValue): void {
  if (Array.isArray(node) && (typeof step !== "number" || step > 100_000)) return;
  Object.defineProperty(node, step, { value, enumerable: true, configurable: true, writable: true });
}
