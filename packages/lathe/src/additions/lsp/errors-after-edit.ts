// Tells the model after an edit which errors it introduced or fixed, in the edited files and in files that depend on
// them. Silence never means "clean": unchecked files are named, and their errors follow with the next result.

import { type ExecutionEnvironment, type StopVerdict, ToolFailure, type ToolResult } from "@lathe/agent";
import { abortAfter } from "@lathe/agent/base";
import { isJsonObject, type JsonObject, messageOf } from "@lathe/llm";
import type { CodeIndex } from "../code-index/code-index.ts";
import { dependentsInIndex, findDependents, MOST_DEPENDENTS } from "./dependents.ts";
import type { LanguageServer } from "./language-server.ts";
import type { LanguageServers } from "./language-servers.ts";
import type { LiveServer } from "./live-server.ts";
import { shortPath, shownPath } from "./places.ts";
import { isError, problemLines } from "./problem-lines.ts";
import type { FileChange } from "./project-changes.ts";
import type { Problem } from "./protocol.ts";
import { LateAnswer } from "./rpc-connection.ts";

/** How long an edit waits for its errors, and how long the next result waits for late ones. */
const WAIT_MS = 5000;
const LATE_MS = 25_000;
/** How long to wait for the index to be brought up to date. */
const INDEX_MS = 2000;
const MOST_LINES = 30;
const MOST_NAMED = 5;

/** The last known errors of a file, counted by message and not by place. */
type Known = ReadonlyMap<string, number>;

interface Change {
  readonly path: string;
  readonly isGone: boolean;
  /** The content before the change; undefined if there was no file. */
  readonly before: string | undefined;
}

/** State of an agent since its last input. */
interface AgentInput {
  /** Edited files that some server has not fully checked yet, including files that depend on them. */
  readonly owed: Map<string, Change>;
  /** Files in which the agent introduced errors. */
  readonly brought: Set<string>;
  /** Servers' complaints about themselves that the agent has already seen. */
  readonly complaints: Set<string>;
  hasReminded: boolean;
}

interface Check {
  readonly input: AgentInput;
  readonly env: ExecutionEnvironment;
  /** Aborts when the answer would come too late. */
  readonly bounded: AbortSignal;
  readonly signal: AbortSignal;
  /** The findings for hosts. */
  readonly found: JsonObject[];
}

export interface ErrorsOptions {
  readonly servers: LanguageServers;
  /** Whether the text of a file that the model did not name may be shown. */
  readonly mayShow: (path: string) => boolean;
  /** The content of a file before a change, by its hash. */
  readonly contentOf: (hash: string) => Uint8Array | undefined;
  readonly waitMs?: number;
  /** The code index of a folder, if it has one. */
  readonly existingIndex?: (env: ExecutionEnvironment) => Promise<CodeIndex | undefined>;
}

export class ErrorsAfterEdit {
  readonly #servers: LanguageServers;
  readonly #mayShow: (path: string) => boolean;
  readonly #contentOf: ErrorsOptions["contentOf"];
  readonly #waitMs: number;
  /** By server and path. */
  readonly #known = new Map<string, Known>();
  /** By agent: subagents share their parent's servers, but only hear about their own edits. */
  readonly #inputs = new Map<string, AgentInput>();
  readonly #background = new Set<Promise<void>>();
  readonly #existingIndex: NonNullable<ErrorsOptions["existingIndex"]>;

  constructor({ servers, mayShow, contentOf, waitMs = WAIT_MS, existingIndex = async () => undefined }: ErrorsOptions) {
    this.#waitMs = waitMs;
    this.#existingIndex = existingIndex;
    this.#servers = servers;
    this.#mayShow = mayShow;
    this.#contentOf = contentOf;
  }

  /** Starts a new input, which forgets the errors of the one before. */
  begin(agent?: string): void {
    const input = this.#inputOf(agent);
    input.brought.clear();
    input.complaints.clear();
    input.hasReminded = false;
  }

