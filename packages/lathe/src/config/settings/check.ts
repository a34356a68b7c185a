// Is this value right for this key? Pure; says what is wrong in words fit for the user.

import { readRule } from "@lathe/agent/policy";
import { isJsonObject } from "@lathe/llm";
import { nearest } from "../../platform/usage/nearest.ts";
import { isSettingKey, SETTINGS, type SettingKey, type SettingSpec } from "./schema.ts";
import { wrongInScopedList } from "./scoped.ts";

export interface SettingProblem {
  readonly key: string;
  readonly message: string;
  /** Unknown keys are reported and skipped; wrong values stop the start. */
  readonly severity: "warning" | "error";
}

/** Undefined when the value fits. */
export function checkValue(key: SettingKey, value: unknown): string | undefined {
  const spec: SettingSpec = SETTINGS[key];
  switch (spec.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "integer":
    case "number": {
      if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
      if (spec.type === "integer" && !Number.isInteger(value)) return "must be a whole number";
      return isWithin(value, spec) ? undefined : `must be ${rangeOf(spec)}`;
    }
    case "address":
      return value === "" || isHttpAddress(value)
        ? undefined
        : "must be an address such as https://api.example.com/v1, or empty";
    case "enum":
      return typeof value === "string" && (spec.choices?.includes(value) || value === spec.default)
        ? undefined
        : `must be one of ${spec.choices?.join(", ")}`;
    case "strings":
      if (!Array.isArray(value) || value.some((item) => typeof item !== "string")) return "must be a list of words";
      return spec.words && value.some((item) => !spec.words?.includes(item))
        ? `may hold only ${spec.words.join(", ")}`
        : undefined;
    case "rules":
      return wrongRules(value);
    case "scoped":
      return wrongInScopedList(value);
    case "map":
      if (spec.of === "text") return isTextMap(value) ? undefined : "must map names to texts, as name=text,other=text";
      return isJsonObject(value) && Object.values(value).every((item) => Number.isFinite(item))
        ? undefined
        : "must map names to numbers, as name=1,other=2";
    default:
      return typeof value === "string" ? undefined : "must be text";
  }
}

/** Nested YAML to dotted keys, with each problem found on the way. */
export function flatten(tree: unknown): { values: Map<SettingKey, unknown>; problems: SettingProblem[] } {
  const values = new Map<SettingKey, unknown>();
  const problems: SettingProblem[] = [];
  const visit = (node: unknown, prefix: string): void => {
    if (!isJsonObject(node)) return;
    for (const [name, value] of Object.entries(node)) {
      const key = prefix === "" ? name : `${prefix}.${name}`;
      const parts = isSettingKey(key) ? [] : Object.keys(SETTINGS).filter((known) => known.startsWith(`${key}.`));
      // Nothing after the colon, as when all below it is commented out: not set.
      if (value === null && (isSettingKey(key) || parts.length > 0)) continue;
      if (isSettingKey(key)) {
        const wrong = checkValue(key, value);
        if (wrong === undefined) values.set(key, value);
        else problems.push({ key, severity: "error", message: `${key} ${wrong}, not ${JSON.stringify(value)}` });
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

/** The text a person types after `lathe config set`. */
export function parseValue(key: SettingKey, text: string): unknown {
  const spec: SettingSpec = SETTINGS[key];
  switch (spec.type) {
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    case "integer":
    case "number":
      return text.trim() === "" ? text : Number(text);
    case "rules":
      // A comma may be part of a pattern.
      return text === "" ? [] : text.split(/,(?![^(]*\))/).map((rule) => rule.trim());
    case "strings":
    case "scoped":
      return text === "" ? [] : text.split(",").map((word) => word.trim());
    case "map":
      return Object.fromEntries(
        text
          .split(",")
          .filter((pair) => pair !== "")
          .map((pair) => {
            const [name, value] = pair.split("=");
            if (spec.of === "text") return [(name ?? "").trim(), value?.trim()];
            return [(name ?? "").trim(), value?.trim() ? Number(value) : Number.NaN];
          }),
      );
    default:
      return text;
  }
}

function wrongRules(value: unknown): string | undefined {
  if (!Array.isArray(value)) return "must be a list of rules such as shell(git log *)";
  for (const rule of value) {
    const read = typeof rule === "string" ? readRule(rule) : { problem: "is not text" };
    if ("problem" in read)
      return `must be a list of rules such as shell(git log *): ${JSON.stringify(rule)} ${read.problem}`;
  }
  return undefined;
}

const isTextMap = (value: unknown): boolean =>
  isJsonObject(value) && Object.values(value).every((item) => typeof item === "string" && item !== "");

function isWithin(value: number, { min, max, besides }: SettingSpec): boolean {
  if (value === besides) return true;
  return value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY);
}

function rangeOf({ min, max, besides }: SettingSpec): string {
  const range = max === undefined ? `at least ${min}` : `from ${min} to ${max}`;
  return besides === undefined ? range : `${range}, or ${besides}`;
}

const isHttpAddress = (value: unknown): boolean =>
  typeof value === "string" && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
