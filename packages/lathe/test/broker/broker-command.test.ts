// `lathe auth-broker` as the operator types it.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../../src/cli/main.ts";
import { CredentialStore } from "../../src/config/credentials/store.ts";
import { type Sandbox, sandbox } from "../command.ts";
import { type Issuer, startIssuer } from "../issuer.ts";
import { machineOf, Text } from "../machine.ts";
import { startTestBroker } from "./broker-kit.ts";

let box: Sandbox;
let issuer: Issuer;
beforeEach(async () => {
  box = await sandbox();
  issuer = await startIssuer();
  issuer.interval = 0;
  await mkdir(join(box.home, ".lathe"), { recursive: true });
});
afterEach(async () => {
  issuer.server.close();
  issuer.server.closeAllConnections();
  await box.remove();
});

const run = (...args: string[]) => box.run(["auth-broker", ...args]);
const issuers = (text: string): Promise<void> => writeFile(join(box.home, ".lathe/oauth.yml"), text);
const row = (way: string): string =>
  `acme:\n  label: Acme\n  clientId: lathe\n  tokenUrl: ${issuer.url}/token\n  ${way}\n`;

/** With a user at the terminal who types these lines. */
async function typing(lines: string, ...args: string[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const [stdout, stderr] = [new Text(), new Text()];
  stdin.write(lines);
  const code = await runCommand(
    ["auth-broker", ...args],
    machineOf({ cwd: box.dir, env: box.env }, stdin, stdout, stderr),
  );
  return { code, stdout: stdout.text, stderr: stderr.text };
}

describe("AU-03 the command auth-broker", () => {
  it("M2 what a refusal quotes steers no terminal, and hides nothing of what to do", async () => {
    const { code, stderr } = await run("login", "a\u0007\u001b[31mb\n\u202ec");
    expect([code, stderr]).toEqual([2, 'lathe: Unknown provider "ab <U+202E>c". See: lathe models\n']);
  });

  it("AU-03 what is mistyped gets one line with the next step", async () => {
    await issuers(row(`authorizeUrl: ${issuer.url}/authorize`));
    for (const [args, says] of [
      [[], "Say what to do: lathe auth-broker serve|token|login|logout|list|import|"],
      [["bogus"], 'Unknown command "lathe auth-broker bogus". Choose one of serve, token'],
      [["serve", "--bind", "0.0.0.0:0"], "needs TLS"],
      [["serve", "--bind", "::1::4"], "--bind takes an address and a port, such as 127.0.0.1:8765"],
      [["serve", "--tls-cert", "x"], "TLS needs a certificate and its key"],
      [["token", "x"], "takes only --regenerate and --json"],
      [["login"], "Name a provider: lathe auth-broker login <provider>. You can sign in to acme, openrouter."],
      [["login", "acm"], 'Unknown provider "acm"'],
      [["login", "openai"], "ipe it in: lathe auth-broker login openai < key.txt"],
      [["login", "openai", "sk-123"], "A key is not taken from the command line"],
      [["login", "acme", "--dry-run"], "--dry-run shows the ssh command"],
      [["login", "--via", "a@b"], "Name the provider"],
      [["login", "openai", "--via", "a@b"], "--via signs in where oauth.yml has a row"],
      [["logout"], "The vault is empty"],
      [["import"], "Give one file or folder"],
      [["import", "nothing"], "There is no nothing."],
      [["import", box.dir], "has no .json files"],
      [["import", box.dir, "--provider", "../x"], "--provider takes letters"],
      [["list", "x"], "takes only --json"],
    ] as const) {
      const { code, stderr } = await run(...args);
      expect([args, code, stderr]).toEqual([args, 2, expect.stringContaining(says)]);
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    }
  });

  it("AU-03 login --via --dry-run prints the ssh command; a hostile destination reaches neither ssh nor a shell", async () => {
    await issuers(`${row(`authorizeUrl: ${issuer.url}/authorize\n  redirectPort: 54545`)}dev:
  clientId: lathe
  tokenUrl: ${issuer.url}/token
  deviceUrl: ${issuer.url}/device
`);
    const printed = async (...args: string[]) => (await run("login", ...args, "--dry-run")).stdout;
    expect(await printed("acme", "--via", "me@broker.example")).toBe(
      "ssh -L 54545:127.0.0.1:54545 me@broker.example lathe auth-broker login acme\n",
    );
    expect(await printed("acme", "--via", "host", "--account", "work")).toBe(
      "ssh -L 54545:127.0.0.1:54545 host lathe auth-broker login acme --account work\n",
    );
    expect(await printed("dev", "--via", "me@[::1]")).toBe("ssh me@[::1] lathe auth-broker login dev\n");
    expect(await printed("openrouter", "--via", "host")).toBe(
      "ssh -L 54330:127.0.0.1:54330 host lathe auth-broker login openrouter --redirect-port 54330\n",
    );
    const hostile = [
      "-oProxyCommand=touch x",
      "a@-oX",
      "a b",
      "a;touch x",
      "$(touch x)",
      "a@b@c",
      "a\nb",
      "a@`id`",
      "@h",
    ];
    for (const via of hostile) {
      const { code, stderr } = await run("login", "acme", `--via=${via}`, "--dry-run");
      expect([via, code, stderr]).toEqual([via, 2, expect.stringContaining("--via takes user@host")]);
    }
  });

  it("AU-03 login signs in where a row is, by name or by number; the vault is not auth.json", async () => {
    await issuers(row(`deviceUrl: ${issuer.url}/device`));
    const login = await run("login", "acme");
    expect(login).toMatchObject({ code: 0, stdout: "Stored for Acme in the broker's vault.\n" });
    const picked = await typing("7\n1\n", "login", "--account", "second");
    expect(picked).toMatchObject({ code: 0, stdout: 'Stored for Acme as "second" in the broker\'s vault.\n' });
    expect(picked.stderr).toMatch(
      /^1\. Acme \(acme\)\n2\. OpenRouter \(openrouter\)\n[\s\S]*Type a number from 1 to 2\./,
    );
    const list = await run("list");
    expect(list.stdout).toMatch(/acme +default +signed in +good until \S+, then renewed\nacme +second /);
    const json = JSON.parse((await run("list", "--json")).stdout);
    expect(json).toMatchObject([{ provider: "acme", name: "default", state: "good" }, { name: "second" }]);
    expect(JSON.stringify(json) + list.stdout).not.toMatch(/access-|refresh-/);
    await expect(readFile(join(box.home, ".lathe/auth.json"))).rejects.toThrow("ENOENT");
    expect((await run("logout", "acme", "--account", "third")).stderr).toContain("It has default, second.");
    expect((await run("logout", "acme", "--account", "second")).stdout).toBe("Deleted from acme: second.\n");
    expect((await typing("1\n", "logout")).stdout).toBe("Deleted from acme: default.\n");
    expect((await run("list")).stdout).toBe("The vault is empty. Run: lathe auth-broker login\n");
  });

  it("AU-03 import reads the types of other programs, says what ends, and changes nothing twice", async () => {
    await issuers(row(`deviceUrl: ${issuer.url}/device`).replace("acme", "anthropic"));
    const folder = join(box.dir, "tokens");
    await mkdir(folder);
    const write = (name: string, content: object | string) =>
      writeFile(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
    const tokens = { access_token: "at", refresh_token: "rt", expired: "2126-01-01T00:00:00Z" };
    await write("a.json", {
      type: "claude",
      email: "me@acme.example",
      ...tokens,
      access_token: "at-claude",
      refresh_token: "rt-claude",
    });
    await write("b.json", { type: "codex", ...tokens, refresh_token: "rt-codex" });
    await write("c.json", {
      type: "gemini",
      token: { access_token: "at-g", refresh_token: "rt-g", expiry: "2126-01-01T00:00:00Z" },
    });
    await write("d.json", { type: "antigravity", disabled: true, ...tokens });
    await write("e.json", { type: "gemini-cli", ...tokens, email: "e e" });
    await write("notes.txt", "no token");
    const dry = await run("import", "tokens", "--dry-run");
    expect([dry.code, dry.stdout.match(/would be imported/g)]).toEqual([0, expect.objectContaining({ length: 4 })]);
    expect((await run("list")).stdout).toContain("The vault is empty");
    const first = await run("import", "tokens");
    expect(first.stdout).toMatch(/a\.json +imported +anthropic +me@acme\.example +renewed from 2126/);
    expect(first.stdout).toMatch(
      /b\.json +imported +openai-codex +b +ends 2126-01-01T\S+ +no row in oauth\.yml: not renewed/,
    );
    expect(first.stdout).toMatch(/c\.json +imported +google-gemini-cli/);
    expect(first.stdout).toMatch(/d\.json +disabled, skipped +google-antigravity/);
    expect(first.stdout).toMatch(/e\.json +imported +google-gemini-cli +e-e/);
    const vault = await readFile(join(box.home, ".lathe/broker/vault.json"), "utf8");
    expect(vault).toContain("rt-claude");
    for (const dropped of ["rt-codex", "rt-g", '"rt"']) expect(vault).not.toContain(dropped);
    const second = JSON.parse((await run("import", "tokens", "--json")).stdout) as { outcome: string }[];
    expect(second.map(({ outcome }) => outcome)).toEqual([
      ...["unchanged", "unchanged", "unchanged", "disabled, skipped", "unchanged"],
    ]);
    expect((await run("import", "tokens/d.json", "--include-disabled", "--provider", "mine")).stdout).toMatch(
      /mine +d /,
    );
    await write("f.json", "{");
    await write("g.json", { type: "other", ...tokens });
    await write("h.json", { type: "claude", access_token: "a\r\nb" });
    const bad = await run("import", "tokens");
    expect(bad.code).toBe(2);
    for (const line of [
      /f\.json +not readable .*not valid JSON/,
      /g\.json .*its type is "other"/,
      /h\.json .*line breaks/,
    ])
      expect(bad.stdout).toMatch(line);
    const status = await run("status");
    expect(status.code).toBe(3);
    expect(status.stdout).toMatch(
      /No broker is running here[\s\S]*openai-codex .*good until 2126\S+ cannot be renewed: it has no refresh token/,
    );
    for (const text of [first, bad, status]) expect(text.stdout + text.stderr).not.toMatch(/rt-|at-/);
  });

  it("AU-03 migrate uploads keys, sign-ins and variables on request, a second time nothing, and replaces nothing", async () => {
    const team = { provider: "gemini", credential: { type: "api_key", key: "key-of-the-team" } as const };
    await using test = await startTestBroker({ stored: [team] });
    const env = {
      LATHE_AUTH_BROKER_URL: test.broker.url,
      LATHE_AUTH_BROKER_TOKEN: test.token,
      GROQ_API_KEY: "key-in-env",
    };
    for (const [provider, key] of [
      ["openai", "key-openai"],
      ["gemini", "key-of-mine"],
    ] as const)
      await box.run(["login", provider], { stdin: key });
    const local = new CredentialStore(join(box.home, ".lathe/auth.json"));
    await local.set("acme", { type: "oauth", access: "access-l", refresh: "refresh-local", expires: Date.now() + 9e6 });
    await local.set("mcp", { type: "oauth", access: "access-m", mcp: { url: "https://mcp.example" } });
    const migrate = async (...args: string[]) => box.run(["auth-broker", "migrate", "--from-local", ...args], { env });
    expect((await box.run(["auth-broker", "migrate"], { env })).stderr).toContain("Add --from-local");
    expect((await box.run(["auth-broker", "migrate", "--from-local"])).stderr).toContain("No broker is configured");
    const dry = await migrate("--dry-run");
    expect(dry.stdout).toMatch(/openai +default +key +would be uploaded[\s\S]*Uploaded 0 to http/);
    const first = await migrate();
    expect(first.stdout).toMatch(/openai +default +key +uploaded/);
    expect(first.stdout).toMatch(/gemini +default +key +skipped +the broker has another one of that name/);
    expect(first.stdout).toMatch(/acme +default +sign-in +skipped +a sign-in; see --include-oauth/);
    expect(first.stdout).toMatch(/mcp +default +sign-in +skipped +sign-ins of MCP servers/);
    expect(first.stdout).toContain("Uploaded 1 to http");
    expect((await migrate()).stdout).toContain("Uploaded 0 to http");
    const all = ["--include-oauth", "--include-env", "--json"];
    expect(JSON.parse((await migrate(...all)).stdout)).toMatchObject({ broker: test.broker.url, uploaded: 2 });
    expect(JSON.parse((await migrate(...all)).stdout)).toMatchObject({ uploaded: 0 });
    expect(await test.vault.store.get("acme")).toMatchObject({ refresh: "refresh-local" });
    expect(await test.vault.store.get("groq", "GROQ_API_KEY")).toEqual({ type: "api_key", key: "key-in-env" });
    expect(await test.vault.store.get("gemini")).toEqual(team.credential);
    for (const { stdout, stderr } of [dry, first]) expect(stdout + stderr).not.toMatch(/key-|refresh-l|access-l/);
    const status = await box.run(["auth-broker", "status"], { env });
    expect([status.code, status.stdout]).toEqual([
      0,
      expect.stringContaining(`A broker answers at ${test.broker.url}.`),
    ]);
    const wrong = await box.run(["auth-broker", "status"], { env: { ...env, LATHE_AUTH_BROKER_TOKEN: "lathe_old" } });
    expect([wrong.code, wrong.stdout]).toEqual([3, expect.stringContaining("cannot be queried: it rejects the token")]);
  });

  it("AU-03 token and status: of a running broker as it says itself, else from its files", async () => {
    await issuers(row(`deviceUrl: ${issuer.url}/device`));
    const expires = Date.now() + 3_600_000;
    const stored = [
      { provider: "acme", credential: { type: "oauth", access: "a", refresh: "gone", expires } as const },
      { provider: "ended", credential: { type: "oauth", access: "a", expires: 1 } as const },
    ];
    await using test = await startTestBroker({ box, stored });
    expect((await run("token")).stdout).toBe(`${test.token}\n`);
    await writeFile(join(box.home, ".lathe/broker/address"), test.broker.url);
    const good = await run("status");
    expect([good.code, good.stdout]).toEqual([0, expect.stringContaining(`A broker answers at ${test.broker.url}.`)]);
    expect(good.stdout).toMatch(/1 credential OK\.\nended +default +signed in +ended 1970-01-01T00:00:00\.001Z/);
    expect(good.stdout).toContain("run: lathe auth-broker login ended");
    await test.post(`/v1/credential/${await test.idOf("acme")}/refresh`);
    const json = JSON.parse((await run("status", "--json")).stdout);
    expect(json).toMatchObject({ running: true, credentials: [{ state: "disabled", cause: "invalid_grant" }, {}] });
    await run("token", "--regenerate");
    expect((await run("status")).code).toBe(0);
    await test.close();
    const off = await run("status");
    expect([off.code, off.stdout]).toEqual([
      3,
      expect.stringMatching(/^No broker is running here[\s\S]*disabled \S+: invalid_grant; run:/),
    ]);
  });
});
