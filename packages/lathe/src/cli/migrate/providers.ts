// Adds providers to our models.yml, keeping its comments and order.

import { isJsonObject } from "@lathe/llm";
import { parseDocument } from "yaml";
import { schemaComment } from "../../platform/home/package-folder.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { readExisting, writeFileWhole } from "./files.ts";

export function readProviders(file: string): Readonly<Record<string, unknown>> {
  const value: unknown = document(file).toJS();
  return isJsonObject(value) && isJsonObject(value["providers"]) ? value["providers"] : {};
}

export async function addProvider(file: string, name: string, provider: unknown, isShared: boolean): Promise<void> {
  const head = isShared || readExisting(file) !== undefined ? "" : schemaComment(file);
  const changed = document(file);
  changed.setIn(["providers", name], provider);
  await writeFileWhole(file, head + changed.toString());
}

function document(file: string): ReturnType<typeof parseDocument> {
  const parsed = parseDocument(readExisting(file) ?? "");
  const [problem] = parsed.errors;
  if (problem) throw usageError(`${file} is not valid YAML: ${problem.message.split("\n")[0]}. Fix it first.`);
  return parsed;
}
