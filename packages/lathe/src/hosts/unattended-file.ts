// The file of `--unattended`: a declaration in YAML.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { messageOf } from "@lathe/llm";
import type { Conversation } from "../conversation/conversation.ts";
import { type ReadDeclaration, readDeclaration } from "../conversation/unattended/declaration.ts";
import { Unattended } from "../conversation/unattended/unattended.ts";
import type { Machine } from "../platform/machine/machine.ts";
import { usageError } from "../platform/usage/exit.ts";

/**
 * Declares a print run unattended: its prompts are the only commands. The run itself enforces the time limit and then
 * ends with code 5.
 */
export async function beginUnattended(
  conversation: Conversation,
  { cwd }: Machine,
  file: string,
): Promise<{ readonly maxTimeMs: number }> {
  const { read } = await declarationIn(cwd, file);
  const { scopes, budget } = read.declaration;
  if (!scopes.includes("prompt"))
    throw usageError(`--unattended: ${file}: declaration.scopes lacks "prompt", so this run could do nothing. Add it.`);
  const { model } = conversation.open;
  if (!model.info?.cost && model.provider !== "practice")
    throw usageError(
      `--unattended: the price of ${model.provider}/${model.id} is not known, so max_cost_usd cannot be enforced. Give its cost in models.yml.`,
    );
  const unattended = new Unattended(read, { setTimer: () => ({ cancel: () => {} }), onStop: () => {} });
  unattended.enter(conversation.open);
  conversation.watch({
    onSession: (next) => unattended.enter(next),
    onEvent: (_session, event) => {
      if (event.kind === "warning" && event.data.code === "budget_exhausted") unattended.noteLimit(event.data.message);
    },
  });
  return { maxTimeMs: budget.max_wall_time_ms };
}

/** Throws a usage error with the file, the key and what to do. */
export async function declarationIn(
  cwd: string,
  file: string,
): Promise<{ readonly value: unknown; readonly read: ReadDeclaration }> {
  const { isProblem, readYaml } = await import("../platform/home/yaml.ts");
  const refuse = (why: string) =>
    usageError(`--unattended: ${file} cannot be read: ${why}. Give a declaration in YAML: docs/limits.md`);
  let text: string;
  try {
    text = await readFile(resolve(cwd, file), "utf8");
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw refuse(isMissing ? "there is no such file" : messageOf(error));
  }
  const found = readYaml(text);
  if (isProblem(found)) throw refuse(`line ${found.line}: ${found.message}`);
  const { value } = found;
  const read = readDeclaration(value);
  if ("problem" in read) {
    const isLacking = /is missing|must be an object/.test(read.problem);
    const next = isLacking
      ? "It needs actor, budget, scopes and action_allowlist: docs/limits.md"
      : "See docs/limits.md";
    throw usageError(`--unattended: ${file}: ${read.problem.replace(/\.$/, "")}. ${next}`);
  }
  return { value, read };
}
