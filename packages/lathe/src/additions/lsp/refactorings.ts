// Turns a server's rename, file move or code action into edits of whole texts. Nothing is written here.

import { type ExecutionEnvironment, ToolFailure } from "@lathe/agent";
import { visibleName } from "@lathe/agent/base";
import {
  type LanguageServices,
  type LspQuestion,
  type RefactoredFile,
  type Refactoring,
  refactoredPaths,
  type ServerCommand,
} from "@lathe/agent/tools";
import { isJsonObject, type JsonObject } from "@lathe/llm";
import { toUri } from "./addresses.ts";
import type { LanguageServers } from "./language-servers.ts";
import { MovedFiles } from "./moved-files.ts";
import { Places, shownPath } from "./places.ts";
import { wordPattern } from "./positions.ts";
import { filesWithName, renameOrigin, stableAnswer } from "./whole-rename.ts";
import { refactoringOf } from "./workspace-edit.ts";

const TIMEOUT_MS = 20_000;
/** How long a code action waits for the file's problems, which only fixes need. */
const PROBLEMS_MS = 5000;
const MOST_NAMED = 20;

/** Filters files to those with a name in their code; files that the index cannot judge stay in. */
export type NamedInIndex = (
  name: string,
  files: readonly string[],
  env: ExecutionEnvironment,
  signal: AbortSignal,
) => Promise<readonly string[]>;

export class Refactorings implements Pick<LanguageServices, "plan" | "afterApply"> {
  readonly #places: Places;
  readonly #moved: MovedFiles;
  readonly #namedInIndex: NamedInIndex;

  constructor(servers: LanguageServers, namedInIndex: NamedInIndex = async (_name, files) => files) {
    this.#places = new Places(servers);
    this.#moved = new MovedFiles(servers);
    this.#namedInIndex = namedInIndex;
  }

  plan(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<Refactoring | ServerCommand> {
    if (question.action === "rename") return this.#rename(question, env, signal);
    return question.action === "rename_file"
      ? this.#moved.plan(question, env, signal)
      : this.#applyAction(question, env, signal);
  }

  afterApply(plan: Refactoring, env: ExecutionEnvironment): Promise<void> {
    return this.#moved.afterApply(plan, env);
  }

  /** The actions that the server offers for a line, with numbers and titles. */
  async listActions(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<string> {
    const { actions } = await this.#actions(question, env, signal);
    const lines = actions.map(({ title, kind }, at) => `${at + 1}. ${title}${kind === "" ? "" : ` [${kind}]`}`);
    return lines.join("\n") || "The server offers nothing here.";
  }

  // ---- internals ----

  async #rename(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<Refactoring> {
    const { newName, timeoutMs = TIMEOUT_MS } = question;
    if (!newName) throw new ToolFailure("Give `new_name`.");
    const place = await this.#places.placeOf(question, "renameProvider", env, signal);
    const { live, name } = place;
    await live.waitUntilLoaded(place.file, { timeoutMs, signal });
    const { file, position } = await renameOrigin(place, env, { timeoutMs, signal });
    const params = { textDocument: { uri: toUri(file) }, position, newName };
    const ask = (): Promise<unknown> => live.ask("textDocument/rename", params, { timeoutMs, signal });
    const users = await filesWithName(name, live, env, signal);
    const answer = await stableAnswer(ask, users, live, env, signal);
    const plan = await refactoringOf(answer, live, env);
    if (refactoredPaths(plan).length === 0)
      throw new ToolFailure(`The server would change nothing. Does it know ${name}?`);
    const named = await this.#namedInIndex(name, users, env, signal);
    return { ...plan, notes: [...unchangedFiles(name, named, plan.files, env), ...unchangedLines(name, plan.files)] };
  }

  async #applyAction(
    question: LspQuestion,
    env: ExecutionEnvironment,
    signal: AbortSignal,
  ): Promise<Refactoring | ServerCommand> {
    const { query = "1", timeoutMs = TIMEOUT_MS } = question;
    const { live, actions } = await this.#actions({ ...question, query: undefined }, env, signal);
    const wanted = /^\d+$/.test(query)
      ? actions[Number(query) - 1]
      : actions.find(({ title }) => title.toLowerCase().includes(query.toLowerCase()));
    if (!wanted) throw new ToolFailure(`The server offers no ${query} here: list them without \`apply\`.`);
    const { action, title } = wanted;
    const provider = live.capabilities["codeActionProvider"];
    const isWhole = isJsonObject(action["edit"]) || !isJsonObject(provider) || provider["resolveProvider"] !== true;
    const resolved = isWhole
      ? action
      : await live.ask("codeAction/resolve", action, { timeoutMs, signal }).catch(() => action);
    const whole = isJsonObject(resolved) ? resolved : action;
    const plan = await refactoringOf(whole["edit"], live, env);
    if (refactoredPaths(plan).length > 0) return plan;
    const { command, args } = commandIn(whole);
    if (command === undefined) throw new ToolFailure(`"${title}" would change nothing.`);
    if (!live.commands.includes(command))
      throw new ToolFailure(`"${title}" is the command ${command} of an editor, which ${live.row.name} does not run.`);
    const run = async (within: AbortSignal): Promise<Refactoring> => {
      const edits = await live.runCommand(command, args, { timeoutMs, signal: within });
      const [first, ...others] = await Promise.all(edits.map((edit) => refactoringOf(edit, live, env)));
      if (others.length > 0) throw new ToolFailure(`${command} sent several edits. Nothing was written.`);
      return first ?? { files: [], moves: [], notes: [] };
    };
    return { server: live.row.name, command, title, run };
  }

