// Several accounts of one provider: storing and listing them, and which of them a request uses.

import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, bench } from "./models-kit.ts";

let b: Bench;
beforeEach(async () => {
  b = await bench();
  await b.write("config.yml", "auth: { keyring: false }\n");
});
afterEach(() => b.close());

const MODEL = ["--model", "openai/gpt-5.2"];
const inHome = (name: string): string => join(b.box.env["LATHE_HOME"] ?? "", name);
const place = (): Record<string, string> => ({ OPENAI_BASE_URL: b.server.baseUrl("openai") });
const stored = async () => JSON.parse(await readFile(inHome("auth.json"), "utf8"));
const sent = () => b.modelRequests.map(({ headers }) => headers.authorization);
const login = (name: string, key: string) => b.box.run(["login", "openai", "--account", name], { stdin: `${key}\n` });

const key = (name: string) => ({ id: `id-${name}`, name, credential: { type: "api_key", key: `key-${name}` } });
const signIn = (name: string) => ({
  id: `id-${name}`,
  name,
  credential: { type: "oauth", access: `token-${name}`, expires: Date.now() + 3_600_000 },
});
const keep = (accounts: readonly object[]) =>
  writeFile(inHome("auth.json"), JSON.stringify({ openai: { accounts } }), { mode: 0o600 });
const known = (standings: object) => b.write("cache/accounts.json", JSON.stringify(standings));

