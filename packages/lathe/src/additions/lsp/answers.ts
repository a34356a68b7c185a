// Answers the actions of the tool `lsp`: finds the server for the file, asks it, and turns its answer into text for the
// model.

import { type ExecutionEnvironment, ToolFailure } from "@lathe/agent";
import { visibleName } from "@lathe/agent/base";
import type { LanguageServices, LspAction, LspQuestion } from "@lathe/agent/tools";
import { isJsonObject, messageOf, parseJson } from "@lathe/llm";
import { toPath, toUri } from "./addresses.ts";
import { isFor } from "./find-servers.ts";
import type { LanguageServers, UsableServer } from "./language-servers.ts";
import type { Findings, LiveServer } from "./live-server.ts";
import { NoServer, needsOf, noServerText, notShownFailure, type Place, Places, shownPath } from "./places.ts";
import { columnOf, linesOf } from "./positions.ts";
import { problemLines } from "./problem-lines.ts";
import { problemsOfProject } from "./project-problems.ts";
import { type Location, locationsIn } from "./protocol.ts";
import type { Refactorings } from "./refactorings.ts";
import { stateOf } from "./server-state.ts";
import { showCalls, showHover, showSymbols } from "./show-answers.ts";
import { filesWithName, showUsers } from "./whole-rename.ts";

/** Requests about a place in a file. */
const PLACE_METHODS: Partial<Record<LspAction, readonly [method: string, capability: string]>> = {
  definition: ["textDocument/definition", "definitionProvider"],
  type_definition: ["textDocument/typeDefinition", "typeDefinitionProvider"],
  implementation: ["textDocument/implementation", "implementationProvider"],
  references: ["textDocument/references", "referencesProvider"],
  hover: ["textDocument/hover", "hoverProvider"],
  calls: ["textDocument/prepareCallHierarchy", "callHierarchyProvider"],
};

const TIMEOUT_MS = 20_000;
const DIAGNOSTICS_MS = 10_000;
const MOST_FILES = 20;
const MOST_LOCATIONS = 200;
const SHOWN_LINES = 50;
const LONGEST_LINE = 200;

export interface AnswersOptions {
  readonly servers: LanguageServers;
  readonly refactorings: Refactorings;
  /** Whether the text of a file that the request did not name may be shown. */
  readonly mayShow: (path: string) => boolean;
}

export class Answers implements Pick<LanguageServices, "answer"> {
  readonly #servers: LanguageServers;
  readonly #places: Places;
  readonly #refactorings: Refactorings;
  readonly #mayShow: (path: string) => boolean;

  constructor({ servers, mayShow, refactorings }: AnswersOptions) {
    this.#refactorings = refactorings;
    this.#servers = servers;
    this.#places = new Places(servers);
    this.#mayShow = mayShow;
  }

