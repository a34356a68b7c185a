// Reads a vendor's usage page by the field names in a row of oauth.yml: data, no code per vendor.

import { isJsonObject, type JsonValue } from "@lathe/llm";
import type { UsageWindow } from "../source.ts";

/**
 * Where the answer holds one limit: names joined by dots. Either `percent`, or two of `used`, `remaining` and `limit`.
 */
export interface UsageFields {
  readonly name: string;
  /** A value from 0 to 100. */
  readonly percent?: string;
  readonly used?: string;
  readonly remaining?: string;
  readonly limit?: string;
  /** A date, a timestamp in seconds or milliseconds since 1970, or seconds from now. */
  readonly resetsAt?: string;
}

/** Leaves out windows that are missing from the answer or have no limit. */
export function readUsage(answer: JsonValue, fields: readonly UsageFields[], now: number): readonly UsageWindow[] {
  return fields.flatMap((of) => {
    const used = usedShare(answer, of);
    if (used === undefined) return [];
    const resetsAt = timeOf(at(answer, of.resetsAt), now);
    return [{ name: of.name, used, ...(resetsAt === undefined ? {} : { resetsAt }) }];
  });
}

function usedShare(answer: JsonValue, of: UsageFields): number | undefined {
  const percent = numberOf(at(answer, of.percent));
  if (percent !== undefined) return Math.max(0, percent / 100);
  const [used, remaining] = [numberOf(at(answer, of.used)), numberOf(at(answer, of.remaining))];
  const limit = numberOf(at(answer, of.limit)) ?? (used ?? Number.NaN) + (remaining ?? Number.NaN);
  if (!(limit > 0)) return undefined;
  if (used !== undefined) return Math.max(0, used / limit);
  return remaining === undefined ? undefined : Math.max(0, 1 - remaining / limit);
}

function at(answer: JsonValue, path: string | undefined): JsonValue | undefined {
  if (path === undefined) return undefined;
  let value: JsonValue | undefined = answer;
  for (const name of path.split(".")) {
    if (Array.isArray(value)) value = value[Number(name)];
    else value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

function numberOf(value: JsonValue | undefined): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Numbers at least this large are timestamps since 1970, in milliseconds and in seconds. */
const [LEAST_MS, LEAST_SECONDS] = [1e11, 1e9];

function timeOf(value: JsonValue | undefined, now: number): number | undefined {
  const number = numberOf(value);
  if (number === undefined) {
    const date = typeof value === "string" ? Date.parse(value) : Number.NaN;
    return Number.isNaN(date) ? undefined : date;
  }
  if (number >= LEAST_MS) return number;
  return number >= LEAST_SECONDS ? number * 1000 : now + number * 1000;
}