describe("lathe login, auth status, logout", () => {
  it("AU-01 accounts are stored by name, listed without a secret, replaced and deleted one by one", async () => {
    expect(await login("work", "sk-work")).toMatchObject({
      code: 0,
      stdout: 'Stored for OpenAI as "work" in the credentials file.\n',
    });
    await login("home", "sk-home");
    await b.box.run(["login", "openai"], { stdin: "sk-plain\n" });
    const first = await stored();
    expect(first.openai.accounts.map(({ name }: { name: string }) => name)).toEqual(["work", "home", "default"]);

    const status = await b.box.run(["auth", "status", "openai"]);
    expect(status.stdout.split("\n").map((line) => line.trim().replace(/ +/g, " "))).toEqual([
      'openai stored key "work"',
      '* stored key "work"',
      '- stored key "home"',
      "- stored key",
      "",
    ]);
    const json = await b.box.run(["auth", "status", "openai", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject([
      {
        provider: "openai",
        source: 'stored key "work"',
        accounts: [
          { name: "work", type: "api_key", isUsed: true, isRenewable: false },
          { name: "home", isUsed: false },
          { name: "default", isUsed: false },
        ],
      },
    ]);
    expect(json.stdout + status.stdout).not.toContain("sk-");

    await login("home", "sk-home-2");
    const second = await stored();
    expect(second.openai.accounts[1]).toMatchObject({ name: "home", credential: { key: "sk-home-2" } });
    // What was known about the old account says nothing about the new one.
    expect(second.openai.accounts[1].id).not.toBe(first.openai.accounts[1].id);
    expect(second.openai.accounts[0]).toEqual(first.openai.accounts[0]);

    expect(await b.box.run(["logout", "openai"])).toMatchObject({
      code: 2,
      stderr: "lathe: OpenAI has 3 accounts: work, home, default. Name one with --account, or give --all.\n",
    });
    expect(await b.box.run(["logout", "openai", "--account", "wrk"])).toMatchObject({
      code: 2,
      stderr: 'lathe: OpenAI has no account "wrk". It has work, home, default.\n',
    });
    expect(await b.box.run(["logout", "openai", "--account=home"])).toMatchObject({
      code: 0,
      stdout: 'Deleted the account "home" of OpenAI.\n',
    });
    expect((await stored()).openai.accounts).toHaveLength(2);
    expect(await b.box.run(["logout", "openai", "--all"])).toMatchObject({ code: 0 });
    expect(await stored()).toEqual({});
  });

  it("AU-01 a store of the version before opens: its account is called default, and another one comes beside it", async () => {
    await writeFile(inHome("auth.json"), JSON.stringify({ openai: { type: "api_key", key: "from-before" } }));
    await b.ask(MODEL, place());
    expect((await b.box.run(["auth", "status"])).stdout).toBe("openai  stored key\n");
    await login("work", "sk-work");
    expect((await stored()).openai.accounts).toMatchObject([
      { id: "openai", name: "default", credential: { key: "from-before" } },
      { name: "work" },
    ]);
    await b.ask(MODEL, place());
    expect(sent()).toEqual(["Bearer from-before", "Bearer from-before"]);
  });

  it.each([
    [["login", "openai", "--account"], "--account takes the name of an account, such as work."],
    [["login", "openai", "--account", "--key"], "--account takes the name of an account, such as work."],
    [
      ["login", "openai", "--account", "my work"],
      "The name of an account has letters, digits and . _ @ + - only, for example --account work.",
    ],
    [["auth", "status", "--jsn"], "lathe auth status takes one provider, --json and --usage."],
  ])("%j is refused with the next step", async (args, message) => {
    expect(await b.box.run(args, { stdin: "sk-1" })).toMatchObject({ code: 2, stderr: `lathe: ${message}\n` });
  });

  it("a key in the place of an account's name is not repeated", async () => {
    const { code, stderr } = await b.box.run(["login", "openai", "--account", "sk-proj-123456"], { stdin: "x" });
    expect(code).toBe(2);
    expect(stderr).toContain("A key is not taken from the command line");
    expect(stderr).not.toContain("123456");
  });
});

describe("which account a request uses", () => {
  it("AU-01 G-49 all five sources at once, removed one at a time: option, stored key, stored sign-in, variable, models.yml", async () => {
    await b.write(
      "models.yml",
      `providers:\n  openai:\n    baseUrl: ${b.server.baseUrl("openai")}\n    apiKey: from-file\n`,
    );
    await keep([signIn("sign-in"), key("store")]);
    const env = { OPENAI_API_KEY: "from-env" };
    await b.ask([...MODEL, "--api-key", "from-option"], env);
    await b.ask(MODEL, env);
    await b.box.run(["logout", "openai", "--account", "store"]);
    await b.ask(MODEL, env);
    await b.box.run(["logout", "openai", "--account", "sign-in"]);
    await b.ask(MODEL, env);
    await b.ask(MODEL);
    expect(sent()).toEqual(
      ["from-option", "key-store", "token-sign-in", "from-env", "from-file"].map((name) => `Bearer ${name}`),
    );
  });

  const NOW = Date.now();
  const week = (share: number, resetsIn: number) => ({
    usage: { at: NOW, windows: [{ name: "week", used: share, resetsAt: NOW + resetsIn * 3_600_000 }] },
    askAgainAt: NOW + 3_600_000,
  });
  it.each([
    ["balanced", "b", { "id-a": week(0.6, 1), "id-b": week(0.1, 9), "id-c": week(0.3, 2) }],
    ["earliest-reset", "a", { "id-a": week(0.6, 1), "id-b": week(0.1, 9), "id-c": week(0.3, 2) }],
    ["earliest-reset", "c", { "id-a": week(1, 1), "id-b": week(0.1, 9), "id-c": week(0.3, 2) }],
    ["sideways", "b", { "id-a": week(0.6, 1), "id-b": week(0.1, 9), "id-c": week(0.3, 2) }],
  ])("G-51 %s: three stored accounts with fixed usage, %s answers", async (mode, winner, standings) => {
    await keep([signIn("a"), signIn("b"), signIn("c")]);
    await known(standings);
    const env = { ...place(), LATHE_CREDENTIAL_RANKING_MODE: mode };
    expect(await b.ask(MODEL, env)).toMatchObject({ code: 0, stderr: "" });
    expect(sent()).toEqual([`Bearer token-${winner}`]);
    const { stdout } = await b.box.run(["auth", "status", "openai", "--json"], { env });
    const [{ accounts }] = JSON.parse(stdout);
    expect(accounts.filter(({ isUsed }: { isUsed: boolean }) => isUsed)).toMatchObject([{ id: `id-${winner}` }]);
  });

  it("AU-06 G-51 the usage page of a row decides; its outage does not", async () => {
    const shares: Readonly<Record<string, number>> = { "Bearer token-a": 70, "Bearer token-b": 20 };
    let isDown = false;
    let hits = 0;
    const vendor = createServer(({ headers }, response) => {
      hits += 1;
      response
        .writeHead(isDown ? 500 : 200)
        .end(JSON.stringify({ week: { percent: shares[headers.authorization ?? ""] } }));
    });
    await once(vendor.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
    await b.write(
      "oauth.yml",
      `openai:\n  clientId: c\n  tokenUrl: ${url}/token\n  deviceUrl: ${url}/device\n  usageUrl: ${url}/usage\n  usage:\n    - name: week\n      percent: week.percent\n`,
    );
    await keep([signIn("a"), signIn("b")]);
    try {
      const before = await b.box.run(["auth", "status", "openai"]);
      expect([before.stdout.includes("%"), hits]).toEqual([false, 0]);
      await b.ask(MODEL, place());
      expect(sent()).toEqual(["Bearer token-b"]);
      expect(hits).toBe(2);
      isDown = true;
      await b.ask(MODEL, place());
      expect(sent()).toEqual(["Bearer token-b", "Bearer token-b"]);
      const { stdout } = await b.box.run(["auth", "status", "openai", "--usage"]);
      expect(stdout).toMatch(/- signed in "a" +70 % of week used\n +\* signed in "b" +20 % of week used\n/);
      expect(hits).toBe(2);
    } finally {
      vendor.close();
    }
  });

  it("G-51 headers of the last answers count where no vendor reports usage, and a variable is not touched by them", async () => {
    await keep([key("a"), key("b")]);
    b.server.push(
      ...["90", "80", "70"].map((left) => ({
        kind: "model" as const,
        blocks: [{ type: "text" as const, text: "ok" }],
        headers: {
          "x-ratelimit-remaining-tokens": left,
          "x-ratelimit-limit-tokens": "100",
          "x-ratelimit-reset-tokens": "10m",
        },
      })),
    );
    for (let round = 0; round < 3; round += 1) await b.ask(MODEL, place());
    // The first has 90 of 100 left, so the second is asked; it has 80 left, so the first is asked again.
    expect(sent()).toEqual(["Bearer key-a", "Bearer key-b", "Bearer key-a"]);
    const { stdout } = await b.box.run(["auth", "status", "openai"]);
    expect(stdout).toMatch(/stored key "a" +30 % of tokens used, resets /);
  });
});
