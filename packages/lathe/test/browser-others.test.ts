// Browsers that do not belong to the session, one that cannot be confined, and no browser at all.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LocalEnvironment } from "@lathe/agent";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isAlive, until } from "../../agent/test/alive.ts";
import { type BrowserBench, browserBench, HAS_BROWSER, serve } from "./browser-kit.ts";
import { descendantsOf, runningWith } from "./started-in.ts";

const FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu"];

describe.skipIf(!HAS_BROWSER)("other browsers (needs chromium and bubblewrap)", () => {
  let at: BrowserBench;
  let url: string;
  beforeEach(async () => {
    at = await browserBench();
    url = `http://127.0.0.1:${await serve(at.env, { "/": { html: "<title>Mine</title>" } })}`;
  });
  afterEach(() => at.close());

  it("T-BRW-1 a browser that we only attach to stays when its tab is closed; an app is started with its own profile and ends with kill", async () => {
    // The user's own browser, which no session started.
    const user = new LocalEnvironment({ cwd: at.dir, baseEnv: { PATH: "/usr/bin:/bin", HOME: at.dir } });
    let said = "";
    const profile = `--user-data-dir=${join(at.dir, "profile")}`;
    const theirs = await user.startProcess(
      ["/usr/bin/chromium", ...FLAGS, "--remote-debugging-port=0", profile, "data:text/html,<title>Theirs</title>"],
      { onStderr: (text) => (said += text) },
    );
    try {
      await until(() => said.includes("DevTools listening on"));
      const [, port] = /127\.0\.0\.1:(\d+)/.exec(said) ?? [];
      const cdp_url = `http://127.0.0.1:${port}`;
      const attached = await at.say({ action: "open", name: "theirs", app: { cdp_url, target: "theirs" } });
      expect(attached).toContain("Title: Theirs");
      expect(await at.say({ action: "open", name: "theirs", app: { cdp_url }, url })).toContain("Title: Mine");
      expect(await at.say({ action: "open", name: "no", app: { cdp_url, target: "no such page" } })).toMatch(
        /^No page's address or title contains "no such page"\. There are:\n- /,
      );
      expect(await at.say({ action: "close", all: true, kill: true })).toBe('Closed "theirs".');
      await at.tabs.end();
      expect(await Promise.race([theirs.exited, Promise.resolve("runs")])).toBe("runs");

      // The same program as an app of the session, beside the user's.
      const app = { path: "/usr/bin/chromium", args: FLAGS };
      expect(await at.say({ action: "open", name: "app", app, url })).toContain('Opened tab "app"');
      const started = runningWith("lathe-app-").map(({ pid }) => pid);
      expect(started).not.toEqual([]);
      await at.say({ action: "close", name: "app" });
      expect(started.some(isAlive)).toBe(true);
      await at.say({ action: "open", name: "app", app });
      await at.say({ action: "close", name: "app", kill: true });
      expect(started.filter(isAlive)).toEqual([]);
      expect(await Promise.race([theirs.exited, Promise.resolve("runs")])).toBe("runs");
      expect(await at.say({ action: "open", name: "p", app: { ...app, args: [profile] } })).toContain(
        "profile and a port of its own",
      );
    } finally {
      await user.cleanup();
    }
  });

  it("T-BRW-1 a browser that nobody uses ends, and the next open starts another", async () => {
    const other = await browserBench({ idleMs: 100 });
    try {
      const own = `http://localhost:${await serve(other.env, { "/": { html: "<title>Idle</title>" } })}`;
      expect(await other.say({ action: "open", url: own })).toContain("Title: Idle");
      await until(() => descendantsOf(process.pid).every(({ line }) => !line.includes("--remote-debugging-pipe")));
      expect(await other.say({ action: "open", url: own })).toContain('Opened tab "main"');
    } finally {
      await other.close();
    }
  });
});

it("T-BRW-1 G-117 PUPPETEER_EXECUTABLE_PATH names the browser; one that is missing, or ends at once, is one line", async () => {
  const at = await browserBench({ variables: { PUPPETEER_EXECUTABLE_PATH: "/no/such/browser" } });
  try {
    expect(await at.say({ action: "open" })).toBe(
      "PUPPETEER_EXECUTABLE_PATH names /no/such/browser, which does not exist.",
    );
    const own = join(at.dir, "bin", "browser");
    mkdirSync(join(at.dir, "bin"));
    writeFileSync(own, `#!/bin/sh\necho "$@" > ${at.dir}/asked\necho "no screen here" >&2\nexit 3\n`);
    chmodSync(own, 0o755);
    const loose = await browserBench({ variables: { PUPPETEER_EXECUTABLE_PATH: own }, isConfined: async () => false });
    expect(await loose.say({ action: "open" })).toBe("The browser did not start: no screen here");
    expect(readFileSync(join(at.dir, "asked"), "utf8")).toContain("--remote-debugging-pipe");
    expect(loose.notices).toEqual([
      "There is no bubblewrap here: the browser is not confined, so Lathe asks about each page.",
    ]);
    await loose.close();
  } finally {
    await at.close();
  }
});
