// `--output-schema`: the final answer must be JSON that matches. The schema is sent with the prompt, and the model is asked again
// when its answer does not match.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { InputContent } from "@lathe/agent";
import { type JsonSchema, type JsonValue, violationOf } from "@lathe/llm";
import { usageError } from "../usage/exit.ts";

export const MOST_RETRIES = 2;

export async function readSchema(cwd: string, file: string): Promise<JsonSchema> {
  let text: string;
  try {
    text = await readFile(resolve(cwd, file), "utf8");
  } catch (error) {
    throw usageError(`--output-schema: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw usageError(`--output-schema: ${file} is not valid JSON: ${(error as Error).message}.`);
  }
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    throw usageError(`--output-schema: ${file} does not hold a JSON Schema object.`);
  const { schemaProblem } = await import("./schema-check.ts");
  const problem = await schemaProblem(schema as JsonSchema);
  if (problem !== undefined) throw usageError(`--output-schema: ${file} is not a JSON Schema: ${problem}.`);
  return schema as JsonSchema;
}

export function withSchema(prompt: InputContent, schema: JsonSchema): InputContent {
  const note = `When you are done, give your final answer as JSON only, without any other text, that fits this JSON Schema:\n${JSON.stringify(schema)}`;
  return typeof prompt === "string" ? `${prompt}\n\n${note}` : [...prompt, { kind: "text", text: note }];
}

/** `json`: the value as the model wrote it. */
export type Judged = { readonly value: JsonValue; readonly json: string } | { readonly problem: string };

export async function judge(answer: string, schema: JsonSchema): Promise<Judged> {
  const json = jsonIn(answer);
  let value: JsonValue;
  try {
    value = JSON.parse(json) as JsonValue;
  } catch (error) {
    return { problem: `it is not valid JSON (${(error as Error).message})` };
  }
  const violation = await violationOf(schema, value);
  return violation ? { problem: `${violation.path} ${violation.message}` } : { value, json };
}

/** Models often put a fence and some text around the JSON. */
function jsonIn(answer: string): string {
  const fenced = [...answer.matchAll(/^[ \t]*```(?:json)?[ \t]*\n(.*?)\n[ \t]*```[ \t]*$/gms)];
  return (fenced.length === 1 ? fenced[0]?.[1] : undefined) ?? answer.trim();
}

export const askAgain = (problem: string): string =>
  `Your final answer does not fit the JSON Schema: ${problem}. Give the answer again as JSON only, without any other text.`;
