// One running language server: its capabilities, the files that were opened in it, and what it reports about them.

import { abortAfter } from "@lathe/agent/base";
import type { ExecutionEnvironment, TwoWayProcess } from "@lathe/agent/world";
import { isJsonObject, messageOf } from "@lathe/llm";
import { toUri } from "./addresses.ts";
import { ChangeWaiter } from "./change-waiter.ts";
import type { Encoding } from "./positions.ts";
import { type FileChange, ProjectChanges, stampOf } from "./project-changes.ts";
import { CLIENT_CAPABILITIES, type Problem, problemsIn } from "./protocol.ts";
import { PublishedProblems } from "./published-problems.ts";
import { LateAnswer, type RequestOptions, RpcConnection, ServerRefusal } from "./rpc-connection.ts";
import { ServerComplaints } from "./server-complaints.ts";
import type { ServerRow } from "./server-row.ts";
import { languageOf, settingOf } from "./server-rows.ts";
import { awaitTsserverProject, passesToTsserver, tsserverProblems } from "./tsserver-problems.ts";

/** The problems of a file. `unknown`: why there is no answer. */
export type Findings =
  | { readonly problems: readonly Problem[] }
  | { readonly unknown: string; readonly isLate?: boolean };

export interface ServerStart {
  readonly row: ServerRow;
  readonly root: string;
  readonly env: ExecutionEnvironment;
  readonly process: TwoWayProcess;
}

interface ShownFile {
  /** Increases with every text that the server gets, for any file. */
  readonly version: number;
  readonly text: string;
  /** Number of published problem lists when this text was sent. */
  readonly since: number;
  /** The stamp of the file with this text; undefined for a text that is not on disk. */
  readonly stamp?: string | undefined;
}

