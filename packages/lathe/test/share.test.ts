// Sessions as encrypted pages (M1, sharing): what the file holds, and what a browser shows with the right key, a wrong one or a cut file.

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Box, makeBox } from "./sessions-box.ts";
import { answer, call, result, user } from "./sessions-fixture.ts";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const SECRET = "sk-planted-0123456789abcdef";
const PROMPT = "Why does the ferry to Hiiumaa leave late?";

let box: Box;
beforeEach(() => {
  box = makeBox({ OPENAI_API_KEY: SECRET });
});
afterEach(() => box.remove());

async function session(): Promise<string> {
  const { id, journal } = box.maker.make({ cwd: box.dir });
  journal.append(user(PROMPT));
  for (const place of ["first", "second", "third"]) {
    journal.append(user(`${place} question, with <script>window.broken = 1</script>`));
    journal.append(call(`c-${place}`, "bash", { command: `cat ${place} ${SECRET}` }));
    journal.append(result(`c-${place}`, `the key is ${SECRET}\n${"long line of output\n".repeat(4000)}`));
    journal.append(answer(`| a | b |\n|---|--:|\n| ${place} | 2 |\n\n[click](javascript:window.broken=2)`));
  }
  journal.setTitle("Ferries of Estonia", "user");
  await journal.close();
  return id;
}

async function shareSession(
  ...args: readonly string[]
): Promise<{ file: string; link: string; key: string; text: string }> {
  const { code, stdout, stderr } = await box.run("share", ...args);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("after # is the key") });
  const [file = "", link = "", ...rest] = stdout.split("\n");
  expect(rest).toEqual([""]);
  const [, key = ""] = link.split("#");
  expect(key).toMatch(/^[\w-]{43}$/);
  return { file, link, key, text: readFileSync(file, "utf8") };
}

