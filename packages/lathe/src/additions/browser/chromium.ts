// The one Chromium of a session, on this machine: it starts with the first tab, in bubblewrap if available, and ends
// with the last.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalEnvironment, ToolFailure } from "@lathe/agent";
import type { TwoWayProcess } from "@lathe/agent/world";
import { messageOf } from "@lathe/llm";
import puppeteer, { type Browser } from "puppeteer-core";
import { CdpLink, pipeChannel } from "./cdp-link.ts";
import { BRIDGE_PORT, BrowserConfinement, DOWNLOADS, INSIDE } from "./confinement.ts";
import { stealthFlags } from "./stealth.ts";
import type { TabProxy } from "./tab-proxy.ts";

const PROTOCOL_MS = 60_000;
const START_MS = 30_000;
const EXIT_MS = 500;
export const VIEWPORT = { width: 1365, height: 768, scale: 1.25 };

export interface ChromiumOptions {
  readonly program: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly headless: boolean;
  /** It hides from pages that it is automated. */
  readonly isStealthy?: boolean | undefined;
  /** Bubblewrap works here. */
  readonly isConfined: boolean;
}

export class Chromium {
  readonly link: CdpLink;
  readonly browser: Browser;
  /** Resolves when the browser can no longer be used: with how it ended, or with undefined if we ended it. */
  readonly ended: Promise<string | undefined>;
  readonly #cleaned: Promise<void>;
  readonly #process: TwoWayProcess;
  readonly #env: LocalEnvironment;
  readonly #folder: string;
  readonly #isConfined: boolean;
  #tabs = 0;