  /** Adds errors to the result of a call; undefined if there is nothing to add. */
  async after(
    result: ToolResult,
    env: ExecutionEnvironment,
    signal: AbortSignal,
    agent?: string,
  ): Promise<ToolResult | undefined> {
    for (const path of result.reads ?? []) this.#prepare(path, env);
    const changes = (result.changes ?? []).map(({ path, before, after }) => ({
      path,
      isGone: after === undefined,
      before: before && Buffer.from(this.#contentOf(before.sha256) ?? []).toString("utf8"),
    }));
    if (changes.length === 0) return undefined;
    const found: JsonObject[] = [];
    const said = await this.#check(changes, this.#inputOf(agent), found, env, signal);
    return said === undefined ? undefined : withFindings(result, said, found);
  }

  /** When the model stops, reminds it once of the errors that its changes introduced and that still exist. */
  async remind(env: ExecutionEnvironment, signal: AbortSignal, agent?: string): Promise<StopVerdict> {
    const input = this.#inputOf(agent);
    if (input.brought.size === 0 || input.hasReminded) return undefined;
    input.hasReminded = true;
    const left = await this.#remainingErrors([...input.brought], env, signal);
    if (left.length === 0) return undefined;
    return { continueWith: `These errors came with your changes and are still there:\n${left.join("\n")}` };
  }

  /** What the model should know after these changes; undefined if no server is responsible or nothing got worse. */
  async #check(
    changes: readonly Change[],
    input: AgentInput,
    found: JsonObject[],
    env: ExecutionEnvironment,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const asked = new Map([
      ...input.owed,
      ...changes.map((change) => [change.path, sinceOwed(change, input)] as const),
    ]);
    const isLate = input.owed.size > 0;
    input.owed.clear();
    const byServer = await this.#byServer([...asked.values()], env);
    if (byServer.size === 0) return undefined;
    const lines: string[] = [];
    const bounded = abortAfter(isLate ? LATE_MS : this.#waitMs, signal);
    for (const [server, its] of byServer)
      lines.push(...(await server.inTurn(() => this.#checkWith(server, its, { input, found, env, bounded, signal }))));
    if (lines.length === 0) return undefined;
    const more = lines.length - MOST_LINES;
    return [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`… and ${more} more lines`] : [])].join("\n");
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#background);
  }

  // ---- internals ----

  #inputOf(agent = ""): AgentInput {
    const input = this.#inputs.get(agent) ?? {
      owed: new Map(),
      brought: new Set(),
      complaints: new Set(),
      hasReminded: false,
    };
    this.#inputs.set(agent, input);
    return input;
  }

  async #byServer(changes: readonly Change[], env: ExecutionEnvironment) {
    const found = new Map<LanguageServer, Change[]>();
    for (const change of changes)
      for (const { server } of await this.#servers.forFile(change.path, env))
        if (server) found.set(server, [...(found.get(server) ?? []), change]);
    return found;
  }

