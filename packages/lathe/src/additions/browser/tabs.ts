// The tabs of a session, by name: opened, reused and closed. Agents share them. The session's own browser starts with
// the first tab, and ends with the last or when no call has used it for a while.

import { type ToolContext, ToolFailure, type ToolResult } from "@lathe/agent";
import { visibleLine } from "@lathe/agent/base";
import type { BrowserRequest, TabReach } from "@lathe/agent/tools";
import { type AttachedBrowser, attachTo, pickPage, startApp } from "./attached-browser.ts";
import { Chromium, type ChromiumOptions } from "./chromium.ts";
import { findChromium } from "./find-chromium.ts";
import type { TabRuns } from "./run/tab-runs.ts";
import { attach, type Loaded, OWN_BROWSER, openOwnTab, Tab } from "./tab.ts";
import { type HostJudge, serverOf } from "./tab-hosts.ts";
import { TabReport } from "./tab-report.ts";

const IDLE_MS = 10 * 60_000;

export interface TabsOptions extends Pick<ChromiumOptions, "variables" | "headless" | "isStealthy"> {
  /** Folder for screenshots whose script names no file. */
  readonly screenshotDir?: string | undefined;
  isConfined(): Promise<boolean>;
  /** The user's rules or mode allow this host. */
  isAllowed(host: string): boolean;
  /** The session was shown exactly this address. */
  isShown(url: string): boolean;
  /** Shows the user a notice once. */
  notify(message: string): void;
  /** The browser ends after this long without a call. */
  readonly idleMs?: number | undefined;
}

export class Tabs {
  readonly #options: TabsOptions;
  readonly #tabs = new Map<string, Tab>();
  readonly #opening = new Set<string>();
  readonly #attached = new Map<string, Promise<AttachedBrowser>>();
  #own: Promise<Chromium> | undefined;
  #runs: TabRuns | undefined;
  #idle: NodeJS.Timeout | undefined;
  #running = 0;
  /** How the browser ended, if it ended by itself. */
  #lastEnd: string | undefined;

  constructor(options: TabsOptions) {
    this.#options = options;
  }

