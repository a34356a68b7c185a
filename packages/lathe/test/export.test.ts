import { existsSync, linkSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Message } from "@lathe/llm";
import { type Browser, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Box, makeBox } from "./sessions-box.ts";
import { answer, call, result, saySomething, user } from "./sessions-fixture.ts";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

let box: Box;
beforeEach(() => {
  box = makeBox();
});
afterEach(() => box.remove());

/** Texts that would break out of the page, each in a different way. */
const HOSTILE = [
  "<script>window.broken = 1</script>",
  '"><img src=x onerror="window.broken = 2">',
  "</pre></details></main><h1>escaped</h1>",
  "[click](javascript:window.broken=3) and ![seen](https://tracker.example/pixel.png)",
  "`</code><script>window.broken = 4</script>`",
  '<svg/onload=window.broken=5> <a href="data:text/html,x">x</a> &lt;b&gt; &#x3c;i&#x3e;',
  '[q](https://ok.example/"onmouseover="window.broken=6) <https://auto.example>',
  "</style><style>body{display:none}</style><!-- --> ]]>",
];

async function hostileSession(): Promise<string> {
  const { id, journal } = box.maker.make({ cwd: box.dir });
  const ref = (text: string) => ({ sha256: journal.blobs.put(Buffer.from(text)), bytes: text.length });
  for (const text of HOSTILE) {
    journal.append(user(text));
    journal.append(answer(text));
    const callId = `c"><${text}`;
    journal.append(call(callId, `tool${text}`, { command: text, [text]: text }));
    journal.append(
      result(callId, text, {
        summary: text,
        changes: [
          { path: `/${text}`, before: ref(`${text}\n${text}`), after: ref(text), added: 1, removed: 1 },
          { path: text, after: ref(text), added: 1, removed: 0 },
        ],
      }),
    );
    journal.append(call(`${callId}2`, "read", { file_path: text }));
    journal.append(result(`${callId}2`, text, { isError: true }));
    journal.append({ type: "compaction", summary: text, firstKeptEntryId: "x", tokensBefore: 1 });
    journal.append({ type: "model_change", model: text });
  }
  journal.setLabel(journal.leaf ?? "", HOSTILE[1]);
  journal.setTitle(HOSTILE.join(" "), "user");
  await journal.close();
  return id;
}

async function exported(id: string): Promise<string> {
  const { stdout, code } = await box.run("sessions", "export", id.slice(0, 8));
  expect(code).toBe(0);
  expect(stdout).toBe(`${join(box.dir, `lathe-${id.slice(0, 8)}.html`)}\n`);
  return stdout.trim();
}

