// What our browser costs over bare puppeteer on the same Chromium: opening, observing, clicking, and the memory of eight tabs.

import { readFileSync } from "node:fs";
import puppeteer, { type Browser } from "puppeteer-core";
import type { Bench } from "../../../scripts/bench-types.ts";
import { type BrowserBench, browserBench, serve } from "../test/browser-kit.ts";
import { descendantsOf } from "../test/started-in.ts";

const ROUNDS = 15;
const TABS = 8;
const BUDGET = 1.3;
const ROWS = Array.from({ length: 100 }, (_, row) => `<li><a href="#${row}">row ${row}</a>`).join("");
const PAGES = { "/": { html: `<title>Bench</title><button id="b">go</button><ul>${ROWS}</ul>` } };

export const benches: Bench[] = [
  {
    name: "opening a page over bare puppeteer",
    run: () =>
      compare(
        async ({ at, url }) => at.say({ action: "open", url }),
        async ({ page, url }) => void (await page.goto(url)),
      ),
  },
  {
    name: "observing a page over bare puppeteer",
    run: () =>
      compare(
        async ({ at }) => at.say({ action: "run", code: "return (await tab.observe()).elements.length" }),
        async ({ page }) => {
          const { children = [] } = (await page.accessibility.snapshot()) ?? {};
          for (const child of children) await (await child.elementHandle())?.dispose();
        },
      ),
  },
  {
    name: "clicking over bare puppeteer",
    run: () =>
      compare(
        async ({ at }) => at.say({ action: "run", code: "await tab.click('#b')" }),
        async ({ page }) => page.locator("#b").click(),
      ),
  },
  { name: "memory of eight tabs over bare puppeteer", run: memory },
];

interface Place {
  readonly at: BrowserBench;
  readonly page: Awaited<ReturnType<Browser["newPage"]>>;
  readonly url: string;
}

async function withBoth<T>(use: (place: { at: BrowserBench; bare: Browser; url: string }) => Promise<T>): Promise<T> {
  const at = await browserBench();
  const url = `http://127.0.0.1:${await serve(at.env, PAGES)}/`;
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const bare = await puppeteer.launch({ executablePath: "/usr/bin/chromium", pipe: true, args });
  try {
    return await use({ at, bare, url });
  } finally {
    await bare.close();
    await at.close();
  }
}

function compare(ours: (place: Place) => Promise<unknown>, theirs: (place: Place) => Promise<unknown>) {
  return withBoth(async ({ at, bare, url }) => {
    const page = await bare.newPage();
    await page.setViewport({ width: 1365, height: 768, deviceScaleFactor: 1.25 });
    await page.goto(url);
    const place = { at, page, url };
    await at.say({ action: "open", url });
    await ours(place);
    const [values, bases]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      bases.push(await timed(() => theirs(place)));
      values.push(await timed(() => ours(place)));
    }
    const [value, base] = [median(values), median(bases)];
    const note = `${value.toFixed(1)} ms against ${base.toFixed(1)} ms`;
    return { value: value / base, unit: "x", budget: BUDGET, note };
  });
}

function memory() {
  return withBoth(async ({ at, bare, url }) => {
    for (let tab = 0; tab < TABS; tab++) {
      await (await bare.newPage()).goto(url);
      await at.say({ action: "open", name: `tab ${tab}`, url });
    }
    const theirs = new Set(descendantsOf(bare.process()!.pid!).map(({ pid }) => pid)).add(bare.process()!.pid!);
    const all = descendantsOf(process.pid).filter(({ line }) => /chromium|bwrap/.test(line));
    const sizeOf = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + memoryOf(pid), 0) / 1024;
    const base = sizeOf([...theirs]);
    const value = sizeOf(all.map(({ pid }) => pid).filter((pid) => !theirs.has(pid)));
    const note = `${Math.round(value)} MB against ${Math.round(base)} MB`;
    return { value: value / base, unit: "x", budget: BUDGET, note };
  });
}

/** In KB; what is shared with others counts in part. */
function memoryOf(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0; // it has ended in the meantime
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
