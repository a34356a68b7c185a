// Language servers, cells, debuggers and pages of a server in every environment where a session can work, with real
// ones in each. An environment is opened once. The gate tries each of the four in one remote and one local environment;
// a long run tries all.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { webGate } from "@lathe/agent/files";
import type { ExecutionEnvironment } from "@lathe/agent/world";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserBench, HAS_BROWSER, serve } from "./browser-kit.ts";
import { bench, newFolder } from "./debug-kit.ts";
import { CellHarness, checkCells } from "./eval-harness.ts";
import { checkLanguage } from "./lsp-harness.ts";
import { type LanguageProject, PROJECTS } from "./lsp-projects.ts";
import { type OpenPlace, PLACES, type Place } from "./places.ts";

const WAIT = 240_000;
const isLong = process.env["LATHE_LONG"] !== undefined;
const { clangd, gopls, bashls } = PROJECTS;

interface Program {
  readonly name: string;
  readonly text: string;
  readonly where: string;
}
const PYTHON = { name: "sum.py", text: "total = 0\nfor n in [1, 2]:\n    total += n\n", where: "<module>" };
const NODE = {
  name: "sum.cjs",
  text: "let total = 0;\nfor (const n of [1, 2])\n    total += n;\n",
  where: "(anonymous)",
};

/** A trace, then the same program step by step. */
async function checkDebugger(env: ExecutionEnvironment, programs: readonly Program[]): Promise<void> {
  const at = bench(newFolder(), env);
  try {
    for (const { name, text, where } of programs) {
      const program = join(env.workingDirectory(), name);
      await env.writeFile(program, text);
      const traced = await at.say({ action: "trace", program, at: { file: program, line: 3 }, show: ["n", "total"] });
      expect(traced).toBe(
        `${name}:3: 2 hits; the program exited with code 0.\nhit | n | total\n1   | 1 | 0\n2   | 2 | 1`,
      );
      expect(await at.say({ action: "launch", program })).toContain("has stopped: entry");
      expect(await at.say({ action: "set_breakpoint", file: program, line: 3 })).toBe(`Breakpoint at ${name}:3`);
      expect(await at.say({ action: "continue" })).toContain(`${where} at ${name}:3`);
      expect(await at.say({ action: "evaluate", expression: "n + 41" })).toContain("42");
      await at.say({ action: "terminate" });
      expect(await env.readFile(program)).toBe(text);
    }
  } finally {
    await at.close();
  }
}

/** A server of the session there is seen by the browser here, and a port of another program here is not. */
async function checkBrowser(env: ExecutionEnvironment): Promise<void> {
  const other = createServer((_request, response) => response.end("<title>Other</title>"));
  await once(other.listen(0, "127.0.0.1"), "listening");
  const at = await browserBench({ gate: () => webGate({ env }) });
  try {
    const html = `<title>There</title><script>fetch("/data").then((answer) => answer.text()).then((text) => { document.title = text; new WebSocket("ws://" + location.host + "/socket") })</script>`;
    const port = await serve(env, { "/": { html }, "/data": { html: "from there" } });
    expect(await at.say({ action: "open", url: `http://localhost:${port}/` })).toContain("(status 200)\nTitle: ");
    const code = `await page.waitForFunction(() => document.title === "from there"); return tab.evaluate(() => fetch("/asked").then((answer) => answer.text()))`;
    expect(await at.say({ action: "run", code })).toMatch(/^\/ .*\/data/);
    expect(await at.say({ action: "open", name: "name", url: `http://app.localhost:${port}/` })).toContain(
      "(status 200)",
    );
    const { port: foreign } = other.address() as AddressInfo;
    const refused = await at.say({ action: "open", name: "other", url: `http://localhost:${foreign}/` });
    expect(refused).toMatch(/could not be opened: .*(no process of this session|nothing) listens there/);
  } finally {
    await at.close();
    other.close();
    other.closeAllConnections();
  }
}

type What = "language" | "cells" | "browser" | "debugger";

interface Suite {
  readonly place: Place;
  /** What the gate tries there. */
  readonly gate: readonly What[];
  readonly language: LanguageProject;
  /** In the gate; the other one too in long runs. */
  readonly program: Program;
}

const SUITES: readonly Suite[] = [
  { place: PLACES.machine, gate: ["language", "debugger"], language: clangd!, program: PYTHON },
  { place: PLACES.container, gate: ["cells", "browser"], language: bashls!, program: NODE },
  { place: PLACES.sandbox, gate: ["cells", "debugger"], language: clangd!, program: NODE },
  { place: PLACES.copy, gate: ["language", "browser"], language: gopls!, program: NODE },
];

/** Replaces `it` for what the gate tries elsewhere. */
const elsewhere = (_title: string, _test: () => Promise<void>, _timeout: number): void => {};

for (const { place, gate, language, program } of SUITES)
  describe.skipIf(!place.isThere)(place.name, () => {
    const tries = (what: What) => (isLong || gate.includes(what) ? it : elsewhere);
    let open: OpenPlace;
    beforeAll(async () => {
      open = await place.open(language.files);
    }, WAIT);
    afterAll(() => open.close());

    tries("language")(
      `LP-02 LP-03 LP-04 ${language.row.name} answers, and its errors come with an edit`,
      async () => {
        await checkLanguage(language, open.env);
        const [name, text] = Object.entries(language.files).at(-1)!;
        if (open.original) expect(open.original(name)).toBe(text);
      },
      WAIT,
    );

    tries("cells")(
      "T-EVAL-1 cells keep their state, are interrupted and call tools",
      async () => {
        await checkCells(open.env);
        if (open.original) expect(() => open.original?.("seen.txt")).toThrow();
        if (place !== PLACES.sandbox) return;
        const cells = new CellHarness(open.env);
        const outside = await cells.run("py", "open('/etc/lathe-cells', 'w')");
        expect(outside).toMatchObject({ status: "failed", text: expect.stringMatching(/Read-only|denied/) });
        await cells.kernels.close();
      },
      WAIT,
    );

    (HAS_BROWSER ? tries("browser") : it.skip)(
      "T-BRW-1 a server of the session there is opened in the browser (needs chromium and bubblewrap)",
      () => checkBrowser(open.env),
      WAIT,
    );

    // This comes last, since the environment is closed with the debuggers.
    tries("debugger")(
      `T-DBG-1 T-DBG-2 ${program.name} is traced, stopped and looked at`,
      () => checkDebugger(open.env, isLong ? [PYTHON, NODE] : [program]),
      WAIT,
    );
  });