describe("the exported page", () => {
  it("SP-08 asks for nothing from outside and holds no script, whatever the session says", async () => {
    const page = readFileSync(await exported(await hostileSession()), "utf8");
    const tags = [...page.matchAll(/<([a-z][a-z0-9]*)([^>]*)>/gi)];
    const known =
      /^(html|head|meta|link|title|style|body|main|header|h[1-6]|ul|ol|li|b|p|nav|details|summary|a|article|div|span|time|pre|code|footer|strong|em|table)$/;
    expect([...new Set(tags.map(([, name = ""]) => name))].filter((name) => !known.test(name))).toEqual([]);
    expect(tags.flatMap(([, , attributes = ""]) => attributes.match(/\son\w+\s*=/gi) ?? [])).toEqual([]);
    const links = [...page.matchAll(/<[^>]*\s(?:href|src)="([^"]*)"/g)].map(([, target = ""]) => target);
    expect(links.filter((link) => !/^(#|data:,|https:\/\/(ok|auto)\.example)/.test(link))).toEqual([]);
  });

  it("shows costs, tokens, models, diffs and what is missing", async () => {
    const { id, journal } = box.maker.make();
    journal.append(user("change it"));
    journal.append(call("c1", "edit", { file_path: "a.ts" }));
    const ref = (text: string) => ({ sha256: journal.blobs.put(Buffer.from(text)), bytes: text.length });
    const change = { path: join(box.dir, "a.ts"), before: ref("old\n"), after: ref("new\n"), added: 1, removed: 1 };
    journal.append(result("c1", "ok", { changes: [change], artifact: { id: 0, bytes: 5 << 20 } }));
    journal.append(call("c2", "bash", { command: "sleep 9" }));
    journal.append({ ...answer("cut", 1.5), finishReason: { reason: "length" } } as never);
    await journal.close();
    const page = readFileSync(await exported(id), "utf8");
    expect(page).toContain('<span class="minus">-old</span><span class="plus">+new</span>');
    expect(page).toContain('<span class="added">+1</span> <span class="removed">&minus;1</span>');
    expect(page).toContain("no result");
    expect(page).toContain("The answer was ended by the limit of its length.");
    expect(page).toContain("1.0k in (800 cached) &middot; 50 out &middot; $1.50");
    expect(page).toContain("<b>$1.50</b>");
  });

  it("N1 shows the verdict about the work and what it rests on, and who accepted it instead", async () => {
    const { id, journal } = box.maker.make();
    journal.append(user("fix it"));
    journal.append(answer("Done."));
    const evidence = {
      ...{ verdict: "unverified", reasons: ["a.test.js was deleted."], since: 1, tree: "t", answer: "a" },
      checks: [{ command: "npm test", of: "old tests", exitCode: 1, outputDigest: "0123456789abcdef", durationMs: 9 }],
      ...{ covered: ["src/a.js"], uncovered: [], named: [], sentBack: false },
    };
    journal.append({ type: "custom", customType: "verification", data: evidence });
    journal.append({ type: "custom", customType: "verification", data: { ...evidence, acceptedBy: "<ada>" } });
    journal.append({ type: "custom", customType: "verification", data: { verdict: "of later times" } });
    await journal.close();
    const page = readFileSync(await exported(id), "utf8");
    expect(page).toContain("<summary>Not verified: a.test.js was deleted.</summary>");
    expect(page).toContain("<code>npm test</code> with the original tests: exit code 1, output 0123456789ab");
    expect(page).toContain("Covered: src/a.js");
    expect(page).toContain("Accepted by &lt;ada&gt;, not proven by a check.");
    expect(page.match(/class="note"/g)).toHaveLength(2);
  });

  it("says where a part of the session was lost", async () => {
    const { id, path } = await saySomething(box.maker, "a typo", "ok");
    writeFileSync(path, readFileSync(path, "utf8").replace("typo", "tyop"));
    expect(readFileSync(await exported(id), "utf8")).toContain('<p class="loss">Line 2 is damaged');
  });

  it("shows what there is when the journal of a subagent cannot be read", async () => {
    const { id, path } = await saySomething(box.maker, "start", "the answer");
    await saySomething(box.maker, "child", "done", {
      path: path.replace(".jsonl", "/agent-1.jsonl"),
      parentCall: "c1",
    });
    writeFileSync(path.replace(".jsonl", "/agent-2.jsonl"), "");
    writeFileSync(path.replace(".jsonl", "/agent-3.jsonl"), "no journal at all\n");
    const { stdout, code } = await box.run("sessions", "export", id, "--out", "-");
    expect(code).toBe(0);
    expect(stdout).toContain("the answer");
    for (const lost of ["agent-2.jsonl", "agent-3.jsonl"])
      expect(stdout).toMatch(new RegExp(`<p class="loss">[^<]*${lost}`));
  });

  it("goes where it is told, and says when it cannot", async () => {
    const { id } = await saySomething(box.maker, "hello", "there");
    expect((await box.run("sessions", "export", id, "--out", "-")).stdout).toMatch(/^<!doctype html>/);
    const { code, stderr } = await box.run("sessions", "export", id, "--out", "/nowhere/page.html");
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^lathe: The page cannot be written: ENOENT.*'\/nowhere\/page\.html'\. Choose another file for it\.\n$/,
    );
  });

  it("M1 SP-08 export and share never write through a link; a regular file is replaced whole, and only its owner can read it", async () => {
    const { id } = await saySomething(box.maker, "hello", "there");
    const [page, other] = ["page.html", "other.txt"].map((name) => join(box.dir, name)) as [string, string];
    writeFileSync(other, "not a page\n");
    symlinkSync(other, page);
    for (const args of [
      ["sessions", "export", id, "--out", page],
      ["share", id, "--out", page],
    ] as const) {
      const [command, ...rest] = args;
      const { code, stderr } = await box.run(command, ...rest);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(
          /^lathe: \S+\.html is a link, and is left as it is\. Choose another file for the page\.\n$/,
        ),
      });
    }
    expect((await box.run("share", id, "--out", box.dir)).stderr).toContain("is a folder, and is left as it is.");
    expect(readFileSync(other, "utf8")).toBe("not a page\n");
    rmSync(page);
    // Another name of the same file keeps what it has.
    writeFileSync(page, "an earlier page\n", { mode: 0o644 });
    linkSync(page, join(box.dir, "second-name"));
    expect((await box.run("sessions", "export", id, "--out", page)).code).toBe(0);
    expect(readFileSync(page, "utf8")).toContain("hello");
    expect(statSync(page).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(box.dir, "second-name"), "utf8")).toBe("an earlier page\n");
    expect(readdirSync(box.dir).filter((name) => name.endsWith(".new"))).toEqual([]);
  });
});