const START_TIMEOUT_MS = 30_000;
const LOADING_MS = 15_000;
/** A server that has not begun any work by then has none to do. */
const WORK_BEGINS_MS = 300;
const MOST_SHOWN = 500;
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
  /** Files by path, in the order of their last use. */
  readonly #shown = new Map<string, ShownFile>();
  readonly #changes: ProjectChanges;
  readonly #changeWaiter = new ChangeWaiter();
  readonly #published = new PublishedProblems(this.#changeWaiter);
  readonly #work = new Set<unknown>();
  /** Edits that the server requests while one of its commands runs. */
  #askedEdits: unknown[] | undefined;
  readonly #complaints: ServerComplaints;
  #hasWorked = false;
  #lastVersion = 0;
  /** Since this version, other files may have other problems. */
  #lastChange = 0;
  #pulls = false;
  #watches = false;
  #loaded: Promise<boolean> | undefined;

  private constructor({ row, root, env, process }: ServerStart) {
    this.row = row;
    this.#root = root;
    this.#env = env;
    this.#process = process;
    this.#changes = new ProjectChanges(row, root, env);
    this.#complaints = new ServerComplaints(row, root, env);
    this.connection = new RpcConnection(process, {
      request: (method, params) => this.#answer(method, params),
      notification: (method, params) => this.#notice(method, params),
    });
  }

  static async start(start: ServerStart, signal?: AbortSignal): Promise<LiveServer> {
    const server = new LiveServer(start);
    try {
      await Promise.all([server.#initialize(signal), server.#changes.findChanges(), server.#complaints.review()]);
      return server;
    } catch (error) {
      await start.process.stop(0);
      throw error;
    }
  }

  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown> {
    return this.connection.request(method, params, options);
  }

  /** Like `request`, but repeats it if the server cancels because its state changed meanwhile. */
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

  /** The commands that the server runs itself. */
  get commands(): readonly string[] {
    const provider = this.capabilities["executeCommandProvider"];
    const names = isJsonObject(provider) ? provider["commands"] : undefined;
    return Array.isArray(names) ? names.map(String) : [];
  }

  /** Runs one of the server's commands and returns the edits that it requested, without applying them. */
  async runCommand(command: string, args: unknown, options?: RequestOptions): Promise<readonly unknown[]> {
    if (this.#askedEdits) throw new Error("another command of the server is running");
    const edits: unknown[] = [];
    this.#askedEdits = edits;
    try {
      await this.request("workspace/executeCommand", { command, arguments: args ?? [] }, options);
    } catch (error) {
      // Some commands continue after their edit with requests that only an editor can answer.
      if (!(error instanceof ServerRefusal) || edits.length === 0) throw error;
    } finally {
      this.#askedEdits = undefined;
    }
    return edits;
  }

  /**
   * Shows the server the file as it is now. Undefined if it is gone or too large. `earlier`: shows this earlier content
   * instead.
   */
  async show(path: string, earlier?: string): Promise<string | undefined> {
    const stat = await this.#env.stat(path);
    if (stat?.kind !== "file" || stat.size > LARGEST_FILE) {
      this.hide(path);
      return undefined;
    }
    const text = (earlier ?? (await this.#env.readFile(path))).replace(/^\uFEFF/, "");
    this.#send(path, text, earlier !== undefined);
    const shown = this.#shown.get(path);
    if (shown && earlier === undefined) this.#shown.set(path, { ...shown, stamp: stampOf(stat) });
    return text;
  }

  hide(path: string): void {
    if (!this.#shown.delete(path)) return;
    this.connection.notify("textDocument/didClose", { textDocument: { uri: toUri(path) } });
  }

  /** Shows the server a draft of the file; afterwards, the file as it is. */
  async withDraft<T>(path: string, text: string, work: () => Promise<T>): Promise<T> {
    this.#send(path, text, true);
    try {
      return await work();
    } finally {
      await this.show(path);
    }
  }

  /** Tells the server what has changed on disk, whoever changed it: open files are sent again, others are listed. */
  async refresh(own: readonly FileChange[] = []): Promise<void> {
    // The server may have refused texts while it complained, so they are sent again.
    if (await this.#complaints.review()) for (const path of this.#shown.keys()) this.hide(path);
    const found = await this.#changes.findChanges();
    const changes = [...new Map([...found, ...own].map((change) => [change.path, change])).values()];
    if (this.#watches && changes.length > 0) {
      this.#lastChange = ++this.#lastVersion;
      this.connection.notify("workspace/didChangeWatchedFiles", {
        changes: changes.map(({ path, type }) => ({ uri: toUri(path), type })),
      });
    }
    for (const [path, { stamp }] of [...this.#shown])
      if (stamp === undefined || stampOf(await this.#env.stat(path)) !== stamp) await this.show(path);
  }

  /** The problems of a file as it is now. The server sees it first, in case it has to publish them. */
  async findProblems(path: string, timeoutMs: number, signal?: AbortSignal, earlier?: string): Promise<Findings> {
    if ((await this.show(path, earlier)) === undefined) return { unknown: "the file is gone or too large" };
    try {
      if (this.#pulls) return await this.#pull(path, { timeoutMs, signal });
      if (passesToTsserver(this)) return { problems: await tsserverProblems(this, path, { timeoutMs, signal }) };
    } catch (error) {
      signal?.throwIfAborted();
      return { unknown: messageOf(error), isLate: error instanceof LateAnswer };
    }
    const shown = this.#shown.get(path)!;
    // Another file has changed since, so the server must check this one again.
    if (shown.version < this.#lastChange) this.#send(path, shown.text, false, true);
    return this.#awaitPublished(path, timeoutMs, signal);
  }

  /** Waits until a server that checks in its own time has checked these files. */
  async waitUntilChecked(paths: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (this.#pulls || passesToTsserver(this)) return;
    const bounded = abortAfter(timeoutMs, signal);
    for (const path of paths) await this.findProblems(path, timeoutMs, bounded).catch(() => signal.throwIfAborted());
  }

  /** Whether one request can return the problems of the whole project. */
  get answersForProject(): boolean {
    const provider = this.capabilities["diagnosticProvider"];
    return isJsonObject(provider) && provider["workspaceDiagnostics"] === true;
  }

  /** A message of the server about itself that casts doubt on its findings. */
  get complaint(): string | undefined {
    return this.#complaints.text(this.#pulls || this.#published.count > 0);
  }

  /** Number of problem lists that it has published. */
  get publishedCount(): number {
    return this.#published.count;
  }

  /** Files whose lists were published since then. */
  publishedSince(count: number): string[] {
    return this.#published.pathsSince(count);
  }

  /** Resolves when the server has read the project of an open file, as far as it reports that. */
  async waitUntilLoaded(file?: string, options: RequestOptions = {}): Promise<void> {
    if (file !== undefined && passesToTsserver(this)) await awaitTsserverProject(this, file, options);
    this.#loaded ??= this.#changeWaiter.waitFor(() => this.#hasWorked, WORK_BEGINS_MS);
    await this.#loaded;
    await this.#changeWaiter.waitFor(() => this.#work.size === 0, LOADING_MS, options.signal);
  }

  async stop(): Promise<void> {
    if (!this.connection.hasEnded)
      await this.request("shutdown", undefined, { timeoutMs: 1000 }).then(
        () => this.connection.notify("exit"),
        () => {}, // it is ended below in any case
      );
    await this.#process.stop();
  }

  // ---- internals ----

  /** Sends a text that is new to the server, or that it should check again. */
  #send(path: string, text: string, isDraft: boolean, again = false): void {
    const known = this.#shown.get(path);
    this.#shown.delete(path);
    if (known?.text === text && !again) {
      this.#shown.set(path, { ...known, stamp: undefined });
      return;
    }
    const textDocument = { uri: toUri(path), version: ++this.#lastVersion };
    this.#shown.set(path, {
      text,
      version: textDocument.version,
      since: this.#published.count,
      stamp: again ? known?.stamp : undefined,
    });
    if (known === undefined ? isDraft : !again) this.#lastChange = textDocument.version;
    if (known === undefined) {
      this.connection.notify("textDocument/didOpen", {
        textDocument: { ...textDocument, languageId: languageOf(path, this.row), text },
      });
      for (const oldest of this.#shown.keys()) if (this.#shown.size > MOST_SHOWN) this.hide(oldest);
      return;
    }
    // clangd ignores an unchanged text unless it is forced to rebuild.
    const force = again ? { forceRebuild: true } : {};
    this.connection.notify("textDocument/didChange", { textDocument, contentChanges: [{ text }], ...force });
    if (!isDraft && !again)
      this.connection.notify("textDocument/didSave", { textDocument: { uri: textDocument.uri }, text });
  }

  async #initialize(signal?: AbortSignal): Promise<void> {
    const { row } = this;
    const folder = { uri: toUri(this.#root), name: this.#root.slice(this.#root.lastIndexOf("/") + 1) };
    const params = {
      // Process ids may differ where it runs; it ends with its pipe.
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
      // Only a command that we run may request edits.
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
    this.#changeWaiter.notify();
  }

  #notice(method: string, params: unknown): void {
    if (!isJsonObject(params)) return;
    this.#complaints.take(method, params);
    if (method === "textDocument/publishDiagnostics") this.#published.take(params, (path) => this.#shown.has(path));
    if (method === "$/progress") {
      const { token, value } = params;
      const kind = isJsonObject(value) ? value["kind"] : undefined;
      if (kind === "begin") this.#work.add(token);
      if (kind === "end") this.#work.delete(token);
      this.#hasWorked = true;
    }
    this.#changeWaiter.notify();
  }

  async #pull(path: string, options: RequestOptions): Promise<Findings> {
    const answer = await this.ask("textDocument/diagnostic", { textDocument: { uri: toUri(path) } }, options);
    const items = isJsonObject(answer) ? answer["items"] : undefined;
    return Array.isArray(items) ? { problems: problemsIn(items) } : { unknown: "it gave no list of problems" };
  }

  async #awaitPublished(path: string, timeoutMs: number, signal?: AbortSignal): Promise<Findings> {
    const { version, since } = this.#shown.get(path)!;
    let isSettled = false;
    // This server publishes only changes: once it has answered a request about the text, its earlier list is still
    // valid.
    if (this.row.publishesChanges)
      void this.#awaitChecked(path, { timeoutMs, signal }).then((isChecked) => {
        isSettled = isChecked && this.#published.problemsOf(path) !== undefined;
        this.#changeWaiter.notify();
      });
    const isNew = (): boolean => isSettled || this.#published.isAbout(path, version, since);
    const ended = this.connection.ended.then((why) => ({ unknown: why }));
    const found = this.#changeWaiter.waitFor(isNew, timeoutMs, signal).then(async (isThere): Promise<Findings> => {
      // The server may have registered for requests meanwhile.
      if (!isThere && this.#pulls) return this.#pull(path, { timeoutMs, signal });
      if (!isThere) return { unknown: this.complaint ?? `no answer in ${timeoutMs / 1000} s`, isLate: true };
      await this.#published.waitUntilQuiet(signal);
      return { problems: this.#published.problemsOf(path) ?? [] };
    });
    return Promise.race([ended, found]);
  }

  /** Whether it answered a request that needs a checked text. */
  async #awaitChecked(path: string, options: RequestOptions): Promise<boolean> {
    const start = { line: 0, character: 0 };
    const params = { textDocument: { uri: toUri(path) }, range: { start, end: start }, context: { diagnostics: [] } };
    try {
      await this.ask("textDocument/codeAction", params, options);
      return true;
    } catch {
      return false; // keep waiting for a published list
    }
  }
}