describe("lathe share", () => {
  it("M1 writes a file that holds neither a word of the session nor the key, and that its owner alone can read", async () => {
    const id = await session();
    const { file, link, key, text } = await shareSession(id.slice(0, 8));
    expect(file).toBe(join(box.dir, `lathe-share-${id.slice(0, 8)}.html`));
    expect(link).toBe(`${pathToFileURL(file).href}#${key}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const word of [PROMPT, "Hiiumaa", "Ferries", "Estonia", box.dir, id, "acme", SECRET, key])
      expect(text).not.toContain(word);
    const again = await shareSession(id, "--base-url", "https://pages.example/shared", "-o", "other name.html");
    expect(again.link).toBe(`https://pages.example/shared/other%20name.html#${again.key}`);
    expect(again.key).not.toBe(key);
  });

  it("M1 --live prints a link to the server, and says for whom, what and how long it is good", async () => {
    const id = await session();
    const { code, stdout, stderr } = await box.run(
      "share",
      id,
      "--live",
      "--for",
      "2h",
      "--url",
      "https://home.example",
    );
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^https:\/\/home\.example\/#code=[\w-]{22}\n$/),
    });
    expect(stderr).toContain(`may follow session ${id.slice(0, 8)} and nothing else, until 2`);
    const { stderr: long } = await box.run("share", id, "--live", "--for", "40d");
    expect(long).toMatch(/until \S+ \S+ UTC/);
    const { codes } = JSON.parse(readFileSync(join(box.home, "serve/tokens.json"), "utf8")) as {
      codes: readonly { until: string }[];
    };
    const [short = 0, far = 0] = codes.map(({ until }) => Date.parse(until));
    // 2 hours and 40 days: a timer could not be set to that.
    expect((far - short) / 86_400_000).toBeGreaterThan(39.9);
  });

  it("M1 refuses in one line, and leaves the file of an earlier time as it was", async () => {
    const id = await session();
    const { file, text } = await shareSession(id);
    const path = box.maker.make({ cwd: box.dir });
    await path.journal.close();
    const cases: [string[], string][] = [
      [[], "Name one session: lathe share <id>. See: lathe sessions list"],
      [[id, id], "Name one session: lathe share <id>. See: lathe sessions list"],
      [["none", "-o", file], 'Session "none" not found. See: lathe sessions list'],
      [[id, "--live", "-o", file], "--out and --live cannot be combined."],
      [[id, "--for", "2h"], "--for and --live must be used together."],
      [[id, "--live", "--for", "soon"], "for"],
      [[id, "--live", "--for", "400d"], '--for may be 365d at most, not "400d".'],
      [[id, "--lively"], "Unknown option '--lively'. See: lathe share --help"],
      [[id, "-o", "/nowhere/page.html"], "The page cannot be written: ENOENT"],
      ...["http://pages.example", "pages", "https://pages.example/?a=1", "ftp://pages.example"].map(
        (base): [string[], string] => [
          [id, "--base-url", base],
          `--base-url must be the https address of a folder, such as https://example.org/pages, not "${base}".`,
        ],
      ),
    ];
    for (const [args, line] of cases) {
      const { code, stdout, stderr } = await box.run("share", ...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(line);
      expect(stderr.trim()).not.toContain("\n");
    }
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});

describe.skipIf(!existsSync(CHROMIUM))("a shared page in chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  });
  afterAll(() => browser?.close());

  async function open(link: string): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      if (!/^(file|data|blob):/.test(request.url()) && request.url() !== link.split("#")[0])
        complaints.push(request.url());
    });
    await page.goto(link);
    return { page, complaints };
  }

  /** Also where only the part after # is another one. */
  async function load(page: Page, link: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(link);
  }

  const said = async (page: Page): Promise<string> => page.locator("#said.loss").innerText();
  const textOf = async (page: Page): Promise<string> => {
    await page.waitForSelector("footer");
    await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
    return page.evaluate<string>("document.body.innerText");
  };

  it("M1 from disk and from a host, the right key shows what the exported page shows, and its links keep the key", async () => {
    const id = await session();
    const exported = await box.run("sessions", "export", id);
    const plain = await open(pathToFileURL(exported.stdout.trim()).href);
    const expected = await textOf(plain.page);
    const { file, link, key, text } = await shareSession(id);
    const requested: string[] = [];
    const host = createServer((request, response) => {
      requested.push(request.url ?? "");
      response.setHeader("content-type", "text/html").end(text);
    });
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
    const served = `http://127.0.0.1:${(host.address() as AddressInfo).port}/${basename(file)}`;
    for (const address of [link, `${served}#${key}`]) {
      const { page, complaints } = await open(address);
      expect(await textOf(page)).toBe(expected);
      expect(expected).toContain(PROMPT);
      expect(expected).not.toContain(SECRET);
      expect(await page.title()).toBe("Ferries of Estonia");
      expect(await page.evaluate("getComputedStyle(document.querySelector('td.right')).textAlign")).toBe("right");
      await page.locator(".user .head a").last().click();
      expect(page.url()).toMatch(new RegExp(`#${key}/.`));
      await page.reload();
      await page.waitForSelector("footer");
      const top = "document.getElementById(location.hash.split('/')[1]).getBoundingClientRect().top";
      await expect.poll(() => page.evaluate(`${top} >= 0 && ${top} < innerHeight && scrollY > 0`)).toBe(true);
      expect(complaints).toEqual([]);
      expect(await page.evaluate("window.broken")).toBeUndefined();
      await page.close();
    }
    expect(new Set(requested)).toEqual(new Set([`/${basename(file)}`]));
    host.close();
    host.closeAllConnections();
    await plain.page.close();
  });

  it("M1 without a key, with a wrong one, cut off or changed, the page says so in one line", async () => {
    const { file, link, key, text } = await shareSession(await session());
    const [address] = link.split("#");
    const other = `${key[0] === "A" ? "B" : "A"}${key.slice(1)}`;
    const { page } = await open(`${address}`);
    const tried: Record<string, string> = { missing: await said(page) };
    for (const [name, fragment] of Object.entries({ short: key.slice(2), wrong: other })) {
      await load(page, `${address}#${fragment}`);
      tried[name] = await said(page);
    }
    const at = text.indexOf('id="sealed">') + 2000;
    const changed = `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;
    for (const [name, content] of Object.entries({
      cut: text.slice(0, at),
      changed,
      garbled: text.replace("</script><i", "!</script><i"),
    })) {
      writeFileSync(file, content);
      await load(page, link);
      tried[name] = await said(page);
    }
    expect(tried).toEqual({
      missing: "The link has no key: the part after # is missing. Open the whole link that you were sent.",
      short: "The key in the link is incomplete: the part after # was changed. Open the whole link that you were sent.",
      wrong:
        "The key does not fit: it belongs to another page, or this file was changed. Open the whole link that you were sent.",
      cut: "This file is cut off. Download it again, or ask for a new one.",
      changed:
        "The key does not fit: it belongs to another page, or this file was changed. Open the whole link that you were sent.",
      garbled: "This file was changed: its data cannot be read. Download it again, or ask for a new one.",
    });
    // The reader corrects the address: the page opens without being loaded by hand.
    writeFileSync(file, text);
    await load(page, `${address}#${other}`);
    await said(page);
    await page.evaluate(`location.hash = ${JSON.stringify(key)}`);
    expect(await textOf(page)).toContain(PROMPT);
    await page.close();
  });
});
