// What a call of `browser` declares and asks for, before any browser runs.

import { afterEach, beforeEach, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../../test/call-tool.ts";
import { CallPaths } from "../../../contract/paths/call-paths.ts";
import type { WebGate } from "../../../files/web/gate/types.ts";
import { type BrowserRequest, browserTool } from "./index.ts";
import type { BrowserArgs } from "./params.ts";
import type { TabReach } from "./script-access.ts";

const TABS: Readonly<Record<string, TabReach>> = {
  main: { servers: [{ host: "localhost", port: 3000 }], isOpen: false },
  far: {
    servers: [
      { host: "localhost", port: 3000 },
      { host: "example.org", port: 443 },
    ],
    isOpen: false,
  },
  theirs: { servers: [{ host: "example.org", port: 443 }], isOpen: true },
};

let bench: Bench;
let asked: BrowserRequest[];
let isConfined: boolean;
beforeEach(async () => {
  bench = await toolBench();
  asked = [];
  isConfined = true;
  bench.services.web = {
    gate: {
      isOwn: async (_host: string, port: number) => port === 3000,
      isLoopback: async () => false,
      isClosed: async (_host: string, port: number) => port === 5432,
    } as unknown as WebGate,
  };
  bench.services.browser = {
    isConfined: async () => isConfined,
    reachOf: async (name) => TABS[name],
    run: async (request) => {
      asked.push(request);
      return { content: [] };
    },
  };
});
afterEach(() => bench.close());

const scopeOf = () => {
  const signal = new AbortController().signal;
  return { env: bench.env, signal, paths: new CallPaths(bench.env, signal), services: bench.services };
};
const judge = async (args: BrowserArgs) => ({
  tier: (browserTool.tier as (args: BrowserArgs) => string)(args),
  access: await browserTool.access?.(args, scopeOf()),
});
const preview = async (args: BrowserArgs) =>
  (await browserTool.preview?.(args, scopeOf()))?.lines.map(({ text }) => text);

it("T-SUB-2 seconds to wait are 30, at least 1 and at most 300", async () => {
  for (const timeout of [undefined, 0, 60, 9999])
    await bench.call(browserTool, { action: "open", ...(timeout === undefined ? {} : { timeout }) });
  expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([30_000, 1000, 60_000, 300_000]);
});

it("T-BRW-1 LS-10 the session's own server is declared as such, every other host is one, shown or not", async () => {
  expect(await judge({ action: "open", url: "http://localhost:3000/a" })).toEqual({
    tier: "network",
    access: [{ kind: "network", host: "localhost", own: true }],
  });
  expect(await judge({ action: "open", url: "https://example.org/a?b" })).toEqual({
    tier: "network",
    access: [{ kind: "network", host: "example.org" }],
  });
  expect((await judge({ action: "open", url: "http://localhost:5432/" })).access).toEqual([
    { kind: "network", host: "localhost", closedPort: 5432 },
  ]);
  for (const args of [{ action: "open" }, { action: "close", all: true }] as const)
    expect(await judge(args)).toEqual({ tier: "read", access: [] });
});

it("T-BRW-1 LS-10 apps, other browsers and one without bubblewrap are commands in doubt", async () => {
  const { tier, access } = await judge({ action: "open", app: { cdp_url: "http://127.0.0.1:9222" } });
  expect([tier, access]).toEqual([
    "exec",
    [expect.objectContaining({ command: "browser attach http://127.0.0.1:9222", doubt: expect.any(String) })],
  ]);
  const app = await judge({ action: "open", app: { path: "/opt/app", args: ["a b"] } });
  expect(app).toMatchObject({ tier: "exec", access: [{ command: "/opt/app 'a b'", doubt: expect.any(String) }] });
  expect(await preview({ action: "open", app: { path: "/opt/app", args: ["a b"], target: "Login" } })).toEqual([
    "Start this app and let the agent control it",
    "│ /opt/app 'a b'",
    "with a profile of its own",
    'on the page whose address or title contains "Login"',
  ]);
  expect(await preview({ action: "open", app: { cdp_url: "http://127.0.0.1:9222" } })).toEqual([
    "Let the agent control the browser at http://127.0.0.1:9222",
    "with everything that is open and signed in there",
  ]);
  isConfined = false;
  const loose = { action: "open", url: "http://localhost:3000/" } as const;
  expect((await judge(loose)).access).toEqual([
    expect.objectContaining({ kind: "exec", command: "chromium", doubt: expect.stringContaining("bubblewrap") }),
    expect.objectContaining({ kind: "network" }),
  ]);
  expect(await preview(loose)).toEqual([
    "Open http://localhost:3000/ in a browser",
    expect.stringContaining("scripts can send"),
    expect.stringContaining("no bubblewrap"),
  ]);
});

it("T-BRW-2 LS-10 a script declares the hosts of its tab and the files it may upload; in another browser it is a command", async () => {
  const access = async (name: string, files: string[] = []) =>
    (await judge({ action: "run", name, code: "return 1", files })).access;
  expect(await access("main")).toEqual([{ kind: "network", host: "localhost", own: true }]);
  expect(await access("far", ["a.txt"])).toEqual([
    { kind: "read", path: `${bench.dir}/a.txt` },
    { kind: "network", host: "localhost", own: true },
    { kind: "network", host: "example.org" },
  ]);
  expect(await access("theirs")).toMatchObject([
    { kind: "exec", command: "browser run theirs: return 1" },
    { kind: "network", host: "example.org" },
  ]);
  await expect(access("none")).rejects.toThrow('There is no tab named "none". Open it first.');
  await expect(access("main", ["https://example.org/x"])).rejects.toThrow("Only files on the disk can be uploaded.");
  await expect(bench.call(browserTool, { action: "run" })).rejects.toThrow("run needs `code`.");
  expect(await preview({ action: "run", code: "a()\nb()", files: ["x.png"] })).toEqual([
    "Run this script on the tab main",
    "may upload x.png",
    "│ a()",
    "│ b()",
  ]);
});
