// Parts that the pages of several sites are put together from.

import type { JsonValue } from "@lathe/llm";
import { ToolFailure } from "../../../contract/tool.ts";
import { textAt } from "./answer-fields.ts";

/** What every answer of this kind has: without it, the answer is of another kind and counts as none. */
export function requiredText(value: JsonValue | undefined, ...path: readonly (string | number)[]): string {
  const found = textAt(value, ...path);
  if (found === "") throw new ToolFailure(`The answer has no ${path.join(".")}.`);
  return found;
}

/** What an answer that the page can do without says, if there is one. */
export async function ifAnswered<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}

/** `Name: value` for every value there is. */
export function factLines(facts: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(facts)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

/** Paragraphs with a blank line between them; empty ones are left out. */
export const paragraphs = (...parts: readonly (string | undefined)[]): string =>
  parts
    .map((part) => part?.trim() ?? "")
    .filter((part) => part !== "")
    .join("\n\n");

/** A heading with what belongs to it; nothing when that is empty. */
export const section = (heading: string, content = ""): string =>
  content.trim() === "" ? "" : `${heading}\n\n${content.trim()}`;

export const bullets = (items: readonly string[]): string => items.map((item) => `- ${item}`).join("\n");

/** "" for what no calendar has. */
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
    return part; // A stray % is no escape.
  }
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]!);