describe.skipIf(!existsSync(CHROMIUM))("the exported page in chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  });
  afterAll(() => browser?.close());

  /** Opens the page, all details unfolded; anything the browser complains about or asks for is collected. */
  async function open(file: string, width: number) {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("dialog", (dialog) => complaints.push(dialog.message()));
    page.on("request", (request) => {
      if (!/^(file|data):/.test(request.url())) complaints.push(request.url());
    });
    await page.goto(pathToFileURL(file).href);
    await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
    return { page, complaints };
  }

  it("SP-08 opens without a complaint and contains each message's text, hostile or not", async () => {
    const { page, complaints } = await open(await exported(await hostileSession()), 390);
    const text = await page.evaluate<string>("document.body.innerText");
    for (const said of HOSTILE) expect(text).toContain(said);
    const answers = await page.locator(".assistant > .md").allInnerTexts();
    expect(answers.slice(0, 3)).toEqual(HOSTILE.slice(0, 3));
    expect(answers[3]).toBe("click and [image: seen]");
    expect(complaints).toEqual([]);
    expect(await page.evaluate("window.broken")).toBeUndefined();
    expect(await page.evaluate("document.querySelectorAll('main').length")).toBe(1);
    await page.close();
  });

  it("SP-08 fits a phone: nothing is wider than the screen, long lines scroll inside", async () => {
    const { id, journal } = box.maker.make();
    journal.append(user(`look at ${"x".repeat(300)}`));
    journal.append(call("c1", "bash", { command: "y".repeat(500) }));
    journal.append(result("c1", "z".repeat(5000)));
    journal.append(answer(`| a | b |\n|---|---|\n| ${"w".repeat(400)} | 2 |\n\n\`\`\`\n${"v".repeat(400)}\n\`\`\``));
    await journal.close();
    const { page } = await open(await exported(id), 390);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await page.close();
  });

  it("carries images, and the work of subagents below the call that started them", async () => {
    const { id, path, journal } = box.maker.make();
    journal.append(user("show"));
    journal.append(call("c1", "read", { file_path: "dot.png" }));
    const images = [
      { data: new Uint8Array(PIXEL), mediaType: "image/png" },
      { url: "https://example.org/far.png", mediaType: "image/png" },
    ];
    journal.append({ type: "message", message: Message.toolResult({ toolCallId: "c1", content: "", images }) });
    journal.append(call("c2", "spawn_agent", { task: "help" }));
    journal.append(result("c2", "{}"));
    await journal.close();
    await saySomething(box.maker, "help", "the child's answer", {
      path: path.replace(".jsonl", "/agent-1.jsonl"),
      parentCall: "c2",
      agentId: "agent-1",
    });
    const { page, complaints } = await open(await exported(id), 1200);
    expect(await page.evaluate("[...document.images].map((image) => image.naturalWidth)")).toEqual([1]);
    expect(await page.locator("details .child").innerText()).toContain("the child's answer");
    expect(complaints).toEqual([]);
    await page.close();
  });
});
