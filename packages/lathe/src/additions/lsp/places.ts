// Finds the place in a file that a request is about, and the server that knows it.

import { posix } from "node:path";
import { type ExecutionEnvironment, ToolFailure } from "@lathe/agent";
import { visibleName } from "@lathe/agent/base";
import type { LspQuestion } from "@lathe/agent/tools";
import { messageOf } from "@lathe/llm";
import { isFor } from "./find-servers.ts";
import type { LanguageServers } from "./language-servers.ts";
import type { LiveServer } from "./live-server.ts";
import { characterOf, findSymbol, firstName, linesOf, type Position, type Range } from "./positions.ts";
import type { ServerRow } from "./server-row.ts";

/** A place in a file, and the server that knows it. */
export interface Place {
  readonly live: LiveServer;
  readonly file: string;
  readonly position: Position;
  /** The range of the symbol. */
  readonly range: Range;
  /** The line without its indentation. */
  readonly line: Range;
  readonly name: string;
}

export class Places {
  readonly #servers: LanguageServers;

  constructor(servers: LanguageServers) {
    this.#servers = servers;
  }

  async placeOf(
    { file, line = 1, symbol }: LspQuestion,
    capability: string,
    env: ExecutionEnvironment,
    signal: AbortSignal,
  ): Promise<Place> {
    if (file === undefined) throw new ToolFailure("Give `file`, `line` and `symbol`.");
    const live = await this.liveFor(file, capability, env, signal);
    const text = await live.show(file);
    if (text === undefined) throw await notShownFailure(file, env);
    const { onLine, column, name } = symbolOn(linesOf(text), line, symbol, shownPath(file, env));
    const at = (where: number): Position => ({
      line: line - 1,
      character: characterOf(onLine, where, live.encoding),
    });
    const position = at(column);
    const range = { start: position, end: at(symbol === undefined ? column : column + name.length) };
    const whole = { start: at(onLine.length - onLine.trimStart().length), end: at(onLine.trimEnd().length) };
    return { live, file, name, position, range, line: whole };
  }

  /**
   * The server that knows definitions. `capability`: what it must offer, "" for any. Without a file, a server of the
   * project.
   */
  async liveFor(
    file: string | undefined,
    capability: string,
    env: ExecutionEnvironment,
    signal: AbortSignal,
  ): Promise<LiveServer> {
    const fitting = await (file === undefined ? this.#servers.forProject(env) : this.#servers.forFile(file, env));
    const reasons: string[] = [];
    for (const { row, server, off } of fitting.filter((one) => !one.row.isLinter)) {
      const live = await server?.use(signal).catch((error: unknown) => {
        signal.throwIfAborted();
        reasons.push(`${row.name}: ${messageOf(error)}`);
        return undefined;
      });
      if (live && (capability === "" || live.can(capability))) {
        await live.refresh();
        return live;
      }
      if (live) reasons.push(`${row.name} does not offer this`);
      if (off !== undefined) reasons.push(`${row.name}: ${off}`);
    }
    const known = file === undefined || fitting.length > 0 ? [] : this.#servers.rows.filter((row) => isFor(row, file));
    throw new NoServer(noServerText(file ?? env.workingDirectory(), [...reasons, ...known.map(needsOf)], env));
  }
}

/** Why a file cannot be opened in a server. */
export async function notShownFailure(path: string, env: ExecutionEnvironment): Promise<ToolFailure> {
  const stat = await env.stat(path);
  const why =
    stat === undefined ? "does not exist" : stat.kind === "file" ? "is too large for a language server" : "is no file";
  return new ToolFailure(`${shownPath(path, env)} ${why}.`);
}

/** What a server for such files would need. */
export function needsOf({ name, rootMarkers, install }: ServerRow): string {
  const [last, ...others] = rootMarkers.toReversed();
  const markers = others.length === 0 ? last : `${others.toReversed().join(", ")} or ${last}`;
  return `${name} is for folders with ${markers}${install === undefined ? "" : ` (${install})`}`;
}

/** The requested symbol in the lines of its file, or the first name of the line. `shown`: the file's name in errors. */
export function symbolOn(lines: readonly string[], line: number, symbol: string | undefined, shown: string) {
  const onLine = lines[line - 1];
  if (onLine === undefined) throw new ToolFailure(`${shown} has ${lines.length} lines, not ${line}.`);
  const column = symbol === undefined ? firstName(onLine) : findSymbol(onLine, symbol);
  if (column === undefined) throw new ToolFailure(notOnLineText(symbol ?? "", line, lines));
  const name = symbol?.replace(/#\d+$/, "") ?? (/^[\p{L}\p{N}_$]+/u.exec(onLine.slice(column))?.[0] || "this place");
  return { onLine, column, name };
}

/** The request needs a server, and none can answer. */
export class NoServer extends ToolFailure {}

export function noServerText(path: string, reasons: readonly string[], env: ExecutionEnvironment): string {
  const why = reasons.length === 0 ? "none is known for such files" : reasons.join("; ");
  return `No language server can answer for ${shownPath(path, env)}: ${why}.`;
}

/** A path for one line of an answer, made so that no file name can look like another line. */
export const shownPath = (path: string, env: ExecutionEnvironment): string => visibleName(shortPath(path, env));

export function shortPath(path: string, env: ExecutionEnvironment): string {
  const relative = posix.relative(env.workingDirectory(), path);
  return relative.startsWith("../") || relative === "" ? path : relative;
}

/** Names the nearest line with the symbol, if there is one. */
function notOnLineText(symbol: string, line: number, lines: readonly string[]): string {
  const near = lines
    .map((text, at) => ({ at: at + 1, isThere: findSymbol(text, symbol) !== undefined }))
    .filter(({ isThere }) => isThere)
    .sort((a, b) => Math.abs(a.at - line) - Math.abs(b.at - line))[0];
  return near === undefined
    ? `${symbol} is not on line ${line}, nor anywhere in the file.`
    : `${symbol} is not on line ${line}; the nearest is on line ${near.at}.`;
}
