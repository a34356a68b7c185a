// One running language server: what it can do, the files that it was shown, and what it says about them.

import type { ExecutionEnvironment, TwoWayProcess } from "@lathe/agent/world";
import { isJsonObject, messageOf } from "@lathe/llm";
import { toPath, toUri } from "./addresses.ts";
import type { Encoding } from "./positions.ts";
import { CLIENT_CAPABILITIES, type Problem, problemsIn } from "./protocol.ts";
import { type RequestOptions, RpcConnection, ServerRefusal } from "./rpc-connection.ts";
import { languageOf, type ServerRow, settingOf } from "./server-rows.ts";

/** What is known about a file's problems. `unknown`: why nothing is. */
export type Findings = { readonly problems: readonly Problem[] } | { readonly unknown: string };

export interface ServerStart {
  readonly row: ServerRow;
  readonly root: string;
  readonly env: ExecutionEnvironment;
  readonly process: TwoWayProcess;
}

interface ShownFile {
  readonly path: string;
  version: number;
  text: string;
}

interface Published {
  readonly problems: readonly Problem[];
  readonly version: number | undefined;
  /** Counts what was published, so that an older list is told from a newer one without a version. */
  readonly at: number;
}

const START_TIMEOUT_MS = 30_000;
const LOADING_MS = 15_000;
/** A server that has begun no work by then has none to do. */
const WORK_BEGINS_MS = 300;
/** Some servers publish syntax errors first and the others right after. */
const QUIET_MS = 200;
const MOST_SHOWN = 200;
const MOST_PUBLISHED = 2000;
const LARGEST_FILE = 4 * 1024 * 1024;
const SERVER_CANCELLED = -32802;
const CONTENT_MODIFIED = -32801;
const RETRIES = 3;

export class LiveServer {
  readonly row: ServerRow;
  readonly connection: RpcConnection;
  capabilities: Readonly<Record<string, unknown>> = {};
  encoding: Encoding = "utf-16";
  readonly #root: string;
  readonly #env: ExecutionEnvironment;
  readonly #process: TwoWayProcess;
  /** By path, in the order of their last use. */
  readonly #shown = new Map<string, ShownFile>();
  readonly #published = new Map<string, Published>();
  readonly #listeners = new Set<() => void>();
  readonly #work = new Set<unknown>();
  /** While a command of the server runs, the edits that it asks for. */
  #askedEdits: unknown[] | undefined;
  #hasWorked = false;
  #publications = 0;
  #pulls = false;
  #watches = false;
  #loaded: Promise<void> | undefined;

  private constructor({ row, root, env, process }: ServerStart) {
    this.row = row;
    this.#root = root;
    this.#env = env;
    this.#process = process;
    this.connection = new RpcConnection(process, {
      request: (method, params) => this.#answer(method, params),
      notification: (method, params) => this.#notice(method, params),
    });
  }

  static async start(start: ServerStart, signal?: AbortSignal): Promise<LiveServer> {
    const server = new LiveServer(start);
    try {
      await server.#initialize(signal);
      return server;
    } catch (error) {
      await start.process.stop(0);
      throw error;
    }
  }

  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown> {
    return this.connection.request(method, params, options);
  }

  /** The same for a file: a server whose picture changed meanwhile is asked again. */
  async ask(method: string, params: unknown, options?: RequestOptions): Promise<unknown> {
    for (let tries = 1; ; tries++)
      try {
        return await this.request(method, params, options);
      } catch (error) {
        const isPassing =
          error instanceof ServerRefusal && (error.code === SERVER_CANCELLED || error.code === CONTENT_MODIFIED);
        if (!isPassing || tries > RETRIES) throw error;
      }
  }

  can(name: string): boolean {
    return Boolean(this.capabilities[name]);
  }

  /** Those that the server runs itself. */
  get commands(): readonly string[] {
    const provider = this.capabilities["executeCommandProvider"];
    const names = isJsonObject(provider) ? provider["commands"] : undefined;
    return Array.isArray(names) ? names.map(String) : [];
  }

