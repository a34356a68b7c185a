// What a server would change for a rename, the move of a file or a code action, as edits of whole texts. Nothing is written here.

import { type ExecutionEnvironment, ToolFailure } from "@lathe/agent";
import type { LanguageServices, LspQuestion, RefactoredFile, Refactoring } from "@lathe/agent/tools";
import { isJsonObject } from "@lathe/llm";
import { toPath, toUri } from "./addresses.ts";
import type { LanguageServers } from "./language-servers.ts";
import type { LiveServer } from "./live-server.ts";
import { Places, shortPath } from "./places.ts";
import { columnOf, type Encoding, linesOf, type Position, type Range } from "./positions.ts";
import { isRange } from "./protocol.ts";
import { filesWithName, renameOrigin, settledAnswer } from "./whole-rename.ts";

const TIMEOUT_MS = 30_000;
const MOST_NAMED = 20;

interface ServerEdit {
  readonly range: Range;
  readonly newText: string;
}

export class Refactorings implements Pick<LanguageServices, "plan"> {
  readonly #places: Places;

  constructor(servers: LanguageServers) {
    this.#places = new Places(servers);
  }

  plan(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<Refactoring> {
    if (question.action === "rename") return this.#rename(question, env, signal);
    return question.action === "rename_file"
      ? this.#renameFile(question, env, signal)
      : this.#applyAction(question, env, signal);
  }

  /** What the server offers for a line, by number and title. */
  async listActions(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<string> {
    const { actions } = await this.#actions(question, env, signal);
    const lines = actions.map(({ title, kind }, at) => `${at + 1}. ${title}${kind === "" ? "" : ` [${kind}]`}`);
    return lines.join("\n") || "The server offers nothing here.";
  }

  // ---- inside ----

  async #rename(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<Refactoring> {
    const { newName, timeoutMs = TIMEOUT_MS } = question;
    if (!newName) throw new ToolFailure("Give `new_name`.");
    const place = await this.#places.placeOf(question, "renameProvider", env, signal);
    const { live, name } = place;
    await live.loaded(place.file, { timeoutMs, signal });
    const { file, position } = await renameOrigin(place, env, { timeoutMs, signal });
    const params = { textDocument: { uri: toUri(file) }, position, newName };
    const ask = (): Promise<unknown> => live.ask("textDocument/rename", params, { timeoutMs, signal });
    const users = await filesWithName(name, live, env, signal);
    const answer = await settledAnswer(ask, users, live, env, signal);
    const files = await editedFiles(answer, live, env);
    if (files.length === 0) throw new ToolFailure(`The server would change nothing: is ${name} a name that it knows?`);
    return { files, moves: [], notes: unchangedFiles(name, users, files, env) };
  }

  async #renameFile(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<Refactoring> {
    const { file, newName, timeoutMs = TIMEOUT_MS } = question;
    if (!file || !newName) throw new ToolFailure("Give `file` and, as `new_name`, its new path.");
    const to = env.resolve(newName);
    if (to === file) throw new ToolFailure(`${newName} is the path that it has.`);
    const moves = [{ from: shortPath(file, env), to: shortPath(to, env) }];
    const live = await this.#places.liveFor(file, "workspace", env, signal);
    if ((await live.show(file)) === undefined) throw new ToolFailure(`${shortPath(file, env)} is no file.`);
    await live.loaded(file, { timeoutMs, signal });
    const params = { files: [{ oldUri: toUri(file), newUri: toUri(to) }] };
    const answer = await live.ask("workspace/willRenameFiles", params, { timeoutMs, signal });
    return { files: await editedFiles(answer, live, env), moves, notes: [] };
  }

