// A long session in a real browser against one a tenth as long: how soon it is shown, and what scrolling through all of it costs.

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, chromium, type Page } from "playwright-core";
import { type Bench, type BenchResult, ratio } from "../../../scripts/bench-types.ts";
import { servePage } from "./made-sessions.ts";

const LONG = 5_000;
const SHORT = 500;
const ROUNDS = 7;
const JUMPS = 60;
const BUDGET = 1.5;

export const benches: Bench[] = [
  { name: "5,000 entries drawn over 500", run: () => compared(shown) },
  { name: "scrolling through 5,000 entries over 500", run: () => compared(scrolled) },
];

/** The median of what it takes with each. */
async function compared(measure: (page: Page, url: string) => Promise<number>): Promise<BenchResult> {
  const server = await servePage();
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    const times: Record<number, number[]> = { [LONG]: [], [SHORT]: [] };
    for (let round = 0; round <= ROUNDS; round++)
      for (const count of [SHORT, LONG]) {
        const time = await inPage(browser, (tab) => measure(tab, urlOf(server, count)));
        // The first round fills caches.
        if (round > 0) times[count]?.push(time);
      }
    return ratio(median(times[LONG] ?? []), median(times[SHORT] ?? []), { budget: BUDGET, unit: "ms" });
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}

const urlOf = (server: Server, count: number): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}/#/s/${count}`;

const median = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0;

async function inPage<T>(browser: Browser, use: (page: Page) => Promise<T>): Promise<T> {
  const tab = await browser.newPage({ viewport: { width: 390, height: 844 } });
  try {
    return await use(tab);
  } finally {
    await tab.close();
  }
}

async function shown(tab: Page, url: string): Promise<number> {
  const start = performance.now();
  await tab.goto(url);
  await tab.getByText("The last answer.").waitFor();
  return performance.now() - start;
}

/** All entries have been read before the clock starts. */
async function scrolled(tab: Page, url: string): Promise<number> {
  await shown(tab, url);
  await tab.evaluate(async () => {
    const list = document.querySelector(".list-box") as HTMLElement;
    while (!list.textContent?.includes("Question 0.")) {
      list.scrollTop = 0;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });
  return tab.getByRole("feed").evaluate(async (list, jumps) => {
    let spent = 0;
    for (let jump = 0; jump < jumps; jump++) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const start = performance.now();
      list.scrollTop = (list.scrollHeight * ((jump * 37) % jumps)) / jumps;
      list.dispatchEvent(new Event("scroll"));
      await new Promise((resolve) => setTimeout(resolve));
      list.getBoundingClientRect();
      spent += performance.now() - start;
    }
    return spent;
  }, JUMPS);
}
