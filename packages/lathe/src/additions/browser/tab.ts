// One tab: a page in a browser, with what loads it and reports on it.

import { setTimeout as delay } from "node:timers/promises";
import type { WebGate } from "@lathe/agent/files";
import type { BrowserRequest } from "@lathe/agent/tools";
import { messageOf } from "@lathe/llm";
import type { CDPSession, Page } from "puppeteer-core";
import type { CdpLink } from "./cdp-link.ts";
import { type Chromium, VIEWPORT } from "./chromium.ts";
import { Downloads } from "./downloads.ts";
import { type HostJudge, TabHosts } from "./tab-hosts.ts";
import { TabProxy } from "./tab-proxy.ts";
import { TabReport } from "./tab-report.ts";
import { TabTitle } from "./tab-title.ts";

/** How long a result waits for requests that the page made while it loaded. */
const SETTLE_MS = 500;
/** A page that does not answer us within this time is waiting for a server, or has a script that does not end. */
const ANSWER_MS = 3000;
const LONGEST_PAGE_TEXT = 2000;
/** Parts of puppeteer's messages that we cut: the prefix `net::`, and the address at the end. */
const NO_PLACE = /(?:^net::)| at https?:.*$/g;

export const OWN_BROWSER = "own";

type Dialogs = "accept" | "dismiss";

/** The outcome of loading a page. */
export interface Loaded {
  readonly status?: number | undefined;
  /** Why the page was not loaded; after an HTTP error, the page's own text. */
  readonly problem?: string | undefined;
  /** Undefined if the page has not reported it. */
  readonly title?: string | undefined;
}

interface TabParts {
  readonly name: string;
  /** The browser that the tab is in. */
  readonly browserKey: string;
  readonly link: CdpLink;
  readonly page: Page;
  /** Our own session with the page. */
  readonly session: CDPSession;
  readonly targetId: string;
  readonly report: TabReport;
  readonly dialogs: Dialogs | undefined;
  /** Absent in a browser that the session did not start. */
  readonly hosts?: TabHosts | undefined;
  readonly downloads?: Downloads | undefined;
  readonly ownTitle?: TabTitle | undefined;
  /** Closes everything the tab consists of. */
  readonly close: () => Promise<void>;
}

export class Tab {
  readonly name: string;
  readonly browserKey: string;
  readonly link: CdpLink;
  readonly page: Page;
  readonly targetId: string;
  readonly report: TabReport;
  readonly dialogs: Dialogs | undefined;
  readonly hosts: TabHosts | undefined;
  readonly downloads: Downloads | undefined;
  readonly close: () => Promise<void>;
  readonly #session: CDPSession;
  readonly #ownTitle: TabTitle | undefined;

  constructor(parts: TabParts) {
    this.name = parts.name;
    this.browserKey = parts.browserKey;
    this.link = parts.link;
    this.page = parts.page;
    this.targetId = parts.targetId;
    this.#session = parts.session;
    this.report = parts.report;
    this.dialogs = parts.dialogs;
    this.hosts = parts.hosts;
    this.downloads = parts.downloads;
    this.#ownTitle = parts.ownTitle;
    this.close = parts.close;
  }

