// All extensions of a run: loaded once, attached to each session that becomes the current one, reloaded when the user
// asks, ended with the last session.

import type { Middleware, SessionTool, ToolDef } from "@lathe/agent";
import { messageOf } from "@lathe/llm";
import type { PromptCommand } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import type { ExtensionLines } from "../../platform/extension-api/rendering.ts";
import type { ExtensionError, ExtensionScreen } from "../../platform/extension-api/screen.ts";
import { commandsOf } from "./commands.ts";
import { type ContextParts, contextFor } from "./context.ts";
import { toolOf } from "./custom-tool.ts";
import { Dispatch } from "./dispatch.ts";
import { flagValue } from "./flag-value.ts";
import { Follower } from "./follow.ts";
import { newCulprit } from "./guard/current.ts";
import { Guard } from "./guard/guard.ts";
import { offFileOf, readTurnedOff } from "./off.ts";
import type { PresentSession } from "./present.ts";
import { Programs } from "./programs.ts";
import { offerProviders } from "./providers.ts";
import { ExtensionFailure, RunningExtension } from "./running.ts";
import { seamsOf } from "./seams.ts";
import { type ExtensionSource, findSources } from "./sources.ts";
import { type StartParts, startExtension } from "./start.ts";
import { storageIn } from "./storage.ts";
import { type ExtensionTools, extensionUi, RateLimiter } from "./tools-for-extensions.ts";
import { WatchedFiles } from "./watched-files.ts";

/** How a session became the current one. */
export interface Arrival {
  readonly reason: string;
  readonly previousSessionFile?: string | undefined;
}

export class ExtensionHost {
  #workspace: SessionWorkspace;
  #screen: ExtensionScreen | undefined;
  readonly #programs: Programs;
  readonly #dispatch: Dispatch;
  readonly #follower: Follower;
  readonly #said = new Set<string>();
  readonly #kits = new Map<RunningExtension, ExtensionTools>();
  #extensions: readonly RunningExtension[] = [];
  #tools: readonly ToolDef[] = [];
  #present: PresentSession | undefined;
  #early: string[] = [];
  readonly #earlyFailures: ExtensionError[] = [];
  #isEnding = false;
  #watched: readonly string[] = [];
  #files: WatchedFiles | undefined;
  readonly middleware: Middleware;
  /** Called when the commands may have changed. */
  onReload: () => void = () => {};