  /** Runs one of its commands. Returns the edits that it asked for: nothing is applied here. */
  async runCommand(command: string, args: unknown, options?: RequestOptions): Promise<readonly unknown[]> {
    if (this.#askedEdits) throw new Error("another command of the server is running");
    const edits: unknown[] = [];
    this.#askedEdits = edits;
    try {
      await this.request("workspace/executeCommand", { command, arguments: args ?? [] }, options);
    } catch (error) {
      // Some do more after their edit, which only an editor can answer.
      if (!(error instanceof ServerRefusal) || edits.length === 0) throw error;
    } finally {
      this.#askedEdits = undefined;
    }
    return edits;
  }

  /** Shows the file as it is now. Undefined: it is gone, or too large to be shown. `earlier`: as it was then. */
  async show(path: string, earlier?: string): Promise<string | undefined> {
    const stat = await this.#env.stat(path);
    if (stat?.kind !== "file" || stat.size > LARGEST_FILE) {
      this.hide(path);
      return undefined;
    }
    const text = (earlier ?? (await this.#env.readFile(path))).replace(/^\uFEFF/, "");
    const known = this.#shown.get(path);
    const textDocument = { uri: toUri(path), version: (known?.version ?? 0) + 1 };
    this.#shown.delete(path);
    this.#shown.set(path, { path, text, version: known?.text === text ? known.version : textDocument.version });
    if (known === undefined) {
      this.connection.notify("textDocument/didOpen", {
        textDocument: { ...textDocument, languageId: languageOf(path, this.row), text },
      });
      for (const oldest of this.#shown.keys()) if (this.#shown.size > MOST_SHOWN) this.hide(oldest);
    } else if (known.text !== text) {
      this.connection.notify("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
      this.connection.notify("textDocument/didSave", { textDocument: { uri: textDocument.uri }, text });
    }
    return text;
  }

  hide(path: string): void {
    if (!this.#shown.delete(path)) return;
    this.connection.notify("textDocument/didClose", { textDocument: { uri: toUri(path) } });
  }

  /** Shows a text that the file may get. Afterwards it is shown as it is. */
  async withDraft<T>(path: string, text: string, work: () => Promise<T>): Promise<T> {
    const known = this.#shown.get(path);
    const version = (known?.version ?? 0) + 1;
    const uri = toUri(path);
    this.#shown.set(path, { path, text, version });
    if (known === undefined)
      this.connection.notify("textDocument/didOpen", {
        textDocument: { uri, version, languageId: languageOf(path, this.row), text },
      });
    else
      this.connection.notify("textDocument/didChange", {
        textDocument: { uri, version },
        contentChanges: [{ text }],
      });
    try {
      return await work();
    } finally {
      await this.show(path);
    }
  }

  /** Files changed on the disk, by whomever: the shown ones are sent again, the others are named. */
  async tellChanges(paths: readonly { readonly path: string; readonly type: 1 | 2 | 3 }[]): Promise<void> {
    if (this.#watches && paths.length > 0)
      this.connection.notify("workspace/didChangeWatchedFiles", {
        changes: paths.map(({ path, type }) => ({ uri: toUri(path), type })),
      });
    for (const path of [...this.#shown.keys()]) await this.show(path);
  }

  get shownPaths(): readonly string[] {
    return [...this.#shown.keys()];
  }

  /** The problems of a file as it is now. It is shown first where the server has to publish them. */
  async findProblems(path: string, timeoutMs: number, signal?: AbortSignal, earlier?: string): Promise<Findings> {
    const before = this.#publications;
    if ((await this.show(path, earlier)) === undefined) return { unknown: "the file is gone or too large" };
    const { version } = this.#shown.get(path)!;
    try {
      if (this.#pulls) return await this.#pull(path, { timeoutMs, signal });
    } catch (error) {
      signal?.throwIfAborted();
      return { unknown: messageOf(error) };
    }
    return this.#awaitPublished(path, version, before, timeoutMs, signal);
  }

  /** Whether it answers about files that were not opened. */
  get answersUnopened(): boolean {
    return this.#pulls;
  }

  /** Whether it answers about all files of the project at once. */
  get answersForProject(): boolean {
    const provider = this.capabilities["diagnosticProvider"];
    return isJsonObject(provider) && provider["workspaceDiagnostics"] === true;
  }

  /** Resolves when it has read the project, as far as it says so. */
  loaded(): Promise<void> {
    this.#loaded ??= this.#awaitLoaded();
    return this.#loaded;
  }

  async stop(): Promise<void> {
    if (!this.connection.hasEnded)
      await this.request("shutdown", undefined, { timeoutMs: 1000 }).then(
        () => this.connection.notify("exit"),
        () => {}, // it is ended below, whatever it says
      );
    await this.#process.stop();
  }

  // ---- inside ----

  async #initialize(signal?: AbortSignal): Promise<void> {
    const { row } = this;
    const folder = { uri: toUri(this.#root), name: this.#root.slice(this.#root.lastIndexOf("/") + 1) };
    const params = {
      // It may run where this process has another number; it ends with its pipe.
      processId: null,
      clientInfo: { name: "lathe", version: LATHE_VERSION },
      rootUri: folder.uri,
      rootPath: this.#root,
      workspaceFolders: [folder],
      capabilities: CLIENT_CAPABILITIES,
      ...(row.initOptions ? { initializationOptions: row.initOptions } : {}),
    };
    const timeoutMs = row.startTimeoutMs ?? START_TIMEOUT_MS;
    const answer = await this.request("initialize", params, { timeoutMs, signal });
    const capabilities = isJsonObject(answer) ? answer["capabilities"] : undefined;
    this.capabilities = isJsonObject(capabilities) ? capabilities : {};
    const encoding = this.capabilities["positionEncoding"];
    this.encoding = encoding === "utf-8" || encoding === "utf-32" ? encoding : "utf-16";
    this.#pulls = this.can("diagnosticProvider");
    this.connection.notify("initialized", {});
    if (row.settings) this.connection.notify("workspace/didChangeConfiguration", { settings: row.settings });
  }

  #answer(method: string, params: unknown): unknown {
    const given = isJsonObject(params) ? params : {};
    switch (method) {
      case "workspace/configuration": {
        const items = Array.isArray(given["items"]) ? given["items"] : [];
        return items.map((item) => settingOf(this.row.settings, isJsonObject(item) ? item["section"] : undefined));
      }
      case "workspace/workspaceFolders":
        return [{ uri: toUri(this.#root), name: this.#root }];
      case "client/registerCapability":
        this.#register(given["registrations"]);
        return null;
      // Only a command that we run may ask for changes.
      case "workspace/applyEdit":
        this.#askedEdits?.push(given["edit"]);
        if (this.#askedEdits) return { applied: true };
        return { applied: false, failureReason: "This client applies only what it has asked for." };
      case "client/unregisterCapability":
      case "window/workDoneProgress/create":
      case "window/showMessageRequest":
      case "workspace/diagnostic/refresh":
      case "workspace/semanticTokens/refresh":
      case "workspace/inlayHint/refresh":
      case "workspace/codeLens/refresh":
        return null;
      default:
        throw new Error(`${method} is not offered`);
    }
  }

  #register(registrations: unknown): void {
    for (const one of Array.isArray(registrations) ? registrations : []) {
      const method = isJsonObject(one) ? one["method"] : undefined;
      if (method === "textDocument/diagnostic") this.#pulls = true;
      if (method === "workspace/didChangeWatchedFiles") this.#watches = true;
    }
    this.#changed();
  }

  #notice(method: string, params: unknown): void {
    if (!isJsonObject(params)) return;
    if (method === "textDocument/publishDiagnostics") this.#publish(params);
    if (method === "$/progress") {
      const { token, value } = params;
      const kind = isJsonObject(value) ? value["kind"] : undefined;
      if (kind === "begin") this.#work.add(token);
      if (kind === "end") this.#work.delete(token);
      this.#hasWorked = true;
    }
    this.#changed();
  }

  #publish({ uri, version, diagnostics }: Readonly<Record<string, unknown>>): void {
    const path = typeof uri === "string" ? toPath(uri) : undefined;
    if (path === undefined) return;
    this.#published.delete(path);
    this.#published.set(path, {
      problems: problemsIn(diagnostics),
      version: typeof version === "number" ? version : undefined,
      at: ++this.#publications,
    });
    for (const other of this.#published.keys()) {
      if (this.#published.size <= MOST_PUBLISHED) break;
      if (!this.#shown.has(other)) this.#published.delete(other);
    }
  }

  async #pull(path: string, options: RequestOptions): Promise<Findings> {
    const answer = await this.ask("textDocument/diagnostic", { textDocument: { uri: toUri(path) } }, options);
    const items = isJsonObject(answer) ? answer["items"] : undefined;
    return Array.isArray(items) ? { problems: problemsIn(items) } : { unknown: "it gave no list of problems" };
  }

  async #awaitPublished(
    path: string,
    version: number,
    before: number,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Findings> {
    const isNew = (): boolean => {
      const { version: of, at = 0 } = this.#published.get(path) ?? {};
      return of === undefined ? at > before : of >= version;
    };
    const ended = this.connection.ended.then((why) => ({ unknown: why }));
    const found = this.#until(isNew, timeoutMs, signal).then(async (isThere): Promise<Findings> => {
      // It may have said meanwhile that it wants to be asked.
      if (!isThere && this.#pulls) return this.#pull(path, { timeoutMs, signal });
      if (!isThere) return { unknown: `no answer in ${timeoutMs / 1000} s` };
      await this.#quiet(signal);
      return { problems: this.#published.get(path)?.problems ?? [] };
    });
    return Promise.race([ended, found]);
  }

  /** Until nothing was published for a while. */
  async #quiet(signal?: AbortSignal): Promise<void> {
    for (let at = -1; at !== this.#publications; ) {
      at = this.#publications;
      await this.#until(() => this.#publications !== at, QUIET_MS, signal);
    }
  }

  async #awaitLoaded(): Promise<void> {
    await this.#until(() => this.#hasWorked, WORK_BEGINS_MS);
    await this.#until(() => this.#work.size === 0, LOADING_MS);
  }

  #until(isTrue: () => boolean, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    if (isTrue()) return Promise.resolve(true);
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        this.#listeners.delete(look);
        signal?.removeEventListener("abort", abort);
        settle();
      };
      const look = (): void => {
        if (isTrue()) end(() => resolve(true));
      };
      const abort = (): void => end(() => reject(signal?.reason as Error));
      const timer = setTimeout(() => end(() => resolve(isTrue())), timeoutMs);
      this.#listeners.add(look);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