  async run(request: BrowserRequest, context: ToolContext): Promise<ToolResult> {
    this.#running++;
    clearTimeout(this.#idle);
    try {
      if (request.action === "run") return await this.#run(request, context);
      return await (request.action === "open" ? this.#open(request, context) : this.#close(request));
    } finally {
      this.#running--;
      if (this.#running === 0 && this.#own !== undefined)
        this.#idle = setTimeout(() => void this.#endIdle(), this.#options.idleMs ?? IDLE_MS).unref();
    }
  }

  /** The open tab of this name. Tabs share nothing but their browser. */
  tabNamed(name: string): Tab {
    const tab = this.#tabs.get(name);
    const why = this.#lastEnd === undefined ? "" : ` The browser has ended (${this.#lastEnd}).`;
    if (tab === undefined) throw new ToolFailure(`There is no tab named "${name}". Open it first.${why}`);
    return tab;
  }

  /** The hosts that a tab's scripts can reach. */
  async reachOf(name: string): Promise<TabReach> {
    const { hosts } = this.tabNamed(name);
    const servers = (hosts?.places ?? []).map(serverOf);
    return { servers, isOpen: hosts === undefined || !(await this.#options.isConfined()) };
  }

  /** Ends the session's browser and its apps; other browsers keep running. */
  async end(): Promise<void> {
    clearTimeout(this.#idle);
    await Promise.all([...this.#tabs.values()].map((tab) => this.#discard(tab)));
    await Promise.all([this.#runs?.close(), this.#leave(true)]);
  }

  async #run(request: BrowserRequest, context: ToolContext): Promise<ToolResult> {
    const { name } = request;
    const tab = this.tabNamed(name);
    if (this.#opening.has(name)) throw new ToolFailure(`Tab "${name}" is busy. Wait for the other call.`);
    const { TabRuns: Made } = await import("./run/tab-runs.ts");
    const { screenshotDir, isConfined } = this.#options;
    this.#runs ??= new Made({ screenshotDir, isConfined, discard: (hung) => this.#discard(hung) });
    return this.#runs.run(tab, request, context);
  }

  async #discard(tab: Tab): Promise<void> {
    if (this.#tabs.get(tab.name) === tab) this.#tabs.delete(tab.name);
    await this.#runs?.end(tab);
    await tab.close();
  }

  async #open(request: BrowserRequest, context: ToolContext): Promise<ToolResult> {
    const { name, url, viewport } = request;
    const open = this.#tabs.get(name);
    // Several agents may look at the same tab at once.
    const isLook = url === undefined && open !== undefined;
    if ((this.#opening.has(name) && !isLook) || (open && this.#runs?.isBusy(open)))
      throw new ToolFailure(`Tab "${name}" is busy. Wait for the other call, or use another name.`);
    this.#opening.add(name);
    try {
      const known = await this.#reusable(request);
      const tab = known ?? (await this.#newTab(request, context));
      if (known && viewport) await tab.setViewport(viewport);
      const loaded: Loaded = url === undefined ? {} : await tab.load(url, request, context.signal);
      const downloads = (await tab.downloads?.take(context)) ?? [];
      const title = loaded.title ?? (await tab.title());
      // A page that hangs would block the next call too.
      if ("problem" in loaded && !(await tab.doesAnswer())) await this.#discard(tab);
      return describe(tab, request, { ...loaded, title, downloads }, known !== undefined);
    } finally {
      this.#opening.delete(name);
    }
  }

  /** The open tab of this name, unless the request needs a new one. */
  async #reusable(request: BrowserRequest): Promise<Tab | undefined> {
    const { name, url, dialogs } = request;
    const tab = this.#tabs.get(name);
    if (tab === undefined) return undefined;
    if (tab.browserKey !== keyOf(request))
      throw new ToolFailure(
        `Tab "${name}" is in another browser (${tab.browserKey}). Close it first, or use another name.`,
      );
    const isSame = dialogs === undefined || dialogs === tab.dialogs;
    // A page of another host gets a fresh tab, so that nothing that earlier pages left behind can reach it.
    const isKnown = url === undefined || tab.hosts === undefined || tab.hosts.has(url) || tab.hosts.isUntouched;
    if (isSame && isKnown && !tab.page.isClosed()) return tab;
    await this.#discard(tab);
    return undefined;
  }

  async #newTab(request: BrowserRequest, context: ToolContext): Promise<Tab> {
    const gate = context.services.web?.gate;
    if (gate === undefined) throw new ToolFailure("The web cannot be reached from here.");
    const judge: HostJudge = {
      isLoopback: (host) => gate.isLoopback(host),
      isOwn: (host, port) => gate.isOwn(host, port),
      isAllowed: (host) => this.#options.isAllowed(host),
      isShown: (url) => this.#options.isShown(url),
    };
    const tab = request.app
      ? await this.#attachedTab(request, context)
      : await openOwnTab(await this.#ownBrowser(), request, { gate, judge });
    this.#tabs.set(request.name, tab);
    tab.page.once("close", () => {
      if (this.#tabs.get(request.name) === tab) this.#tabs.delete(request.name);
    });
    return tab;
  }

  #ownBrowser(): Promise<Chromium> {
    const { variables, headless, isStealthy, isConfined, notify } = this.#options;
    this.#own ??= (async () => {
      const program = findChromium(variables);
      const confined = await isConfined();
      if (!confined) notify("There is no bubblewrap here: the browser is not confined, so Lathe asks about each page.");
      return Chromium.start({ program, variables, headless, isStealthy, isConfined: confined });
    })();
    const own = this.#own;
    const forget = (why?: string): void => {
      if (this.#own !== own) return;
      this.#own = undefined;
      this.#lastEnd = why;
      for (const [name, tab] of this.#tabs) if (tab.browserKey === OWN_BROWSER) this.#tabs.delete(name);
    };
    own.then(
      ({ ended }) => ended.then(forget),
      () => forget(),
    );
    return own;
  }

  async #attachedTab(request: BrowserRequest, { env, services }: ToolContext): Promise<Tab> {
    const { name, dialogs, viewport, app = {} } = request;
    const key = keyOf(request);
    const known = this.#attached.get(key);
    // The user has allowed this very address; connections beyond the loopback still pass the gate.
    const connect = (host: string, port: number) =>
      /^(localhost|127\.|::1)/.test(host)
        ? env.connect(port)
        : services.web!.gate.connect(host, port, new AbortController().signal);
    const attaching =
      known ??
      (app.path === undefined ? attachTo(app.cdp_url ?? "", connect) : startApp(app.path, app.args ?? [], env));
    this.#attached.set(key, attaching);
    const forget = (): void => void this.#attached.delete(key);
    attaching.then(({ ended }) => ended.then(forget), forget);
    const { browser, link } = await attaching;
    const report = new TabReport();
    const page = await pickPage(browser, app.target);
    report.watch(page, dialogs);
    const close = async (): Promise<void> => void page.removeAllListeners();
    const tab = new Tab({ name, browserKey: key, link, page, ...(await attach(page)), report, dialogs, close });
    if (viewport) await tab.setViewport(viewport);
    return tab;
  }

  async #close({ name, all = false, kill = false }: BrowserRequest): Promise<ToolResult> {
    const closed = all ? [...this.#tabs.values()] : [this.#tabs.get(name)].filter((tab) => tab !== undefined);
    await Promise.all(closed.map((tab) => this.#discard(tab)));
    await this.#leave(kill);
    const text =
      closed.length === 0
        ? all
          ? "No tab is open."
          : `There is no tab named "${name}".`
        : `Closed ${closed.map((tab) => `"${tab.name}"`).join(", ")}.`;
    return { content: [{ kind: "text", text }], details: { closed: closed.map((tab) => tab.name) }, effects: "done" };
  }

  /** Ends browsers that have no tab: our own, and with `kill` also the apps that the session started. */
  async #leave(kill: boolean): Promise<void> {
    const used = new Set([...this.#tabs.values()].map((tab) => tab.browserKey));
    const own = this.#own;
    if (own !== undefined && !used.has(OWN_BROWSER) && this.#opening.size === 0) {
      this.#own = undefined;
      await own.then(
        (browser) => browser.end(),
        () => {},
      );
    }
    for (const [key, attaching] of this.#attached) {
      const attached = used.has(key) ? undefined : await attaching.catch(() => undefined);
      // An app without a tab keeps running, so that the next tab opens in it.
      if (attached === undefined || (attached.isOurs && !kill)) continue;
      this.#attached.delete(key);
      await attached.leave();
    }
  }

  async #endIdle(): Promise<void> {
    if (this.#running > 0) return;
    const own = [...this.#tabs.values()].filter((tab) => tab.browserKey === OWN_BROWSER);
    await Promise.all(own.map((tab) => this.#discard(tab)));
    await this.#leave(false);
  }
}

const keyOf = ({ app }: BrowserRequest): string => app?.cdp_url?.replace(/\/+$/, "") ?? app?.path ?? OWN_BROWSER;

function describe(
  tab: Tab,
  { name, url }: BrowserRequest,
  { status, problem, title, downloads }: Loaded & { title: string; downloads: readonly string[] },
  isReused: boolean,
): ToolResult {
  const address = tab.page.url();
  const isFailure = problem !== undefined;
  const head =
    isFailure && status === undefined
      ? `${url?.href} could not be opened: ${problem}`
      : `${isReused ? "Tab" : "Opened tab"} "${name}": ${address}${status === undefined ? "" : ` (status ${status})`}`;
  const lines = [
    head,
    ...(title === "" || (isFailure && status === undefined) ? [] : [`Title: ${visibleLine(title)}`]),
    ...(isFailure && status !== undefined && problem !== "" ? [problem] : []),
    ...tab.report.take(),
    ...downloads,
  ];
  return {
    content: [{ kind: "text", text: lines.join("\n") }],
    details: { name, url: address, ...(status === undefined ? {} : { status }) },
    isError: isFailure,
    effects: "done",
    fromWeb: { source: address, links: [] },
  };
}
