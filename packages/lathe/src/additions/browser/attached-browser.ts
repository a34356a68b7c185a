// A browser that we did not set up: one that already listens somewhere and keeps running when we disconnect, or an app
// that the session starts with a profile of its own. We never end a program of the user and never open a profile of
// theirs.

import { randomUUID } from "node:crypto";
import { request } from "node:http";
import type { Duplex } from "node:stream";
import { ToolFailure } from "@lathe/agent";
import type { ExecutionEnvironment } from "@lathe/agent/world";
import { isJsonObject, messageOf, parseJson } from "@lathe/llm";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { WebSocketStream } from "../websocket.ts";
import { CdpLink } from "./cdp-link.ts";
import { hostOf, portOf } from "./tab-hosts.ts";

const LISTENS_MS = 5000;
const STARTS_MS = 30_000;
const POLL_MS = 150;
const PAGE_MS = 2000;
const REMOVED_MS = 10_000;
const PROTOCOL_MS = 60_000;
/** Internal windows of a browser or an app, which are never the page that is wanted. */
const NO_PAGE = /request handler|devtools|background page|background host|service worker/i;
/** The app's output is discarded: an app blocks when its output is not read. */
const START_APP = `mkdir -m 700 "$0" && exec "$@" --remote-debugging-port=0 "--user-data-dir=$0" >/dev/null`;

export type Connect = (host: string, port: number) => Promise<Duplex>;

export interface AttachedBrowser {
  readonly link: CdpLink;
  readonly browser: Browser;
  readonly ended: Promise<void>;
  /** The session started it. */
  readonly isOurs: boolean;
  /** Disconnects, and ends the program if the session started it. */
  leave(): Promise<void>;
}

export async function attachTo(address: string, connect: Connect): Promise<AttachedBrowser> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^(https?|ws):$/.test(url.protocol))
    throw new ToolFailure(`cdp_url is an address such as http://127.0.0.1:9222, not "${address}".`);
  const socket = url.protocol === "ws:" ? url : await socketOf(url, connect);
  const { close, ...spoken } = await speakTo(url, socket.pathname, connect);
  return { ...spoken, isOurs: false, leave: async () => close() };
}

/** Waits until the browser at this address reports its WebSocket address. */
async function socketOf(url: URL, connect: Connect): Promise<URL> {
  const until = performance.now() + LISTENS_MS;
  for (;;) {
    try {
      const answer = parseJson(await get(url, "/json/version", connect));
      const address = isJsonObject(answer) ? answer["webSocketDebuggerUrl"] : undefined;
      if (typeof address === "string" && URL.canParse(address)) return new URL(address);
      throw new ToolFailure(`${url.origin} is not a browser with remote debugging.`);
    } catch (error) {
      if (performance.now() > until)
        throw new ToolFailure(`No browser answers at ${url.origin}: ${messageOf(error).replace(/\.$/, "")}.`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function get(url: URL, path: string, connect: Connect): Promise<string> {
  const stream = await connect(hostOf(url), portOf(url));
  return new Promise((resolve, reject) => {
    const sent = request({ createConnection: () => stream, path, headers: { host: url.host }, timeout: LISTENS_MS });
    sent.once("timeout", () => sent.destroy(new Error("no answer")));
    sent.once("error", reject);
    sent.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > 100_000) sent.destroy(new Error("the answer is too long"));
      });
      response.once("end", () => resolve(text));
    });
    sent.end();
  });
}

async function speakTo(
  url: URL,
  path: string,
  connect: Connect,
): Promise<Pick<AttachedBrowser, "link" | "browser" | "ended"> & { close(): void }> {
  const socket = await WebSocketStream.open(await connect(hostOf(url), portOf(url)), path, url.host);
  const link = new CdpLink({ messages: socket.messages, send: async (message) => socket.send(message) });
  const browser = await puppeteer.connect({
    transport: await link.open(),
    defaultViewport: null,
    protocolTimeout: PROTOCOL_MS,
  });
  return { link, browser, ended: link.ended, close: () => socket.close() };
}

/** Starts an app in the environment where commands run. */
export async function startApp(
  path: string,
  args: readonly string[],
  env: ExecutionEnvironment,
): Promise<AttachedBrowser> {
  if (env.startProcess === undefined) throw new ToolFailure("Programs cannot be started here.");
  const profile = args.find((arg) => /^--(user-data-dir|profile-directory|remote-debugging-)/.test(arg));
  if (profile !== undefined)
    throw new ToolFailure(`The app gets a profile and a port of its own: leave ${profile} out.`);
  let said = "";
  let hear = (): void => {};
  const folder = `/tmp/lathe-app-${randomUUID()}`;
  const app = await env.startProcess(["/bin/sh", "-c", START_APP, folder, path, ...args], {
    onStderr: (text) => {
      said = (said + text).slice(-20_000);
      hear();
    },
  });
  const end = async (): Promise<void> => {
    await app.stop(0);
    await env.execCommand(`rm -rf ${folder}`, REMOVED_MS, { internal: true });
  };
  const socket = await new Promise<string | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), STARTS_MS);
    hear = () => {
      const [, found] = /DevTools listening on (ws:\/\/\S+)/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    };
    void app.exited.then(() => resolve(undefined));
    void app.exited.finally(() => clearTimeout(timer));
  });
  if (socket === undefined) {
    await end();
    throw new ToolFailure(
      `${path} did not open a port for debugging. If it runs already, start it yourself with --remote-debugging-port and give its address as cdp_url.`,
    );
  }
  const url = new URL(socket);
  const connect: Connect = (_host, port) => env.connect(port);
  const { close, ...spoken } = await speakTo(url, url.pathname, connect);
  const leave = async (): Promise<void> => {
    close();
    await end();
  };
  return { ...spoken, isOurs: true, leave };
}

/**
 * The first page whose address or title contains `target`; without a target, the first that is not an internal window
 * of the browser.
 */
export async function pickPage(browser: Browser, target: string | undefined): Promise<Page> {
  const until = performance.now() + PAGE_MS;
  for (;;) {
    const known = await Promise.all(
      (await browser.pages()).map(async (page) => ({
        page,
        text: `${page.url()} ${await page.title().catch(() => "")}`,
      })),
    );
    const wanted = target?.toLowerCase();
    const found =
      wanted === undefined
        ? (known.find(({ text }) => !NO_PAGE.test(text)) ?? known[0])
        : known.find(({ text }) => text.toLowerCase().includes(wanted));
    if (found !== undefined) return found.page;
    // A program that has just started may still load its page.
    if (performance.now() < until) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    else if (known.length === 0) throw new ToolFailure("The browser has no page.");
    else {
      const list = known.map(({ text }) => `- ${text}`).join("\n");
      throw new ToolFailure(`No page's address or title contains "${target}". There are:\n${list}`);
    }
  }
}
