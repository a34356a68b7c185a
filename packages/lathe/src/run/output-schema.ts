// `--output-schema`: the final answer must be JSON that fits. The model is told so with the prompt and asked again when it misses.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { InputContent } from "@lathe/agent";
import { type JsonSchema, type JsonValue, violationOf } from "@lathe/llm";
import { usageError } from "../cli/exit.ts";

export const MOST_RETRIES = 2;

export async function readSchema(cwd: string, file: string): Promise<JsonSchema> {
  let text: string;
  try {
    text = await readFile(resolve(cwd, file), "utf8");
  } catch (error) {
    throw usageError(`--output-schema: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  try {
    const schema: unknown = JSON.parse(text);
    if (typeof schema === "object" && schema !== null && !Array.isArray(schema)) return schema as JsonSchema;
  } catch {
    throw usageError(`--output-schema: ${file} is not valid JSON.`);
  }
  throw usageError(`--output-schema: ${file} does not hold a JSON Schema object.`);
}

export function withSchema(prompt: InputContent, schema: JsonSchema): InputContent {
  const note = `When you are done, give your final answer as JSON only, without any other text, that fits this JSON Schema:\n${JSON.stringify(schema)}`;
  return typeof prompt === "string" ? `${prompt}\n\n${note}` : [...prompt, { kind: "text", text: note }];
}

export type Judged = { readonly value: JsonValue } | { readonly problem: string };

export async function judge(answer: string, schema: JsonSchema): Promise<Judged> {
  const json = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(answer)?.[1] ?? answer;
  let value: JsonValue;
  try {
    value = JSON.parse(json) as JsonValue;
  } catch (error) {
    return { problem: `it is not valid JSON (${(error as Error).message})` };
  }
  const violation = await violationOf(schema, value);
  return violation ? { problem: `${violation.path} ${violation.message}` } : { value };
}

export const askAgain = (problem: string): string =>
  `Your final answer does not fit the JSON Schema: ${problem}. Give the answer again as JSON only, without any other text.`;
