// A session's browser, and a server that the session runs.

import { type WebGate, webGate } from "@lathe/agent/files";
import { byteLines, type ExecutionEnvironment } from "@lathe/agent/world";
import { browserTool } from "../../agent/src/tools/builtin/browser/index.ts";
import type { BrowserArgs } from "../../agent/src/tools/builtin/browser/params.ts";
import { type Bench as ToolBench, toolBench } from "../../agent/test/call-tool.ts";
import { program } from "../../agent/test/programs.ts";
import { Tabs, type TabsOptions } from "../src/additions/browser/tabs.ts";

export const HAS_BROWSER = program("chromium") !== undefined && program("bwrap") !== undefined;

/** Each line of `pages` is a page: its path and HTML. `/asked` lists the requests, and `/never` gets no answer. */
const SERVER = `
const [pages] = process.argv.slice(1).map((text) => JSON.parse(text));
const asked = [];
const server = require("node:http").createServer((request, response) => {
  if (request.url === "/asked") return response.end(asked.join(" "));
  asked.push(request.url);
  if (request.url === "/never") return;
  const { status = 200, headers = {}, html } = pages[request.url.split("?")[0]] ?? { status: 404, html: "nothing here" };
  response.writeHead(status, { "content-type": "text/html", ...headers }).end(html);
});
server.on("upgrade", (request, socket) => { asked.push(request.url); socket.destroy(); });
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

export interface Page {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly html: string;
}

/** Starts a server in an environment and returns its port. */
export async function serve(env: ExecutionEnvironment, pages: Readonly<Record<string, Page>>): Promise<number> {
  const server = await env.startProcess!([process.execPath, "-e", SERVER, JSON.stringify(pages)]);
  const { value } = await byteLines(server.stdout).next();
  return Number(value);
}

export interface BrowserBench extends Pick<ToolBench, "dir" | "env" | "services" | "artifacts"> {
  readonly tabs: Tabs;
  /** The text that the model reads; for a failure, its message. */
  say(args: BrowserArgs): Promise<string>;
  readonly notices: string[];
  close(): Promise<void>;
}

export async function browserBench(
  options: Partial<TabsOptions> & { readonly gate?: (env: ExecutionEnvironment) => WebGate } = {},
): Promise<BrowserBench> {
  const bench = await toolBench();
  const notices: string[] = [];
  const tabs = new Tabs({
    variables: {},
    headless: true,
    isConfined: async () => true,
    isAllowed: () => false,
    isShown: () => false,
    notify: (message) => notices.push(message),
    ...options,
  });
  bench.services.web = { gate: options.gate?.(bench.env) ?? webGate({ env: bench.env }) };
  bench.services.browser = {
    isConfined: async () => true,
    reachOf: (name) => tabs.reachOf(name),
    run: (request, context) => tabs.run(request, context),
  };
  return {
    dir: bench.dir,
    env: bench.env,
    services: bench.services,
    artifacts: bench.artifacts,
    tabs,
    notices,
    say: async (args) => {
      try {
        return await bench.text(browserTool, args);
      } catch (error) {
        return (error as Error).message;
      }
    },
    close: async () => {
      await tabs.end();
      await bench.close();
    },
  };
}
