// Pages in a real Chromium, as the model opens them.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAlive } from "../../agent/test/alive.ts";
import { type BrowserBench, browserBench, HAS_BROWSER, serve } from "./browser-kit.ts";
import { descendantsOf } from "./started-in.ts";

const isLong = process.env["LATHE_LONG"] !== undefined;

describe.skipIf(!HAS_BROWSER)("browser (needs chromium and bubblewrap)", () => {
  let at: BrowserBench;
  let url: string;
  beforeAll(async () => {
    at = await browserBench();
    const port = await serve(at.env, {
      "/broken": {
        html: `<title>Shop</title><script>fetch("/missing"); alert("hi"); null.total</script>`,
      },
      "/bad": { status: 500, html: "database is locked" },
      "/stuck": { html: "<script>for (;;);</script>" },
      "/plain": { html: "<title>Plain</title><p>hello" },
      "/late": { html: "<title>Early</title><script>onload = () => { document.title = 'Late' }</script>" },
      "/away": { html: `<title>Away</title><script src="http://cdn.example.org/x.js"></script>` },
      "/leaves": { status: 302, headers: { location: "http://elsewhere.example.org/?secret" }, html: "" },
    });
    url = `http://localhost:${port}`;
  });
  afterAll(() => at.close());

  it("T-BRW-1 one open tells what a page threw, what it could not load and which dialogs it showed", async () => {
    const text = await at.say({ action: "open", url: `${url}/broken` });
    expect(text.split("\n")).toEqual([
      `Opened tab "main": ${url}/broken (status 200)`,
      "Title: Shop",
      "Console errors:",
      expect.stringMatching(
        /^- TypeError: Cannot read properties of null \(reading 'total'\) \(at http:\S+\/broken:1:\d+\)$/,
      ),
      "Failed requests:",
      `- GET ${url}/missing: status 404`,
      "Dialogs:",
      '- alert "hi": dismissed',
    ]);
    expect(await at.say({ action: "open" })).toBe(`Tab "main": ${url}/broken\nTitle: Shop`);
    expect(await at.say({ action: "open", url: `${url}/bad` })).toBe(
      `Tab "main": ${url}/bad (status 500)\ndatabase is locked`,
    );
  });

  it("T-BRW-1 a page of the session's own server reaches no other host, and says which it wanted", async () => {
    const away = await at.say({ action: "open", url: `${url}/away` });
    expect(away).toContain(
      `${url}/away (status 200)\nTitle: Away\nHosts that were not reached:\n- cdn.example.org: the tab`,
    );
    const left = await at.say({ action: "open", url: `${url}/leaves` });
    expect(left).toContain(`${url}/leaves could not be opened`);
    expect(left).toContain("- elsewhere.example.org: the tab was not opened for this host");
  });

  it("T-BRW-1 the title is that of the page as it is loaded, with what its own handlers make of it", async () => {
    for (const [path, title] of [
      ["/late", "Late"],
      ["/plain?1", "Plain"],
      ["/late?2", "Late"],
    ])
      expect(await at.say({ action: "open", url: url + path })).toBe(
        `Tab "main": ${url}${path} (status 200)\nTitle: ${title}`,
      );
  });

  it("T-BRW-1 a server that does not answer takes the timeout and no more, and the tab works afterwards", async () => {
    expect(await at.say({ action: "open", url: `${url}/never`, timeout: 1 })).toBe(
      `${url}/never could not be opened: timed out after 1000ms`,
    );
    expect(await at.say({ action: "open", url: `${url}/stuck`, timeout: 1 })).toContain("timed out after 1000ms");
    expect(await at.say({ action: "open", url: `${url}/plain` })).toContain("Title: Plain");
  }, 40_000);

  it("T-BRW-2 what a script sets on its tab ends with the script", async () => {
    const code = `await page.setRequestInterception(true); await page.setExtraHTTPHeaders({ "x-mark": "1" });
      const own = await page.createCDPSession(); await own.send("Fetch.enable"); return "set"`;
    expect(await at.say({ action: "run", code })).toContain("set");
    expect(await at.say({ action: "open", url: `${url}/plain?again`, timeout: 10 })).toContain("Title: Plain");
    expect(await at.say({ action: "run", code: "return tab.title()" })).toContain("Plain");
  }, 40_000);

  it("T-BRW-2 messages of several megabytes arrive whole, and a page with many elements is observed", async () => {
    const long = "return (await tab.evaluate(() => 'x'.repeat(3_000_000))).length";
    expect(await at.say({ action: "run", code: long })).toContain("3000000");
    const code = `await tab.evaluate(() => { document.body.innerHTML = '<p>Words. <a href="/plain?of-some-length">link</a>'.repeat(1000) });
      const { elements } = await tab.observe(); await tab.id(elements.at(-1).id).click(); await tab.waitForUrl("of-some-length");
      return elements.length`;
    expect(await at.say({ action: "run", code })).toContain("1000");
  }, 60_000);

  it("bad input is one line", async () => {
    expect(await at.say({ action: "open", url: url.slice(7) })).toBe(
      `"${url.slice(7)}" has no scheme: write http://${url.slice(7)}.`,
    );
    for (const address of [
      "file:///etc/passwd",
      "chrome://version",
      "view-source:http://localhost/",
      "javascript:alert(1)",
    ])
      expect(await at.say({ action: "open", url: address })).toBe(
        `${address.split(":")[0]}: addresses cannot be opened; use http or https.`,
      );
    expect(await at.say({ action: "open", app: {} })).toBe("An app needs a path or a cdp_url.");
    expect(await at.say({ action: "open", name: "a\u001b[31m\nb" })).toBe(
      "The name of a tab is one line of visible characters.",
    );
    expect(await at.say({ action: "close", name: "other" })).toBe('There is no tab named "other".');
    expect(await at.say({ action: "open", url: "http://127.0.0.1:9/" })).toContain(
      "http://127.0.0.1:9/ could not be opened: ",
    );
  });

  it("T-BRW-1 tabs that are opened at once share one browser; close all leaves no process of it", async () => {
    const names = isLong ? ["a", "b", "c", "d", "e", "f", "g", "h"] : ["a", "b", "c"];
    const texts = await Promise.all(names.map((name) => at.say({ action: "open", name, url: `${url}/plain?${name}` })));
    expect(texts).toEqual(names.map((name) => `Opened tab "${name}": ${url}/plain?${name} (status 200)\nTitle: Plain`));
    expect(await at.say({ action: "open", name: "a", app: { cdp_url: "http://127.0.0.1:1" } })).toContain(
      'Tab "a" is in another browser (own)',
    );
    const started = descendantsOf(process.pid).filter(({ line }) => line.includes("chromium"));
    // One starts it, and its own processes have a type.
    expect(started.filter(({ line }) => /^\/usr\/lib\/chromium\/chromium (?!.*--type=)/.test(line))).toHaveLength(1);
    expect(await at.say({ action: "close", name: "a" })).toBe('Closed "a".');
    expect(await at.say({ action: "close", all: true })).toMatch(/^Closed "main", ("[b-h]"(, )?)+\.$/);
    expect(started.filter(({ pid }) => isAlive(pid))).toEqual([]);
  });
});