  private constructor(workspace: SessionWorkspace) {
    this.#workspace = workspace;
    this.#programs = new Programs(workspace);
    this.#dispatch = new Dispatch({
      extensions: () => this.#extensions,
      contextOf: (extension) => this.#contextOf(extension),
      report: (line) => this.#report(line),
    });
    this.#follower = new Follower(this.#dispatch);
    this.middleware = seamsOf(this.#dispatch, () => this.#workspace.cwd);
  }

  static async load(workspace: SessionWorkspace): Promise<ExtensionHost> {
    const host = new ExtensionHost(workspace);
    await host.#loadAll();
    return host;
  }

  /**
   * Replaces the workspace with a newer view of the same one: an extension's option may have caused it to load before
   * the command line was parsed.
   */
  workIn(workspace: SessionWorkspace): void {
    this.#workspace = workspace;
  }

  /** Gives extensions a screen on which they can show things to the user. */
  useScreen(screen: ExtensionScreen): void {
    if (this.#screen === screen) return;
    this.#screen = screen;
    for (const failure of this.#earlyFailures.splice(0)) screen.fail?.(failure);
    this.#tellScreen();
    this.#watch();
  }

  get extensions(): readonly RunningExtension[] {
    return this.#extensions;
  }

  /** Returns the same array as long as nothing changes. */
  tools(): readonly SessionTool[] {
    return this.#tools;
  }

  commands(): readonly PromptCommand[] {
    return commandsOf(this.#extensions, {
      contextOf: (extension) => this.#contextOf(extension),
      reportFailure: (line) => (this.#screen ? this.#screen.notify(line, "error") : this.#say(line)),
    });
  }

  /** Makes this session the current one. */
  async attach(open: PresentSession, { reason, previousSessionFile }: Arrival): Promise<void> {
    this.#present = open;
    for (const line of this.#early.splice(0)) this.#say(line);
    if (this.#extensions.length > 0) Guard.get(offFileOf(this.#workspace)).setSession(open.session.id);
    void this.#follower.follow(open.session);
    const before = previousSessionFile === undefined ? {} : { previousSessionFile };
    if (reason === "start") {
      await this.#follower.notify("session_start", { resumed: open.session.usage.turns > 0 });
      return;
    }
    if (reason === "branch") await this.#follower.notify("session_branch", before);
    await this.#follower.notify("session_switch", { reason, ...before });
  }

  /** Ends all extensions, reads their files again and starts them: what they add takes effect with the next request. */
  async reload(): Promise<void> {
    await this.#endAll("reload");
    this.#said.clear();
    await this.#loadAll();
    if (this.#present) await this.#follower.notify("session_start", { resumed: true });
    const names = this.#extensions.map(({ name }) => name);
    this.#screen?.notify(names.length === 0 ? "There are no extensions." : `Extensions: ${names.join(", ")}`, "info");
    this.onReload();
  }

  /** Reloads an extension as soon as its author changes its file, unless the agent is working. */
  #watch(): void {
    this.#files?.close();
    if (!this.#screen) return;
    this.#files = new WatchedFiles(this.#watched, this.#workspace.machine.deps.setTimer, () => {
      if (this.#present?.session.state !== "processing") void this.reload();
    });
  }

  /** Resolves when extensions have seen all events so far. */
  flush(): Promise<void> {
    return this.#follower.flush();
  }

  /** Called when the last session is about to end. */
  shutDown(): Promise<void> {
    return this.#endAll("exit");
  }

  async close(): Promise<void> {
    this.#files?.close();
    await this.#endAll("exit");
    await this.#programs.close();
  }

  async #loadAll(): Promise<void> {
    const { sources, problems } = await findSources(this.#workspace);
    this.#watched = sources.map(({ file }) => file);
    this.#watch();
    for (const problem of problems) this.#report(problem);
    const off = readTurnedOff(offFileOf(this.#workspace));
    const started: RunningExtension[] = [];
    for (const source of sources) {
      const why = off[source.file]?.reason;
      if (why !== undefined)
        this.#report(`The extension ${source.name} is off: it ${why}. To turn it on: lathe ext enable ${source.name}`);
      else {
        const extension = await this.#startExtension(source);
        if (extension) started.push(extension);
      }
    }
    this.#extensions = started;
    this.#tools = started.flatMap((extension) =>
      extension.added.tools.flatMap((tool) => this.#toolsOf(extension, tool)),
    );
    this.#tellScreen();
    for (const problem of await offerProviders(this.#workspace, started)) this.#report(problem);
  }

  async #startExtension(source: ExtensionSource): Promise<RunningExtension | undefined> {
    const { settings, machine, paths, cwd } = this.#workspace;
    const guard = Guard.get(offFileOf(this.#workspace));
    const culprit = newCulprit(source.name, source.file);
    const extension = new RunningExtension({
      source,
      culprit,
      guard,
      deps: machine.deps,
      timeoutMs: settings["timeouts.extension"] * 1000,
      onFailure: (event, error) => this.#tellFailure({ extensionPath: source.file, event, error }),
    });
    const lines = this.#rateLimiter(source.name, "writes");
    guard.add(culprit, {
      noteFailure: (what) => this.#report(`The extension ${source.name} ${what}.`),
      wrote: (text) => {
        for (const line of text.replace(/\n$/, "").split("\n"))
          if (lines.passes()) this.#workspace.machine.stderr.write(`[${source.name}] ${line}\n`);
      },
    });
    const tools = this.#toolsFor(extension);
    try {
      const flag: StartParts["flag"] = (name, spec) => flagValue(this.#workspace.extensions, name, spec);
      await startExtension(extension, { tools, cwd, cacheFolder: `${paths.cache}/extensions`, flag });
      return extension;
    } catch (error) {
      const origin = source.dialect === "pi" ? " It was written for pi, and nothing of it takes effect." : "";
      this.#report(`${messageOf(error)}${origin}`);
      if (!(error instanceof ExtensionFailure))
        this.#tellFailure({ extensionPath: source.file, event: "load", error: messageOf(error) });
      this.#kits.delete(extension);
      await extension.remove();
      return undefined;
    }
  }

  #toolsOf(extension: RunningExtension, tool: RunningExtension["added"]["tools"][number]): ToolDef[] {
    try {
      const { deps } = this.#workspace.machine;
      const report = (line: string): void => this.#report(line);
      return [toolOf(extension, tool, { context: () => this.#contextOf(extension), deps, report })];
    } catch (error) {
      this.#report(`The tool ${tool.name} of the extension ${extension.name} is left out: ${messageOf(error)}`);
      return [];
    }
  }

  #tellScreen(): void {
    const shortcuts = this.#extensions.flatMap((extension) =>
      [...extension.added.shortcuts].map(([key, { description, run }]) => ({
        key,
        extension: extension.name,
        description,
        run: () => {
          const parts = this.#contextOf(extension);
          void extension
            .call(`the shortcut ${key}`, (deadline) => run(contextFor(parts, deadline)))
            .catch((error: Error) => this.#say(error.message));
        },
      })),
    );
    const themes = this.#extensions.flatMap(({ added }) => added.themes);
    for (const problem of this.#screen?.applyAdded?.({
      shortcuts,
      themes,
      render: (kind, text) => this.#renderMessage(kind, text),
    }) ?? [])
      this.#report(problem);
  }

  /** Shows a text that an extension has added to the conversation, using its renderer. */
  #show(kind: string, text: string): void {
    this.#screen?.showLines?.(this.#renderMessage(kind, text) ?? text);
  }

  #renderMessage(kind: string, text: string): ExtensionLines | undefined {
    const owner = this.#extensions.find(({ added }) => added.renderers.has(kind));
    const render = owner?.added.renderers.get(kind);
    try {
      return owner && render && owner.callNow(`the renderer of ${kind}`, () => render({ kind, text }));
    } catch (error) {
      this.#report(messageOf(error));
      return undefined;
    }
  }

  #contextOf(extension: RunningExtension): ContextParts {
    const present = (): PresentSession => {
      if (!this.#present) throw new Error("there is no session yet: use the session in a handler");
      return this.#present;
    };
    const show = (kind: string, text: string): void => this.#show(kind, text);
    return { ...this.#toolsFor(extension), screen: this.#screen, cwd: this.#workspace.cwd, present, show };
  }

  #toolsFor(extension: RunningExtension): ExtensionTools {
    const known = this.#kits.get(extension);
    if (known) return known;
    const { name } = extension;
    const screen = (): ExtensionScreen | undefined => this.#screen;
    const parts = {
      screen,
      setTimer: this.#workspace.machine.deps.setTimer,
      rateLimiter: this.#rateLimiter(name, "shows"),
      say: (line: string) => void this.#workspace.machine.stderr.write(`[${name}] ${line}\n`),
    };
    const kit: ExtensionTools = {
      storage: storageIn(`${this.#workspace.paths.home}/extension-storage/${fileNameOf(name)}.json`),
      uiFor: (deadline) => extensionUi(parts, deadline),
      execFor: (until) => this.#programs.exec(until),
    };
    this.#kits.set(extension, kit);
    return kit;
  }

  #rateLimiter(name: string, does: string): RateLimiter {
    const reportFlood = (): void =>
      this.#report(`The extension ${name} ${does} too much at once; the rest is left out.`);
    return new RateLimiter(this.#workspace.machine.deps.now, reportFlood);
  }

  async #endAll(reason: "exit" | "reload"): Promise<void> {
    this.#isEnding = reason === "exit";
    await this.#follower.flush();
    if (this.#present && this.#extensions.length > 0) await this.#dispatch.notify("session_shutdown", { reason });
    const ended = this.#extensions;
    this.#extensions = [];
    this.#tools = [];
    for (const extension of ended) this.#kits.delete(extension);
    await Promise.all(ended.map((extension) => extension.remove()));
  }

  #tellFailure(failure: ExtensionError): void {
    if (this.#screen) this.#screen.fail?.(failure);
    else this.#earlyFailures.push(failure);
  }

  /** Reports each line once, because a handler may fail at every event. */
  #report(line: string): void {
    if (this.#said.has(line)) return;
    this.#said.add(line);
    if (this.#present) this.#say(line);
    else this.#early.push(line);
  }

  #say(line: string): void {
    const { session } = this.#present ?? {};
    // While everything ends, the host may have stopped listening to the session.
    if (session && session.state !== "closed" && !this.#isEnding) session.warn(line, "extension");
    else this.#workspace.machine.stderr.write(`lathe: ${line}\n`);
  }
}

const fileNameOf = (name: string): string => name.replace(/[^\w.-]/g, "_");
