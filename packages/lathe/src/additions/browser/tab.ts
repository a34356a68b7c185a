// One tab: a page in a browser, how it is opened, and what is told of it.

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

/** Requests that a page made while it loaded get this long to end. */
const SETTLE_MS = 500;
/** A page that does not answer a question of ours in this time waits for a server, or its script does not end. */
const ANSWER_MS = 3000;
const LONGEST_PAGE_TEXT = 2000;
/** Of puppeteer, a message ends with where it was. */
const NO_PLACE = /(?:^net::)| at https?:.*$/g;

export const OWN_BROWSER = "own";

type Dialogs = "accept" | "dismiss";

/** How a page was loaded. */
export interface Loaded {
  readonly status?: number | undefined;
  /** Why it was not; of an HTTP error, the page's own text. */
  readonly problem?: string | undefined;
  /** Undefined: the page has not told it. */
  readonly title?: string | undefined;
}

interface TabParts {
  readonly name: string;
  /** Which browser it is in. */
  readonly browserKey: string;
  readonly link: CdpLink;
  readonly page: Page;
  /** A session of ours with the page. */
  readonly session: CDPSession;
  readonly targetId: string;
  readonly report: TabReport;
  readonly dialogs: Dialogs | undefined;
  /** Absent in a browser that is not ours. */
  readonly hosts?: TabHosts | undefined;
  readonly downloads?: Downloads | undefined;
  readonly ownTitle?: TabTitle | undefined;
  /** Closes what the tab was made of. */
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

  /** Shows an address; the result tells what came of it. */
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
      // What came later may have changed it.
      const title = hasWaited ? undefined : this.#ownTitle?.told;
      return { status, title, ...(status !== undefined && status >= 400 ? { problem: await this.#text() } : {}) };
    } catch (error) {
      signal.throwIfAborted();
      stop();
      const why = this.report.tellProblem(url) ?? messageOf(error).replaceAll(NO_PLACE, "");
      return { problem: /timeout/i.test(why) ? `timed out after ${timeoutMs}ms` : why };
    } finally {
      signal.removeEventListener("abort", stop);
      this.hosts?.endFirstLoad();
    }
  }

  async setViewport({ width, height, scale }: NonNullable<BrowserRequest["viewport"]>): Promise<void> {
    await this.page.setViewport({ width, height, deviceScaleFactor: scale ?? VIEWPORT.scale });
  }

  /** As the browser knows it: a page that was just loaded is busy, and one that hangs would not answer. */
  async title(): Promise<string> {
    const history = await this.#session.send("Page.getNavigationHistory").catch(() => undefined);
    return history?.entries[history.currentIndex]?.title ?? "";
  }

  /** False: its scripts hang. */
  async doesAnswer(): Promise<boolean> {
    return (await soon(this.page.title())) !== undefined;
  }

  async #text(): Promise<string> {
    const text = await soon(this.page.evaluate(() => document.body?.innerText ?? ""));
    return (text ?? "").trim().slice(0, LONGEST_PAGE_TEXT);
  }
}

/** An answer of a page, empty when it fails, and undefined when it does not come. */
const soon = (answer: Promise<string>): Promise<string | undefined> =>
  Promise.race([answer.catch(() => ""), delay(ANSWER_MS, undefined, { ref: false })]);

/** What a tab needs of its page besides puppeteer's methods. */
export async function attach(page: Page): Promise<Pick<TabParts, "session" | "targetId">> {
  const session = await page.createCDPSession();
  const { targetInfo } = await session.send("Target.getTargetInfo");
  return { session, targetId: targetInfo.targetId };
}

/** A tab in the session's own browser: it shares nothing with other tabs, and has its own way to the web. */
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
    // A browser that has ended has closed it already.
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
    // A page that opens a window would be hidden by it, and clicks on what is hidden wait for ever.
    page.emulateFocusedPage(true),
  ]);
  const parts = { name, browserKey: OWN_BROWSER, link, page, ...attached, report, dialogs, hosts };
  const tab = new Tab({ ...parts, downloads, ownTitle, close });
  await tab.setViewport(viewport);
  return tab;
}
