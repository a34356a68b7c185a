// If no server can answer, definitions, references and symbols come from the code index. It knows names but not what
// they refer to, and the answer says so.

import { posix } from "node:path";
import { type ExecutionEnvironment, ToolFailure } from "@lathe/agent";
import { visibleName } from "@lathe/agent/base";
import type { FoundDefinition } from "@lathe/agent/files";
import type { LanguageServices, LspQuestion } from "@lathe/agent/tools";
import { messageOf } from "@lathe/llm";
import type { CodeIndex } from "../code-index/code-index.ts";
import type { EnteredIndexes } from "../code-index/shared-code-indexes.ts";
import type { Answers } from "./answers.ts";
import { NoServer, noServerText, shownPath, symbolOn } from "./places.ts";
import { linesOf } from "./positions.ts";
import { NoAnswer } from "./rpc-connection.ts";

const MOST_PLACES = 200;
const SHOWN_LINES = 50;
const LONGEST_LINE = 200;

export interface WithoutServerOptions {
  readonly answers: Answers;
  readonly indexes: EnteredIndexes;
  /** Whether the text of a file that the request did not name may be shown. */
  readonly mayShow: (path: string) => boolean;
}

export class AnswersWithoutServer implements Pick<LanguageServices, "answer"> {
  readonly #options: WithoutServerOptions;

  constructor(options: WithoutServerOptions) {
    this.#options = options;
  }

  async answer(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<string> {
    try {
      return await this.#options.answers.answer(question, env, signal);
    } catch (error) {
      const why = unansweredReason(error, question, env);
      if (why === undefined || !/^(?:definition|references|symbols)$/.test(question.action)) throw error;
      const lines = await this.#fromIndex(question, env, signal).catch((failure: unknown) => {
        signal.throwIfAborted();
        throw new ToolFailure(`${why} ${messageOf(failure)}`);
      });
      return [`${why} From the code index, which goes by names:`, ...lines].join("\n");
    }
  }

  async #fromIndex(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<string[]> {
    const { action, file, line = 1, symbol, query = "" } = question;
    const index = await (await this.#options.indexes.open()).for(env);
    if (action === "symbols") {
      const found = file === undefined ? index.search(query, signal) : index.definitionsIn(inside(file, index), signal);
      const shown = (await found).filter(({ path }) => this.#options.mayShow(posix.join(index.root, path)));
      return showDefinitions(shown, file === undefined);
    }
    if (file === undefined) throw new ToolFailure("Give `file`, `line` and `symbol`.");
    const { name } = symbolOn(linesOf(await env.readFile(file)), line, symbol, shownPath(file, env));
    const { definitions, references } = await index.find(name, signal, inside(file, index));
    const found =
      action === "definition"
        ? definitions.map((one) => ({ path: one.path, line: one.line }))
        : references.flatMap(({ path, lines }) => lines.map((at) => ({ path, line: at })));
    const places = found.filter(({ path }) => this.#options.mayShow(posix.join(index.root, path)));
    return places.length === 0 ? [`No ${action} of ${name} was found.`] : this.#showPlaces(name, places, index, env);
  }

  async #showPlaces(
    name: string,
    places: readonly { readonly path: string; readonly line: number }[],
    { root }: CodeIndex,
    env: ExecutionEnvironment,
  ): Promise<string[]> {
    const lines: string[] = [];
    const texts = new Map<string, readonly string[]>();
    for (const { path, line } of places.slice(0, MOST_PLACES)) {
      const full = posix.join(root, path);
      if (!texts.has(path) && lines.length < SHOWN_LINES) texts.set(path, linesOf(await env.readFile(full)));
      const text = texts.get(path)?.[line - 1];
      const column = text === undefined ? "" : `:${text.indexOf(name) + 1}`;
      const shown = text === undefined || lines.length >= SHOWN_LINES ? "" : `  ${text.trim().slice(0, LONGEST_LINE)}`;
      lines.push(`${visibleName(path)}:${line}${column}${shown}`);
    }
    return places.length > MOST_PLACES ? [...lines, `… and ${places.length - MOST_PLACES} more`] : lines;
  }
}

/** Why no server answered; undefined if one did or the request was wrong. */
function unansweredReason(error: unknown, { file }: LspQuestion, env: ExecutionEnvironment): string | undefined {
  if (error instanceof NoServer) return error.message;
  return error instanceof NoAnswer ? noServerText(file ?? env.workingDirectory(), [error.message], env) : undefined;
}

const inside = (file: string, { root }: CodeIndex): string => posix.relative(root, file);

function showDefinitions(found: readonly FoundDefinition[], withPath: boolean): string[] {
  if (found.length === 0) return ["No symbol was found."];
  const lines = found.slice(0, MOST_PLACES).map(({ path, line, kind, name, inside: outer }) => {
    const indent = outer === "" || withPath ? "" : "  ";
    return `${indent}${withPath ? `${visibleName(path)}:` : ""}${line} ${kind} ${withPath && outer !== "" ? `${outer}.` : ""}${name}`;
  });
  return found.length > MOST_PLACES ? [...lines, `… and ${found.length - MOST_PLACES} more`] : lines;
}
