// Misbehaving extensions and hooks, as data: their code, and the message about each.

export interface Hostile {
  readonly name: string;
  readonly code: string;
  /** The message for users, with the name of the culprit. */
  readonly said: RegExp;
  readonly kind?: "hook";
}

const extension = (body: string): string => `export default (lathe) => { ${body} };`;
const on = (event: string, body: string): string =>
  extension(`lathe.on("${event}", async (event, context) => { ${body} });`);

/** All of these run in one process, which does its work nevertheless. */
export const CONTAINED: readonly Hostile[] = [
  {
    name: "throws-at-load",
    code: 'throw new Error("boom");',
    said: /throws-at-load\.ts threw while it was loading: Error: boom/,
  },
  { name: "syntax", code: "export default (", said: /syntax\.ts:1:\d+ does not parse/ },
  { name: "no-export", code: "export const a = 1;", said: /no-export\.ts has no default export/ },
  { name: "no-function", code: "export default 7;", said: /default export of .*no-function\.ts is not a function/ },
  {
    name: "missing-module",
    code: 'import "not-installed-here"; export default () => {};',
    said: /missing-module\.ts imports not-installed-here, which is not installed/,
  },
  {
    name: "throws-in-factory",
    code: extension('throw new TypeError("bad start");'),
    said: /The extension throws-in-factory failed in its factory: bad start/,
  },
  {
    name: "rejects-in-factory",
    code: 'export default async () => { throw new Error("bad promise"); };',
    said: /The extension rejects-in-factory failed in its factory: bad promise/,
  },
  {
    name: "hangs-in-factory",
    code: "export default () => new Promise(() => {});",
    said: /The extension hangs-in-factory failed in its factory: did not finish within 1 s/,
  },
  {
    name: "unknown-event",
    code: extension('lathe.on("sesion_start", () => {});'),
    said: /The extension unknown-event failed in its factory: there is no event "sesion_start"/,
  },
  {
    name: "bad-tool",
    code: extension("lathe.registerTool({ name: 7 });"),
    said: /The extension bad-tool failed in its factory: the name of a tool must be a text/,
  },
  {
    name: "throws-in-handler",
    code: on("turn_start", 'throw new Error("in a handler");'),
    said: /The extension throws-in-handler failed in turn_start: in a handler/,
  },
  {
    name: "throws-nothing",
    code: on("turn_start", "throw undefined;"),
    said: /The extension throws-nothing failed in turn_start: undefined/,
  },
  {
    name: "throws-a-trap",
    code: on("turn_start", 'throw { toString() { throw new Error("trap"); } };'),
    said: /The extension throws-a-trap failed in turn_start: an error that cannot be shown/,
  },
  {
    name: "hangs-in-handler",
    code: on("agent_start", "await new Promise(() => {});"),
    said: /The extension hangs-in-handler failed in agent_start: did not finish within 1 s/,
  },
  {
    name: "hangs-in-hook",
    kind: "hook",
    code: on("turn_end", "await new Promise(() => {});"),
    said: /The extension post:\*:hangs-in-hook failed in turn_end: did not finish within 1 s/,
  },
  {
    name: "rejects-unseen",
    code: extension('Promise.reject(new Error("lost"));'),
    said: /The extension rejects-unseen left a promise rejected: lost/,
  },
  {
    name: "throws-in-timer",
    code: extension('setTimeout(() => { throw new Error("late"); }, 1);'),
    said: /The extension throws-in-timer threw an error that nothing catches: late/,
  },
  {
    name: "throws-in-microtask",
    code: extension('queueMicrotask(() => { throw new Error("micro"); });'),
    said: /The extension throws-in-microtask threw an error that nothing catches: micro/,
  },
  {
    name: "throws-nothing-in-timer",
    code: extension("setTimeout(() => { throw undefined; }, 1);"),
    said: /The extension throws-nothing-in-timer threw an error that nothing catches: undefined/,
  },
  {
    name: "starts-nothing",
    code: 'import { spawn } from "node:child_process"; export default () => { spawn("/no/such/program"); };',
    said: /The extension starts-nothing threw an error that nothing catches: spawn/,
  },
  {
    name: "leaks-timer",
    code: extension("setInterval(() => {}, 1000);"),
    said: /The extension leaks-timer left open: 1 timer\. They were ended/,
  },
  {
    name: "leaks-server",
    code: 'import { createServer } from "node:net"; export default () => { createServer().listen(0, "127.0.0.1"); };',
    said: /The extension leaks-server left open: 1 server/,
  },
  {
    name: "leaks-process",
    code: 'import { spawn } from "node:child_process"; export default () => { spawn("sleep", ["1000"]); };',
    said: /The extension leaks-process left open: 1 process/,
  },
  { name: "prints", code: extension('console.log("noise on stdout");'), said: /\[prints\] noise on stdout/ },
  {
    name: "floods",
    code: extension('for (let i = 0; i < 2000; i++) console.log("flood", i);'),
    said: /The extension floods writes too much at once; the rest is left out/,
  },
  {
    name: "floods-people",
    code: on("turn_start", 'for (let i = 0; i < 2000; i++) context.ui.notify("look " + i);'),
    said: /The extension floods-people shows too much at once; the rest is left out/,
  },
  {
    name: "answers-nonsense",
    code: extension(
      'lathe.on("input", () => ({ text: 7 })); lathe.on("tool_result", () => 12); lathe.on("stop", () => ({ continueWith: {} })); console.log("nonsense");',
    ),
    said: /\[answers-nonsense\] nonsense/,
  },
];

const isLong = process.env["LATHE_LONG"] !== undefined;
/** Blocks like an endless loop, without taking a core from other tests for five seconds. */
const BLOCK = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);";

/** The watchdog ends the process, and the extension is off at the next start. */
export const BLOCKING: readonly { readonly name: string; readonly code: string; readonly atLoad?: boolean }[] = [
  { name: "blocks-at-load", code: `${BLOCK}\nexport default () => {};`, atLoad: true },
  { name: "spins", code: on("turn_start", isLong ? "for (;;) {}" : BLOCK) },
  ...(isLong
    ? [
        {
          name: "spins-in-promises",
          code: on("turn_start", "const next = () => Promise.resolve().then(next); next();"),
        },
      ]
    : []),
  {
    name: "waits-for-a-program",
    code: `import { execSync } from "node:child_process"; ${on("turn_start", 'setTimeout(() => execSync("sleep 20"), 1);')}`,
  },
];

/** Each ends the process itself, before the work is done. */
export const EXITING: readonly { readonly name: string; readonly code: string }[] = [
  { name: "exits-at-load", code: "process.exit(0);" },
  { name: "exits-in-handler", code: on("turn_start", "process.exit(0);") },
  { name: "exits-later", code: extension("setTimeout(() => process.exit(0), 1);") },
];
