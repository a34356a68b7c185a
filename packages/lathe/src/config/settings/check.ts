// Checks whether a value is valid for a key. Pure; the messages are written for the user.

import { readRule } from "@lathe/agent/policy";
import { isJsonObject } from "@lathe/llm";
import { Checker, type Schema, type TextFormat } from "@lathe/llm/schema";
import { nearest } from "../../platform/usage/nearest.ts";
import { isSettingKey, SETTINGS, type SettingKey } from "./schema.ts";
import { wrongInScopedList } from "./scoped.ts";
import { kindOf } from "./setting-kinds.ts";

export interface SettingProblem {
  readonly key: string;
  readonly message: string;
  /** Unknown keys are reported and skipped; invalid values stop the start. */
  readonly severity: "warning" | "error";
}

const FORMATS: Readonly<Record<string, TextFormat>> = {
  "http-address": {
    expects: "an address such as https://api.example.com/v1, or empty",
    check: (value) => value === "" || isHttpAddress(value),
  },
  "permission-rule": {
    expects: "a rule such as shell(git log *)",
    check: (value) => {
      const read = readRule(value);
      return "problem" in read ? `it ${read.problem}` : true;
    },
  },
  // A folder must mean the same wherever the user starts the command.
  "absolute-folder": {
    expects: "a folder that begins with / or ~/",
    check: (path) => path.startsWith("/") || path === "~" || path.startsWith("~/"),
  },
};

/** The problem, in a sentence that begins with the key; undefined if the value is valid. */
export function checkValue(key: SettingKey, value: unknown): string | undefined {
  const schema: Schema = SETTINGS[key];
  const wrong = new Checker(schema, { formats: FORMATS }).wrongIn(value, key);
  return wrong ?? (kindOf(schema) === "scoped" ? wrongInScopedList(key, value as readonly unknown[]) : undefined);
}

/** Flattens nested YAML to dotted keys, and collects the problems it finds. */
export function flatten(tree: unknown): { values: Map<SettingKey, unknown>; problems: SettingProblem[] } {
  const values = new Map<SettingKey, unknown>();
  const problems: SettingProblem[] = [];
  const visit = (node: unknown, prefix: string): void => {
    if (!isJsonObject(node)) return;
    for (const [name, value] of Object.entries(node)) {
      if (name === "$schema") continue; // a schema reference for editors
      const key = prefix === "" ? name : `${prefix}.${name}`;
      const parts = isSettingKey(key) ? [] : Object.keys(SETTINGS).filter((known) => known.startsWith(`${key}.`));
      // There is nothing after the colon, for example because everything below it is commented out: not set.
      if (value === null && (isSettingKey(key) || parts.length > 0)) continue;
      if (isSettingKey(key)) {
        const wrong = checkValue(key, value);
        if (wrong === undefined) values.set(key, value);
        else problems.push({ key, severity: "error", message: wrong });
      } else if (parts.length > 0) {
        if (isJsonObject(value)) visit(value, key);
        else
          problems.push({ key, severity: "error", message: `${key} holds settings (${parts.join(", ")}), no value` });
      } else {
        const guess = nearest(key, Object.keys(SETTINGS));
        problems.push({
          key,
          severity: "warning",
          message: `unknown setting ${key}${guess ? ` (did you mean ${guess}?)` : ""}`,
        });
      }
    }
  };
  visit(tree, "");
  return { values, problems };
}

/** Parses the text a user types after `lathe config set`. */
export function parseValue(key: SettingKey, text: string): unknown {
  const schema: Schema = SETTINGS[key];
  switch (kindOf(schema)) {
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    case "integer":
    case "number":
      return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
    case "rules":
      // A comma may be part of a pattern.
      return text === "" ? [] : text.split(/,(?![^(]*\))/).map((rule) => rule.trim());
    case "words":
    case "scoped":
      return text === "" ? [] : text.split(",").map((word) => word.trim());
    case "map": {
      const areTexts = (schema["additionalProperties"] as Schema)["type"] === "string";
      return Object.fromEntries(
        text
          .split(",")
          .filter((pair) => pair !== "")
          .map((pair) => {
            const [name, value] = pair.split("=");
            if (areTexts) return [(name ?? "").trim(), value?.trim()];
            return [(name ?? "").trim(), value?.trim() ? Number(value) : Number.NaN];
          }),
      );
    }
    default:
      return text;
  }
}

const isHttpAddress = (value: string): boolean => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
