import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalEnvironment } from "@lathe/agent";
import puppeteer from "puppeteer-core";
import { expect, it } from "vitest";
import { has } from "../../../../agent/test/programs.ts";
import { CdpLink, pipeChannel } from "./cdp-link.ts";

it.skipIf(!has("chromium"))(
  "Two clients share one browser: each has its own pages, and none can speak to the other's",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "lathe-link-"));
    const env = new LocalEnvironment({ cwd: folder, baseEnv: { PATH: "/usr/bin:/bin", HOME: folder } });
    const flags = ["--headless=new", "--no-sandbox", "--remote-debugging-pipe", `--user-data-dir=${folder}/profile`];
    const chromium = await env.startProcess(["/bin/sh", "-c", 'exec chromium "$@" 3<&0 4>&1', "sh", ...flags]);
    const link = new CdpLink(pipeChannel(chromium));
    try {
      const transports = await Promise.all([link.open(), link.open()]);
      const [first, second] = await Promise.all(
        transports.map((transport) => puppeteer.connect({ transport, defaultViewport: null })),
      );
      const pages = await Promise.all(
        [first!, second!].map(async (browser) => (await browser.createBrowserContext()).newPage()),
      );
      await Promise.all(pages.map((page, n) => page.goto(`data:text/html,<title>page ${n}</title><p>Grüße`)));
      expect(await Promise.all(pages.map((page) => page.title()))).toEqual(["page 0", "page 1"]);
      const large = await pages[0]!.evaluate(() => "ü".repeat(2_000_000));
      expect(large).toBe("ü".repeat(2_000_000));
      expect((await pages[1]!.screenshot()).length).toBeGreaterThan(500);

      // The first client sends a command to a session of the second.
      const theirs = (await pages[1]!.createCDPSession()).id();
      const [mine] = transports;
      const hear = mine!.onmessage!;
      const refused = new Promise<unknown>((resolve) => {
        mine!.onmessage = (text) => (text.includes('"id":999999,') ? resolve(JSON.parse(text)) : hear(text));
      });
      mine!.send(
        JSON.stringify({ id: 999999, method: "Page.navigate", params: { url: "about:blank" }, sessionId: theirs }),
      );
      expect(await refused).toMatchObject({ error: { message: "Session with given id not found." } });
      expect(pages[1]!.url()).toContain("data:");

      // When one client disconnects, the other and its page stay.
      await first!.disconnect();
      expect(await pages[1]!.evaluate(() => 6 * 7)).toBe(42);
      const lost = new Promise<void>((resolve) => void second!.once("disconnected", resolve));
      await chromium.stop(0);
      await Promise.all([lost, link.ended]);
      await expect(link.open()).rejects.toThrow("The browser has ended.");
    } finally {
      await env.cleanup();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  },
);