  async answer(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<string> {
    switch (question.action) {
      case "status":
        return this.#status(env);
      case "capabilities":
        return this.#capabilities();
      case "reload":
        return this.#reload();
      case "diagnostics":
        return this.#diagnostics(question, env, signal);
      case "symbols":
        return this.#symbols(question, env, signal);
      case "request":
        return this.#request(question, env, signal);
      case "code_actions":
        return this.#refactorings.listActions(question, env, signal);
      default:
        return this.#aboutPlace(question, env, signal);
    }
  }

  // ---- places ----

  async #aboutPlace(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<string> {
    const { action, query, timeoutMs = TIMEOUT_MS } = question;
    const [method, capability] = PLACE_METHODS[action] ?? ["", ""];
    const place = await this.#places.placeOf(question, capability, env, signal);
    const { live, file, position, name } = place;
    await live.waitUntilLoaded(file, { timeoutMs, signal });
    const params = { textDocument: { uri: toUri(file) }, position };
    const options = { timeoutMs, signal };
    const ask = (more: object = {}): Promise<unknown> => live.ask(method, { ...params, ...more }, options);
    if (action === "hover") return showHover(await ask()) ?? `Nothing is known about ${name}.`;
    if (action === "calls") {
      const direction = query === "outgoing" ? "outgoing" : "incoming";
      const [item] = [await ask()].flat();
      if (!isJsonObject(item)) return `${name} cannot be called.`;
      const calls = await live.ask(`callHierarchy/${direction}Calls`, { item }, options);
      return showCalls(calls, direction, name, (path) => shownPath(path, env));
    }
    const locations = locationsIn(await (action === "references" ? this.#references(place, ask, env, signal) : ask()));
    if (locations.length === 0) return `No ${action.replaceAll("_", " ")} of ${name} was found.`;
    return this.#showLocations(locations, live, env);
  }

  /** A server without an index knows only the files that it was shown. */
  async #references(
    { live, name }: Place,
    ask: (more: object) => Promise<unknown>,
    env: ExecutionEnvironment,
    signal: AbortSignal,
  ): Promise<unknown> {
    if (live.row.readsDisk) await showUsers(await filesWithName(name, live, env, signal), live, signal);
    return ask({ context: { includeDeclaration: true } });
  }

  async #showLocations(locations: readonly Location[], live: LiveServer, env: ExecutionEnvironment): Promise<string> {
    const lines: string[] = [];
    const texts = new Map<string, string[] | undefined>();
    for (const { uri, range } of locations.slice(0, MOST_LOCATIONS)) {
      const path = toPath(uri);
      if (path === undefined) {
        lines.push(visibleName(uri));
        continue;
      }
      if (!texts.has(path) && lines.length < SHOWN_LINES) texts.set(path, await this.#linesOfFile(path, env));
      const text = texts.get(path)?.[range.start.line];
      const column = text === undefined ? range.start.character : columnOf(text, range.start.character, live.encoding);
      const shown = text === undefined || lines.length >= SHOWN_LINES ? "" : `  ${text.trim().slice(0, LONGEST_LINE)}`;
      lines.push(`${shownPath(path, env)}:${range.start.line + 1}:${column + 1}${shown}`);
    }
    if (locations.length > MOST_LOCATIONS) lines.push(`… and ${locations.length - MOST_LOCATIONS} more`);
    return lines.join("\n");
  }

  async #linesOfFile(path: string, env: ExecutionEnvironment): Promise<string[] | undefined> {
    const real = (await env.stat(path))?.realPath;
    if (real === undefined || !this.#mayShow(real)) return undefined;
    return linesOf(await env.readFile(path));
  }

  // ---- files and projects ----

  async #symbols(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<string> {
    const { file, query, timeoutMs = TIMEOUT_MS } = question;
    if (file !== undefined) {
      const live = await this.#places.liveFor(file, "documentSymbolProvider", env, signal);
      if ((await live.show(file)) === undefined) throw await notShownFailure(file, env);
      const params = { textDocument: { uri: toUri(file) } };
      const found = await live.ask("textDocument/documentSymbol", params, { timeoutMs, signal });
      return showSymbols(found, (path) => shownPath(path, env)) || "It has no symbols.";
    }
    if (!query) throw new ToolFailure("Give `file` for the symbols of a file, or `query` for those of the project.");
    const lines: string[] = [];
    const fitting = (await this.#servers.forProject(env)).filter(({ row }) => !row.isLinter);
    const reasons = fitting.flatMap(reasonOf);
    let hasAnswered = false;
    for (const { row, server } of fitting) {
      if (!server) continue;
      try {
        const live = await server.use(signal);
        await live.refresh();
        if (!live.can("workspaceSymbolProvider")) {
          reasons.push(`${row.name} does not offer this`);
          continue;
        }
        await live.waitUntilLoaded();
        const found = await live.ask("workspace/symbol", { query }, { timeoutMs, signal });
        lines.push(showSymbols(found, (path) => shownPath(path, env)));
        hasAnswered = true;
      } catch (error) {
        signal.throwIfAborted();
        reasons.push(`${row.name}: ${messageOf(error)}`);
        lines.push(`${row.name} gave no answer: ${messageOf(error)}`);
      }
    }
    if (!hasAnswered) throw new NoServer(noServerText(env.workingDirectory(), reasons, env));
    return lines.filter((text) => text !== "").join("\n") || `No symbol of the project matches ${query}.`;
  }

  async #diagnostics(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<string> {
    const { file, timeoutMs = DIAGNOSTICS_MS } = question;
    if (file === undefined) throw new ToolFailure("Give `file`: a path, a glob, or `*` for the whole project.");
    if (file === "*") return this.#projectProblems(question, env, signal);
    const isGlob = /[*?[{]/.test(file);
    const found = isGlob ? await env.glob(file, env.workingDirectory(), { maxResults: MOST_FILES }) : undefined;
    const files = found?.paths.map((path) => env.resolve(path)).filter(this.#mayShow) ?? [file];
    if (files.length === 0) throw new ToolFailure(`No file matches ${file}.`);
    const sections: string[] = [];
    for (const path of files) {
      const lines = await this.problemsOf(path, env, { timeoutMs, signal });
      sections.push(files.length === 1 ? lines.join("\n") : [`${shownPath(path, env)}:`, ...lines].join("\n"));
    }
    if (found?.truncated) sections.push(`Only the ${MOST_FILES} newest files were checked: name fewer.`);
    return sections.join("\n");
  }

  /** Waits until each server has read the project, because before that it would report no problems. */
  async #projectProblems(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<string> {
    const fitting = await this.#servers.forProject(env);
    const used = fitting.filter(({ server }) => server);
    if (used.length === 0) throw new ToolFailure(noServerText(env.workingDirectory(), fitting.flatMap(reasonOf), env));
    const parts = used.map(async ({ row, root, server }): Promise<string[]> => {
      try {
        const live = await server!.use(signal);
        await live.refresh();
        return await problemsOfProject(live, root, env, { ...question, signal, mayShow: this.#mayShow });
      } catch (error) {
        signal.throwIfAborted();
        return [`${row.name} has not checked the project: ${messageOf(error)}`];
      }
    });
    const found = await Promise.all(parts);
    const clean = used.filter((_, at) => found[at]?.length === 0).map(({ row }) => row.name);
    if (clean.length === used.length) return "OK";
    return [...(clean.length === 0 ? [] : [`${clean.join(", ")}: OK`]), ...found.flat()].join("\n");
  }

  /** Every server's problems in a file; a server without an answer is listed with the reason. */
  async problemsOf(
    path: string,
    env: ExecutionEnvironment,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<string[]> {
    const fitting = await this.#servers.forFile(path, env);
    if (!fitting.some(({ server }) => server)) {
      const known = fitting.length > 0 ? [] : this.#servers.rows.filter((row) => isFor(row, path)).map(needsOf);
      throw new ToolFailure(noServerText(path, [...fitting.flatMap(reasonOf), ...known], env));
    }
    const lines: string[] = [];
    let isClean = true;
    for (const { row, server } of fitting) {
      if (!server) continue;
      const findings = await server.use(signal).then(
        async (live): Promise<Findings & { live?: LiveServer }> => {
          await live.refresh();
          await live.waitUntilLoaded();
          return { ...(await live.findProblems(path, timeoutMs, signal)), live };
        },
        (error: unknown) => ({ unknown: messageOf(error) }),
      );
      signal.throwIfAborted();
      if ("unknown" in findings) lines.push(`${row.name} has not checked it: ${findings.unknown}`);
      else lines.push(...problemLines(findings.problems, await env.readFile(path), findings.live!.encoding));
      isClean &&= !("unknown" in findings);
      const { complaint } = server.live ?? {};
      if (complaint !== undefined && !("unknown" in findings))
        lines.push(`${row.name} may not have checked it: ${complaint}`);
    }
    return lines.length === 0 && isClean ? ["OK"] : lines;
  }

  // ---- the servers ----

  /** Sends any method that has no action of its own. Edits that the server requests meanwhile are refused. */
  async #request(question: LspQuestion, env: ExecutionEnvironment, signal: AbortSignal): Promise<string> {
    const { file, line, query, payload, timeoutMs = TIMEOUT_MS } = question;
    if (!query) throw new ToolFailure("Give the method as `query`.");
    const given = payload === undefined ? undefined : parseJson(payload);
    if (payload !== undefined && given === undefined) throw new ToolFailure("`payload` is not JSON.");
    const place =
      file !== undefined && line !== undefined ? await this.#places.placeOf(question, "", env, signal) : undefined;
    const live = place?.live ?? (await this.#places.liveFor(file, "", env, signal));
    if (file !== undefined) await live.show(file);
    await live.waitUntilLoaded();
    const textDocument = file === undefined ? {} : { textDocument: { uri: toUri(file) } };
    const params = given ?? { ...textDocument, ...(place ? { position: place.position } : {}) };
    const answer = await live.ask(query, params, { timeoutMs, signal });
    return JSON.stringify(answer ?? null, null, 1);
  }

  async #status(env: ExecutionEnvironment): Promise<string> {
    const fitting = await this.#servers.forProject(env);
    if (fitting.length === 0) return "No language server fits this project.";
    return fitting.map((one) => `${one.row.name}: ${stateOf(one)}`).join("\n");
  }

  #capabilities(): string {
    const lines = this.#servers.running.map(({ row, live }) => {
      const names = Object.entries(live?.capabilities ?? {}).filter(([, value]) => Boolean(value));
      const own = Object.entries(row.extras ?? {}).filter(([, has]) => has === true);
      const all = [...names.map(([name]) => name.replace(/Provider$/, "")), ...own.map(([name]) => name)];
      return `${row.name}: ${all.join(", ")}`;
    });
    return lines.join("\n") || "No server is running: ask about a file first.";
  }

  async #reload(): Promise<string> {
    const { started } = this.#servers;
    for (const server of started) await this.#servers.restart(server);
    const names = started.map(({ row }) => row.name).join(", ");
    return names === "" ? "No server was running." : `Ended: ${names}. The next request starts them again.`;
  }
}

const reasonOf = ({ row, off }: UsableServer): string[] => (off === undefined ? [] : [`${row.name}: ${off}`]);