  private constructor(
    parts: { link: CdpLink; browser: Browser; process: TwoWayProcess; env: LocalEnvironment; folder: string },
    isConfined: boolean,
  ) {
    this.link = parts.link;
    this.browser = parts.browser;
    this.#process = parts.process;
    this.#env = parts.env;
    this.#folder = parts.folder;
    this.#isConfined = isConfined;
    this.ended = parts.link.ended.then(() => this.#describeEnd());
    this.#cleaned = this.ended.then(() => this.#cleanUp());
  }

  static async start(options: ChromiumOptions): Promise<Chromium> {
    const { program, variables, headless, isStealthy, isConfined } = options;
    const screen = headless ? undefined : windowVariables(variables);
    const confinement = isConfined ? new BrowserConfinement({ node: process.execPath, screen }) : undefined;
    const folder = confinement?.folder ?? realpathSync(mkdtempSync(join(tmpdir(), "lathe-browser-")));
    mkdirSync(join(folder, DOWNLOADS));
    const env = new LocalEnvironment({
      cwd: "/",
      baseEnv: { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: variables["LANG"] ?? "C.UTF-8", ...screen },
      envPolicy: "inherit_all",
      confinement,
    });
    try {
      const flags = [...chromiumFlags(headless, isConfined), ...(isStealthy ? await stealthFlags(program) : [])];
      const process = await env.startProcess(
        isConfined
          ? [program, ...flags]
          : ["/bin/sh", "-c", 'exec "$@" 3<&0 4>&1', "sh", program, `--user-data-dir=${folder}/profile`, ...flags],
      );
      const link = new CdpLink(pipeChannel(process));
      const transport = await withDeadline(link.open(), START_MS);
      if (transport === undefined) {
        await process.stop(0);
        throw new ToolFailure(`The browser did not start: ${lastWords(process)}`);
      }
      const browser = await puppeteer.connect({ transport, defaultViewport: null, protocolTimeout: PROTOCOL_MS });
      return new Chromium({ link, browser, process, env, folder }, isConfined);
    } catch (error) {
      await env.cleanup();
      rmSync(folder, { recursive: true, force: true });
      throw error instanceof ToolFailure ? error : new ToolFailure(`The browser did not start: ${messageOf(error)}`);
    }
  }

  /** Starts the proxy of a tab and returns the address at which the browser finds it. */
  async serve(proxy: TabProxy): Promise<string> {
    const number = ++this.#tabs;
    if (!this.#isConfined) return `http://127.0.0.1:${await proxy.listen({ host: "127.0.0.1", port: 0 })}`;
    const address = `127.0.${1 + (number >> 8)}.${number & 255}`;
    await proxy.listen({ path: join(this.#folder, address) });
    return `http://${address}:${BRIDGE_PORT}`;
  }

  /** The folder of downloads, by the browser's path and by ours. */
  get downloads(): { readonly inside: string; readonly outside: string } {
    const outside = join(this.#folder, DOWNLOADS);
    return { inside: this.#isConfined ? `${INSIDE}/${DOWNLOADS}` : outside, outside };
  }

  async end(): Promise<void> {
    await Promise.all([this.#process.signal("SIGKILL"), this.#process.stop(0)]);
    await this.#cleaned;
  }

  /** A browser whose pipe has ended is about to exit or no longer usable. */
  async #describeEnd(): Promise<string | undefined> {
    const exit = await withDeadline(this.#process.exited, EXIT_MS);
    if (exit?.stopped) return undefined;
    const how = exit === undefined ? "it stopped answering" : `exit code ${exit.exitCode}`;
    return `${how}: ${lastWords(this.#process)}`;
  }

  async #cleanUp(): Promise<void> {
    await this.#env.cleanup();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Services and window parts that are not used here; those of the window would cost a process per tab. */
const UNUSED_FEATURES = [
  "Translate",
  "OptimizationHints",
  "MediaRouter",
  "AutofillServerCommunication",
  "CertificateTransparencyComponentUpdater",
  "DialMediaRouteProvider",
  "SpareRendererForSitePerProcess",
  "InitialWebUI",
  "OmniboxWebUI",
  "TabSearch",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "WebUIOmniboxPopup",
  "WebUIReloadButton",
  "WebUIToolbar",
];

/** The browser's own services get no network: its proxy address answers nothing, and only tabs have proxies that do. */
function chromiumFlags(headless: boolean, isConfined: boolean): string[] {
  const nowhere = isConfined ? `127.0.0.1:${BRIDGE_PORT}` : "127.0.0.1:9";
  return [
    ...(headless ? ["--headless=new", "--hide-scrollbars", "--mute-audio"] : []),
    ...(!isConfined && process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    ...["--remote-debugging-pipe", `--proxy-server=http://${nowhere}`, "--proxy-bypass-list=<-loopback>"],
    // Only the proxy looks up names, and nothing bypasses it.
    ...["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.*", "--disable-quic"],
    ...["--force-webrtc-ip-handling-policy=disable_non_proxied_udp", "--allow-insecure-localhost"],
    ...["--no-first-run", "--no-default-browser-check", "--no-pings", "--disable-sync", "--disable-breakpad"],
    ...["--disable-background-networking", "--disable-component-update", "--disable-default-apps"],
    ...["--disable-domain-reliability", "--disable-client-side-phishing-detection", "--disable-extensions"],
    ...["--disable-search-engine-choice-screen", "--password-store=basic", "--use-mock-keychain"],
    ...[
      "--disable-backgrounding-occluded-windows",
      "--disable-renderer-backgrounding",
      "--disable-background-timer-throttling",
    ],
    `--disable-features=${UNUSED_FEATURES.join(",")}`,
    `--window-size=${VIEWPORT.width},${VIEWPORT.height}`,
  ];
}

function windowVariables(variables: ChromiumOptions["variables"]): Record<string, string> {
  const { DISPLAY, XAUTHORITY } = variables;
  if (DISPLAY === undefined)
    throw new ToolFailure(
      "There is no display for the browser's window (DISPLAY is not set). Set browser.headless to true.",
    );
  return { DISPLAY, ...(XAUTHORITY === undefined ? {} : { XAUTHORITY }) };
}

function lastWords(process: TwoWayProcess): string {
  const lines = process.readStderr().text.trim().split("\n");
  return (lines.findLast((line) => !/dbus|Fontconfig/.test(line)) || "it does not answer").trim().slice(0, 300);
}

async function withDeadline<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