  async #checkWith(
    server: LanguageServer,
    changes: readonly Change[],
    { input, found, env, bounded, signal }: Check,
  ): Promise<string[]> {
    const lines: string[] = [];
    const asked = new Map(changes.map((change) => [change.path, change]));
    const left = new Map(asked);
    try {
      const live = await server.use(bounded);
      const index = await this.#existingIndex(env);
      const { paths: dependents, left: unchecked } = await this.#dependentsOf(changes, server, env, index, bounded);
      await this.#noteEarlier(changes, dependents, server, live, bounded);
      const published = live.publishedCount;
      await live.refresh(changes.map(changeOnDisk));
      const compare = async (path: string): Promise<void> => {
        const said = await this.#compare(server, live, path, env, bounded);
        if (said.hasNew) input.brought.add(path);
        if (said.lines.length > 0) found.push({ path: shortPath(path, env), ...said.facts });
        lines.push(...said.lines);
      };
      for (const { path, isGone } of changes) {
        if (!isGone) await compare(path);
        left.delete(path);
      }
      if (unchecked > 0) lines.push(`Not checked: ${countOf(unchecked, "more file")} that use what was edited`);
      for (const path of dependents) await compare(path);
      // Some servers publish by themselves what else has changed.
      const seen = new Set([...dependents, ...changes.map(({ path }) => path)]);
      for (const path of live.publishedSince(published))
        if (!seen.has(path) && this.#mayShow(path)) await compare(path);
      const { complaint } = live;
      if (complaint !== undefined && !input.complaints.has(complaint))
        lines.push(`${server.row.name} may not have checked ${this.#nameFiles(changes, asked, env)}: ${complaint}`);
      if (complaint !== undefined) input.complaints.add(complaint);
    } catch (error) {
      signal.throwIfAborted();
      // If a server complains about itself, no late answer will follow.
      const owed = left.size > 0 ? left : asked;
      if (server.live?.complaint === undefined) for (const [path, change] of owed) input.owed.set(path, change);
      // There are two limits: one for the request, and one for all of them together.
      const isLate = bounded.aborted || error instanceof LateAnswer;
      const late = server.live?.complaint ?? "no answer yet; its errors follow with the next result";
      const why = isLate ? late : messageOf(error);
      lines.push(`${server.row.name} has not checked ${this.#nameFiles(changes, left, env)}: ${why}`);
    }
    return lines;
  }

  /** The files that were not checked, or all of them if only their dependents were not. */
  #nameFiles(changes: readonly Change[], left: ReadonlyMap<string, Change>, env: ExecutionEnvironment): string {
    const all = changes.map(({ path }) => path);
    const paths = (left.size > 0 ? [...left.keys()] : all).map((path) => shownPath(path, env));
    const named = paths.length > MOST_NAMED ? [...paths.slice(0, MOST_NAMED), "…"].join(", ") : paths.join(", ");
    return left.size > 0 ? named : `what depends on ${named}`;
  }

  /** Lines about new and fixed errors in a file since it was last checked. */
  async #compare(
    server: LanguageServer,
    live: LiveServer,
    path: string,
    env: ExecutionEnvironment,
    signal: AbortSignal,
  ): Promise<{ readonly lines: readonly string[]; readonly hasNew: boolean; readonly facts?: JsonObject }> {
    const key = keyOf(server, path);
    const before = this.#known.get(key);
    const errors = await this.#errorsOf(live, path, signal);
    this.#known.set(key, countMessages(errors));
    const left = new Map(before ?? []);
    const fresh = errors.filter(({ message }) => {
      const known = left.get(message) ?? 0;
      left.set(message, known - 1);
      return known <= 0;
    });
    const fixed = [...left.values()].reduce((sum, count) => sum + Math.max(0, count), 0);
    const older = errors.length - fresh.length;
    if (fresh.length === 0 && fixed === 0) return { lines: [], hasNew: false };
    const text = await env.readFile(path);
    const facts = [
      ...(fresh.length > 0 ? [before ? countOf(fresh.length, "new error") : countOf(fresh.length, "error")] : []),
      ...(fixed > 0 ? [`${fixed} fixed`] : []),
      ...(older > 0 ? [`${older} from before`] : []),
    ];
    const shown = problemLines(fresh, text, live.encoding).map((line) => `  ${line}`);
    const errorsNow = fresh.map(({ range: { start }, message }) => ({ line: start.line + 1, message }));
    return {
      lines: [`${shownPath(path, env)}: ${facts.join(", ")}`, ...shown],
      hasNew: fresh.length > 0,
      facts: { server: server.row.name, errors: errorsNow, fixed, older },
    };
  }

  /** Records the errors from before the changes, for files that were never checked. */
  async #noteEarlier(
    changes: readonly Change[],
    dependents: readonly string[],
    server: LanguageServer,
    live: LiveServer,
    signal: AbortSignal,
  ): Promise<void> {
    const isKnown = (path: string): boolean => this.#known.has(keyOf(server, path));
    const note = async (path: string, earlier?: string): Promise<void> => {
      this.#known.set(keyOf(server, path), countMessages(await this.#errorsOf(live, path, signal, earlier)));
    };
    for (const { path, before } of changes)
      if (before === undefined && !isKnown(path)) this.#known.set(keyOf(server, path), new Map());
    // A server that reads the disk already finds the changed files there, so it cannot tell the earlier errors of other
    // files.
    const unknown = server.row.readsDisk ? [] : dependents.filter((path) => !isKnown(path));
    const edited = changes.filter(({ path, isGone }) => !isGone && (unknown.length > 0 || !isKnown(path)));
    // The server gets all of them in their earlier state before it is asked about the first one.
    for (const { path, before } of edited) await live.show(path, before);
    for (const { path, before } of edited) if (!isKnown(path)) await note(path, before);
    for (const path of unknown) await note(path);
  }

  async #dependentsOf(
    changes: readonly Change[],
    { row }: LanguageServer,
    env: ExecutionEnvironment,
    index: CodeIndex | undefined,
    signal: AbortSignal,
  ) {
    if (row.isLinter) return { paths: [], left: 0 };
    const soon = abortAfter(INDEX_MS, signal);
    const paths = changes.map(({ path }) => path);
    const found =
      (index && (await dependentsInIndex(paths, row, index, soon))) ?? (await findDependents(paths, row, env, signal));
    const shown = found.filter(this.#mayShow);
    return { paths: shown.slice(0, MOST_DEPENDENTS), left: Math.max(0, shown.length - MOST_DEPENDENTS) };
  }

  async #errorsOf(live: LiveServer, path: string, signal: AbortSignal, earlier?: string): Promise<Problem[]> {
    const findings = await live.findProblems(path, this.#waitMs, signal, earlier);
    if ("unknown" in findings)
      throw findings.isLate ? new LateAnswer(findings.unknown) : new ToolFailure(findings.unknown);
    return findings.problems.filter(isError);
  }

  async #remainingErrors(paths: readonly string[], env: ExecutionEnvironment, signal: AbortSignal): Promise<string[]> {
    const lines: string[] = [];
    const bounded = abortAfter(this.#waitMs, signal);
    for (const path of paths)
      for (const { server } of await this.#servers.forFile(path, env)) {
        if (!server?.live) continue;
        const { live } = server;
        const errors = await this.#errorsOf(live, path, bounded).catch(() => []);
        if (errors.length === 0) continue;
        const text = await env.readFile(path);
        lines.push(`${shownPath(path, env)}:`, ...problemLines(errors, text, live.encoding).map((line) => `  ${line}`));
      }
    return lines.slice(0, MOST_LINES);
  }

  /** Starts the server in the background when a file is first read. */
  #prepare(path: string, env: ExecutionEnvironment): void {
    const work = this.#startFor(path, env).catch(() => {
      // The edit tries again and reports the problem.
    });
    this.#background.add(work);
    void work.finally(() => this.#background.delete(work));
  }

  async #startFor(path: string, env: ExecutionEnvironment): Promise<void> {
    const signal = abortAfter(LATE_MS);
    for (const { server } of await this.#servers.forFile(path, env)) await server?.use(signal);
  }
}

/** The change since the first unchecked one of the same file: everything that came after that counts as new. */
const sinceOwed = (change: Change, { owed }: AgentInput): Change => {
  const first = owed.get(change.path);
  return first ? { ...change, before: first.before } : change;
};

const changeOnDisk = ({ path, isGone, before }: Change): FileChange => ({
  path,
  type: isGone ? 3 : before === undefined ? 1 : 2,
});

const keyOf = ({ key }: LanguageServer, path: string): string => `${key}\0${path}`;

const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

function countMessages(problems: readonly Problem[]): Known {
  const counts = new Map<string, number>();
  for (const { message } of problems) counts.set(message, (counts.get(message) ?? 0) + 1);
  return counts;
}

/** Adds the errors as text for the model and as data for hosts. */
function withFindings(result: ToolResult, text: string, diagnostics: JsonObject[]): ToolResult {
  const details = isJsonObject(result.details) ? result.details : {};
  const meta = isJsonObject(details["meta"]) ? details["meta"] : {};
  return {
    ...result,
    content: [...result.content, { kind: "text", text: `\n${text}` }],
    ...(diagnostics.length === 0 ? {} : { details: { ...details, meta: { ...meta, diagnostics } } }),
  };
}
