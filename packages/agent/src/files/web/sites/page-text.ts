// Building blocks for the pages of several sites.

import type { JsonValue } from "@lathe/llm";
import { ToolFailure } from "../../../contract/tool.ts";
import { textAt } from "./answer-fields.ts";

/** A field that every answer of this kind has: without it, the answer is of another kind and does not count. */
export function requiredText(value: JsonValue | undefined, ...path: readonly (string | number)[]): string {
  const found = textAt(value, ...path);
  if (found === "") throw new ToolFailure(`The answer has no ${path.join(".")}.`);
  return found;
}

/** The answer to an optional request, if there is one. */
export async function ifAnswered<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}

/** `Name: value` for every value that exists. */
export function factLines(facts: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(facts)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

/** Paragraphs separated by a blank line; empty ones are left out. */
export const paragraphs = (...parts: readonly (string | undefined)[]): string =>
  parts
    .map((part) => part?.trim() ?? "")
    .filter((part) => part !== "")
    .join("\n\n");

/** A heading with its content; nothing if the content is empty. */
export const section = (heading: string, content = ""): string =>
  content.trim() === "" ? "" : `${heading}\n\n${content.trim()}`;

export const bullets = (items: readonly string[]): string => items.map((item) => `- ${item}`).join("\n");

/** "" for an invalid date. */
export function dayOf(seconds: number | undefined): string {
  const date = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 10);
}

/** Parts of a path, still encoded. */
export const partsOf = ({ pathname }: URL): readonly string[] => pathname.split("/").filter((part) => part !== "");

export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // A stray % is not an escape.
  }
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]!);