  async #applyAction(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<Refactoring> {
    const { query = "1", timeoutMs = TIMEOUT_MS } = question;
    const { live, actions } = await this.#actions(question, env, signal);
    const wanted = /^\d+$/.test(query)
      ? actions[Number(query) - 1]
      : actions.find(({ title }) => title.toLowerCase().includes(query.toLowerCase()));
    if (!wanted) throw new ToolFailure(`The server offers no ${query} here: list them without \`apply\`.`);
    const whole = isJsonObject(wanted.action["edit"])
      ? wanted.action
      : await live.ask("codeAction/resolve", wanted.action, { timeoutMs, signal }).catch(() => wanted.action);
    const files = await editedFiles(isJsonObject(whole) ? whole["edit"] : undefined, live, env);
    if (files.length === 0)
      throw new ToolFailure(`"${wanted.title}" is a command of the server, which Lathe does not run.`);
    return { files, moves: [], notes: [] };
  }

  async #actions(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal) {
    const { timeoutMs = TIMEOUT_MS } = question;
    const { live, file, position } = await this.#places.placeOf(question, "codeActionProvider", env, signal);
    await live.loaded();
    const found = await live.findProblems(file, timeoutMs, signal);
    const diagnostics =
      "problems" in found
        ? found.problems.filter(({ range }) => range.start.line <= position.line && range.end.line >= position.line)
        : [];
    const range = diagnostics[0]?.range ?? { start: position, end: position };
    const params = { textDocument: { uri: toUri(file) }, range, context: { diagnostics } };
    const answer = await live.ask("textDocument/codeAction", params, { timeoutMs, signal });
    const actions = (Array.isArray(answer) ? answer : []).filter(isJsonObject).map((action) => ({
      action,
      title: String(action["title"]),
      kind: typeof action["kind"] === "string" ? action["kind"] : "",
    }));
    return { live, actions };
  }
}

/** All of a workspace edit, or a failure: nothing of it is left out. */
async function editedFiles(answer: unknown, live: LiveServer, env: ExecutionEnvironment): Promise<RefactoredFile[]> {
  const files: RefactoredFile[] = [];
  for (const [uri, edits] of editsIn(answer)) {
    const path = toPath(uri);
    const root = env.workingDirectory();
    if (path === undefined || !path.startsWith(`${root}/`))
      throw new ToolFailure(
        `The server would change ${path ?? uri}, which is not in the project. Nothing was written.`,
      );
    const text = await live.show(path);
    if (text === undefined) throw new ToolFailure(`${shortPath(path, env)} cannot be read. Nothing was written.`);
    const seen = linesOf(text).join("\n");
    files.push({ path: shortPath(path, env), seen, edits: textEdits(path, seen, edits, live.encoding) });
  }
  return files.filter(({ edits }) => edits.length > 0);
}

function editsIn(answer: unknown): Map<string, ServerEdit[]> {
  const byFile = new Map<string, ServerEdit[]>();
  const add = (uri: unknown, edits: unknown): void => {
    const list = Array.isArray(edits) ? edits : [];
    if (typeof uri !== "string" || !list.every(isEdit)) throw new ToolFailure("The server sent an edit that is none.");
    byFile.set(uri, [...(byFile.get(uri) ?? []), ...list]);
  };
  if (!isJsonObject(answer)) return byFile;
  const { changes, documentChanges } = answer;
  for (const one of Array.isArray(documentChanges) ? documentChanges : []) {
    if (!isJsonObject(one) || !isJsonObject(one["textDocument"]))
      throw new ToolFailure(
        "The server would create, move or delete files, which this action does not. Nothing was written.",
      );
    add(one["textDocument"]["uri"], one["edits"]);
  }
  if (!Array.isArray(documentChanges))
    for (const [uri, edits] of Object.entries(isJsonObject(changes) ? changes : {})) add(uri, edits);
  return byFile;
}

const isEdit = (value: unknown): value is ServerEdit =>
  isJsonObject(value) && isRange(value["range"]) && typeof value["newText"] === "string";

/** Offsets into the text; edits that overlap or lie outside are refused. */
function textEdits(path: string, seen: string, edits: readonly ServerEdit[], encoding: Encoding) {
  const lines = seen.split("\n");
  const starts: number[] = [0];
  for (const line of lines) starts.push((starts.at(-1) as number) + line.length + 1);
  const offsetOf = ({ line, character }: Position): number => {
    const text = lines[line];
    // The end of a file may be written as the line behind the last.
    if (text === undefined && line === lines.length && character === 0) return seen.length;
    if (text === undefined) throw new ToolFailure(`The server would change lines that ${path} does not have.`);
    return (starts[line] as number) + columnOf(text, character, encoding);
  };
  const found = edits
    .map(({ range, newText }) => ({
      start: offsetOf(range.start),
      end: offsetOf(range.end),
      text: newText.replaceAll(/\r\n?/g, "\n"),
    }))
    .sort((a, b) => a.start - b.start || a.end - b.end);
  if (found.some(({ start, end }, at) => end < start || start < (found[at - 1]?.end ?? 0)))
    throw new ToolFailure(`The server's changes of ${path} overlap. Nothing was written.`);
  return found;
}

/** Files that have the name as a word and stay as they are: a server that is not ready, or text that it does not know. */
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
  const shown = others.slice(0, MOST_NAMED).map((path) => shortPath(path, env));
  return [`Also have a word ${name}, and stay as they are: ${shown.join(", ")}${more}.`];
}