  /** Loads an address; the result says how that went. */
  async load(url: URL, { wait_until = "load", timeoutMs }: BrowserRequest, signal: AbortSignal): Promise<Loaded> {
    await this.hosts?.begin(url);
    this.report.forgetRequests();
    this.#ownTitle?.forget();
    const stop = (): void => void this.#session.send("Page.stopLoading").catch(() => {});
    signal.addEventListener("abort", stop, { once: true });
    try {
      const response = await this.page.goto(url.href, { waitUntil: wait_until, timeout: timeoutMs, signal });
      const hasWaited = await this.report.settle(SETTLE_MS);
      const status = response?.status();
      // Requests that ended later may have changed the title.
      const title = hasWaited ? undefined : this.#ownTitle?.reported;
      return { status, title, ...(status !== undefined && status >= 400 ? { problem: await this.#text() } : {}) };
    } catch (error) {
      signal.throwIfAborted();
      stop();
      const why = this.report.takeProblem(url) ?? messageOf(error).replaceAll(NO_PLACE, "");
      return { problem: /timeout/i.test(why) ? `timed out after ${timeoutMs}ms` : why };
    } finally {
      signal.removeEventListener("abort", stop);
      this.hosts?.endFirstLoad();
    }
  }

  async setViewport({ width, height, scale }: NonNullable<BrowserRequest["viewport"]>): Promise<void> {
    await this.page.setViewport({ width, height, deviceScaleFactor: scale ?? VIEWPORT.scale });
  }

  /**
   * Asks the browser rather than the page: a page that has just loaded is busy, and one that hangs would not answer.
   */
  async title(): Promise<string> {
    const history = await this.#session.send("Page.getNavigationHistory").catch(() => undefined);
    return history?.entries[history.currentIndex]?.title ?? "";
  }

  /** False if the page's scripts hang. */
  async doesAnswer(): Promise<boolean> {
    return (await answerInTime(this.page.title())) !== undefined;
  }

  async #text(): Promise<string> {
    const text = await answerInTime(this.page.evaluate(() => document.body?.innerText ?? ""));
    return (text ?? "").trim().slice(0, LONGEST_PAGE_TEXT);
  }
}

/** The page's answer: empty if it fails, undefined if it does not come in time. */
const answerInTime = (answer: Promise<string>): Promise<string | undefined> =>
  Promise.race([answer.catch(() => ""), delay(ANSWER_MS, undefined, { ref: false })]);

/** Creates our own session with a page and looks up its target. */
export async function attach(page: Page): Promise<Pick<TabParts, "session" | "targetId">> {
  const session = await page.createCDPSession();
  const { targetInfo } = await session.send("Target.getTargetInfo");
  return { session, targetId: targetInfo.targetId };
}

/** Opens a tab in the session's own browser: it shares nothing with other tabs, and has its own proxy. */
export async function openOwnTab(
  chromium: Chromium,
  request: BrowserRequest,
  { gate, judge }: { readonly gate: WebGate; readonly judge: HostJudge },
): Promise<Tab> {
  const { name, dialogs, viewport = VIEWPORT } = request;
  const { browser, link } = chromium;
  const hosts = new TabHosts(judge);
  const report = new TabReport();
  const proxy = new TabProxy({
    connect: (host, port, signal) => gate.connect(host, port, signal),
    refuse: (host, port) => hosts.refuse(host, port),
    onProblem: (place, reason) => report.noteProblem(place, reason),
  });
  const proxyServer = await chromium.serve(proxy);
  const { inside, outside } = chromium.downloads;
  const context = await browser.createBrowserContext({
    proxyServer,
    proxyBypassList: ["<-loopback>"],
    downloadBehavior: { policy: "allowAndName", downloadPath: inside },
  });
  const page = await context.newPage();
  report.watch(page, dialogs ?? "dismiss");
  const close = async (): Promise<void> => {
    // If the browser has ended, the context is closed already.
    await context.close().catch(() => {});
    proxy.close();
  };
  const cancel = (guid: string): Promise<unknown> =>
    link.call("Browser.cancelDownload", { guid, browserContextId: context.id });
  const attached = await attach(page);
  const { session } = attached;
  const [downloads, ownTitle] = await Promise.all([
    Downloads.watch(session, outside, cancel),
    TabTitle.watch(session),
    session.send("Page.enable"),
    // A window that the page opens would hide the page, and clicks on a hidden page wait forever.
    page.emulateFocusedPage(true),
  ]);
  const parts = { name, browserKey: OWN_BROWSER, link, page, ...attached, report, dialogs, hosts };
  const tab = new Tab({ ...parts, downloads, ownTitle, close });
  await tab.setViewport(viewport);
  return tab;
}
