// Reads the file of `--output-schema`; the session asks for answers that match it.

import { resolve } from "node:path";
import { schemaProblem } from "@lathe/agent/session";
import type { JsonSchema } from "@lathe/llm";
import { usageError } from "../../platform/usage/exit.ts";
import { readUserFile } from "../../platform/usage/user-file.ts";

export async function readSchema(cwd: string, file: string): Promise<JsonSchema> {
  let text: string;
  try {
    text = (await readUserFile(resolve(cwd, file))).toString("utf8");
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
  const problem = await schemaProblem(schema as JsonSchema);
  if (problem !== undefined) throw usageError(`--output-schema: ${file} is not a JSON Schema: ${problem}.`);
  return schema as JsonSchema;
}
