// `--output-schema`: the final answer must be JSON that matches. The schema is sent with the prompt, and the model is asked again
// when its answer does not match.

import { resolve } from "node:path";
import type { InputContent } from "@lathe/agent";
import { type JsonSchema, violationOf } from "@lathe/llm";
import { usageError } from "../../platform/usage/exit.ts";
import { readGivenFile } from "../../platform/usage/given-file.ts";
import { type FoundJson, jsonIn } from "./json-in.ts";

export const MOST_RETRIES = 2;

export async function readSchema(cwd: string, file: string): Promise<JsonSchema> {
  let text: string;
  try {
    text = (await readGivenFile(resolve(cwd, file))).toString("utf8");
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

export type Judged = FoundJson | { readonly problem: string };

export async function judge(answer: string, schema: JsonSchema): Promise<Judged> {
  const { found, problem } = jsonIn(answer);
  const judged = await Promise.all(found.map((one) => judgeOne(one, schema)));
  const fitting = judged.filter((one) => "value" in one);
  if (fitting.length > 1) return { problem: "it holds several JSON values that fit" };
  return fitting[0] ?? judged.at(-1) ?? { problem: `it is not valid JSON (${problem})` };
}

async function judgeOne(found: FoundJson, schema: JsonSchema): Promise<Judged> {
  const violation = await violationOf(schema, found.value);
  return violation ? { problem: violation.message } : found;
}

export const askAgain = (problem: string): string =>
  `Your final answer does not fit the JSON Schema: ${problem}. Give the answer again as JSON only, without any other text.`;
