// What happened in a tab since the last result: errors that its scripts threw or logged, failed requests, dialogs, and
// hosts that it could not reach. So "does it work?" takes one call.

import type { ConsoleMessage, Dialog, HTTPRequest, HTTPResponse, Page } from "puppeteer-core";
import { placeOfUrl } from "./tab-hosts.ts";

const MOST_LINES = 15;
const MOST_FAILED = 100;
const LONGEST_LINE = 400;
/** How the browser's own log lines about failed requests begin; those requests are listed anyway. */
const OF_REQUESTS = "Failed to load resource:";
/** The error of requests that the page cancelled itself. */
const GIVEN_UP = "net::ERR_ABORTED";

const SECTIONS = ["Console errors", "Failed requests", "Dialogs"] as const;
type Section = (typeof SECTIONS)[number];

export class TabReport {
  readonly #lines = new Map<Section, { readonly lines: string[]; more: number }>();
  /** Hosts that were not reached since the last result, and why. */
  #problems = new Map<string, string>();
  /** The host among these problems that the result itself reports. */
  #told: string | undefined;
  readonly #failed: { readonly url: string; readonly line: string }[] = [];
  readonly #open = new Set<HTTPRequest>();
  #onIdle: () => void = () => {};

  /** `answer`: how dialogs are answered; undefined leaves them to the user. */
  watch(page: Page, answer: "accept" | "dismiss" | undefined): void {
    page.on("pageerror", (error) => this.#add("Console errors", describeError(error)));
    page.on("console", (message) => this.#noteConsole(message));
    page.on("error", (error) => this.#add("Console errors", `The page crashed: ${error.message}`));
    page.on("request", (request) => {
      if (request.resourceType() !== "eventsource") this.#open.add(request);
    });
    page.on("requestfinished", (request) => this.#close(request));
    page.on("requestfailed", (request) => {
      this.#close(request);
      const why = request.failure()?.errorText ?? "failed";
      if (why !== GIVEN_UP) this.#noteFailed(request, why.replace("net::", ""));
    });
    page.on("response", (response) => this.#noteResponse(response));
    page.on("dialog", (dialog) => void this.#answer(dialog, answer));
  }

  /** A host that the tab could not reach. */
  noteProblem(place: string, reason: string): void {
    if (this.#problems.size < MOST_LINES) this.#problems.set(place, reason);
  }

  /** Why a host was not reached. The next result does not list this host again. */
  takeProblem(url: URL): string | undefined {
    this.#told = placeOfUrl(url);
    return this.#problems.get(this.#told);
  }

  /** Resolves when no request is open, or after `ms`, with whether there was anything to wait for. */
  async settle(ms: number): Promise<boolean> {
    if (this.#open.size === 0) return false;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#onIdle = () => {};
    return true;
  }

  /** Forgets open requests when a new page loads: those of the page before are never reported as finished. */
  forgetRequests(): void {
    this.#open.clear();
  }

  /** Lines about what happened since the last call; empty if nothing did. */
  take(): string[] {
    const [problems, told] = [this.#problems, this.#told];
    this.#told = undefined;
    this.#problems = new Map();
    for (const { url, line } of this.#failed.splice(0))
      if (!(URL.canParse(url) && problems.has(placeOfUrl(new URL(url))))) this.#add("Failed requests", line);
    const sections = SECTIONS.flatMap((section) => {
      const { lines = [], more = 0 } = this.#lines.get(section) ?? {};
      if (lines.length === 0) return [];
      return [`${section}:`, ...lines.map((line) => `- ${line}`), ...(more > 0 ? [`- and ${more} more`] : [])];
    });
    this.#lines.clear();
    const hosts = [...problems].flatMap(([place, reason]) => (place === told ? [] : `- ${place}: ${cut(reason)}`));
    return [...sections, ...(hosts.length > 0 ? ["Hosts that were not reached:", ...hosts] : [])];
  }

  #noteConsole(message: ConsoleMessage): void {
    // Each argument keeps values of the page alive until it is disposed of.
    for (const value of message.args()) value.dispose().catch(() => {});
    if (message.type() !== "error" || message.text().startsWith(OF_REQUESTS)) return;
    const { url, lineNumber } = message.location();
    const place = url ? ` (${url}${lineNumber === undefined ? "" : `:${lineNumber + 1}`})` : "";
    this.#add("Console errors", `${message.text()}${place}`);
  }

  #noteResponse(response: HTTPResponse): void {
    const request = response.request();
    // The result itself gives the status of the page.
    const isPage = request.isNavigationRequest() && request.frame()?.parentFrame() === null;
    if (response.status() >= 400 && !isPage) this.#noteFailed(request, `status ${response.status()}`);
  }

  #noteFailed(request: HTTPRequest, why: string): void {
    // The browser asks every server for an icon, whether or not the page has one.
    if (this.#failed.length < MOST_FAILED && !request.url().endsWith("/favicon.ico"))
      this.#failed.push({ url: request.url(), line: `${request.method()} ${request.url()}: ${why}` });
  }

  async #answer(dialog: Dialog, answer: "accept" | "dismiss" | undefined): Promise<void> {
    const kind = dialog.type();
    const isLeaving = kind === "beforeunload";
    const done = answer === undefined ? "shown" : isLeaving || answer === "accept" ? "accepted" : "dismissed";
    this.#add("Dialogs", `${kind} ${JSON.stringify(dialog.message())}: ${done}`);
    if (answer === undefined) return;
    try {
      // A page must not be able to hold the tab by asking whether it may be left.
      await (done === "accepted" ? dialog.accept() : dialog.dismiss());
    } catch {
      // A script of the tab answered it first, or the page has ended.
    }
  }

  #close(request: HTTPRequest): void {
    this.#open.delete(request);
    if (this.#open.size === 0) this.#onIdle();
  }

  #add(section: Section, text: string): void {
    const held = this.#lines.get(section) ?? { lines: [], more: 0 };
    this.#lines.set(section, held);
    const line = cut(text);
    if (held.lines.includes(line)) return;
    if (held.lines.length < MOST_LINES) held.lines.push(line);
    else held.more++;
  }
}

const cut = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
};

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `thrown: ${String(error)}`;
  const frame = /\n\s+at (.*)/.exec(error.stack ?? "")?.[1]?.replace(/^<anonymous> \((.*)\)$/, "$1");
  return `${error.name}: ${error.message}${frame === undefined ? "" : ` (at ${frame})`}`;
}