  async #actions(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal) {
    const { query, symbol, timeoutMs = TIMEOUT_MS } = question;
    const { live, file, range: named, line } = await this.#places.placeOf(question, "codeActionProvider", env, signal);
    await live.waitUntilLoaded(file, { timeoutMs, signal });
    const found = await live.findProblems(file, Math.min(timeoutMs, PROBLEMS_MS), signal);
    const at = named.start.line;
    const diagnostics =
      "problems" in found
        ? found.problems.filter(({ range: { start, end } }) => start.line <= at && end.line >= at)
        : [];
    // Some actions, such as extracting a function, depend on the extent of the range.
    const range = symbol === undefined ? (diagnostics[0]?.range ?? line) : named;
    const only = query === undefined ? {} : { only: [query] };
    const params = { textDocument: { uri: toUri(file) }, range, context: { diagnostics, ...only } };
    const answer = await live.ask("textDocument/codeAction", params, { timeoutMs, signal });
    const actions = (Array.isArray(answer) ? answer : []).filter(isJsonObject).map((action) => ({
      action,
      title: String(action["title"]),
      kind: typeof action["kind"] === "string" ? action["kind"] : "",
    }));
    return { live, actions: actions.filter(({ action }) => action["disabled"] === undefined) };
  }
}

/** An action has a command or is one. */
function commandIn({ command, arguments: args }: JsonObject): { readonly command?: string; readonly args?: unknown } {
  if (isJsonObject(command)) return commandIn(command);
  return typeof command === "string" ? { command, args } : {};
}

/** Reports lines of changed files that keep the name: texts, comments, code that the server does not know. */
function unchangedLines(name: string, files: readonly RefactoredFile[]): string[] {
  const word = wordPattern(name, "gu");
  const places = files.flatMap(({ path, seen, edits }) =>
    [...seen.matchAll(word)]
      .filter(({ index }) => !edits.some(({ start, end }) => start <= index + name.length && end >= index))
      .map(({ index }) => `${visibleName(path)}:${seen.slice(0, index).split("\n").length}`),
  );
  const unique = [...new Set(places)];
  if (unique.length === 0) return [];
  const more = unique.length > MOST_NAMED ? `, and ${unique.length - MOST_NAMED} more` : "";
  return [`Also have the name ${name}, in files that change: ${unique.slice(0, MOST_NAMED).join(", ")}${more}.`];
}

/** Reports files with the name that stay unchanged: the server was not ready, or does not know their code. */
function unchangedFiles(
  name: string,
  users: readonly string[],
  files: readonly RefactoredFile[],
  env: ExecutionEnvironment,
): string[] {
  const changed = new Set(files.map(({ path }) => env.resolve(path)));
  const others = users.filter((path) => !changed.has(path));
  if (others.length === 0) return [];
  const more = others.length > MOST_NAMED ? `, and ${others.length - MOST_NAMED} more` : "";
  const shown = others.slice(0, MOST_NAMED).map((path) => shownPath(path, env));
  return [`Also have the name ${name}, and stay as they are: ${shown.join(", ")}${more}.`];
}
