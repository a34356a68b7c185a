import { spawn, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLI, collect } from "./command.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import { type Bench, bench } from "./models-kit.ts";

let b: Bench;
let issuer: Issuer;
beforeEach(async () => {
  b = await bench();
  issuer = await startIssuer();
  issuer.interval = 0;
  await describeProvider();
});
afterEach(async () => {
  issuer.server.close();
  issuer.server.closeAllConnections();
  await b.close();
});

async function describeProvider(): Promise<void> {
  await b.write("config.yml", "auth: { keyring: false }\n");
  await b.write(
    "models.yml",
    `providers:
  stub:
    baseUrl: ${b.server.baseUrl("chat")}
    api: openai-completions
    auth: oauth
    apiKeyEnv: STUB_KEY
    models: [{ id: inside }]
`,
  );
}

const describeIssuer = (way: string): Promise<string> =>
  b.write(
    "oauth.yml",
    `stub:
  label: Stub Inc.
  clientId: lathe-at-stub
  tokenUrl: ${issuer.url}/token
  scopes: [models]
  ${way}
`,
  );

describe("a company's own issuer", () => {
  it("AU-01 device flow: lathe login shows the code and waits; the token is sent and refreshed when it runs out", async () => {
    await describeIssuer(`deviceUrl: ${issuer.url}/device`);
    issuer.pendingPolls = 2;
    issuer.lifetime = 1;
    const login = await b.box.run(["login", "stub"]);
    expect(login).toMatchObject({ code: 0, stdout: "Stored for Stub Inc. in the credentials file.\n" });
    expect(login.stderr).toBe(`Open ${issuer.url}/activate and enter the code WDJB-MJHT\n`);
    expect(issuer.forms[0]).toMatchObject({ client_id: "lathe-at-stub", scope: "models" });

    issuer.lifetime = 3600;
    await b.ask(["--model", "stub/inside"], { STUB_KEY: "key" });
    await b.ask(["--model", "stub/inside"], { STUB_KEY: "key" });
    expect(b.modelRequests.map(({ headers }) => headers.authorization)).toEqual(["Bearer access-2", "Bearer access-2"]);
    expect(issuer.forms.filter((form) => form["grant_type"] === "refresh_token")).toHaveLength(1);
  });

  it("AU-01 browser flow: lathe login prints the address and ends when the browser has come back", async () => {
    await describeIssuer(`authorizeUrl: ${issuer.url}/authorize`);
    const child = b.box.start(["login", "stub"]);
    child.stdin.end();
    const finished = collect(child);
    const address = await new Promise<string>((resolve) => {
      let shown = "";
      child.stderr.on("data", (chunk) => {
        shown += chunk;
        const url = /^Open (\S+)\n/.exec(shown)?.[1];
        if (url) resolve(url);
      });
    });
    await fetch(address);
    expect(await finished).toMatchObject({ code: 0, stdout: "Stored for Stub Inc. in the credentials file.\n" });
    expect((await b.box.run(["auth", "status", "stub"])).stdout).toBe("stub  signed in\n");
  });

  it("Ctrl+C while waiting for the browser ends the sign-in", async () => {
    await describeIssuer(`authorizeUrl: ${issuer.url}/authorize`);
    const child = b.box.start(["login", "stub"]);
    child.stdin.end();
    const finished = collect(child);
    child.stderr.once("data", () => child.kill("SIGINT"));
    expect(await finished).toMatchObject({ code: 130, stderr: expect.stringContaining("Signing in was cancelled.") });
  });

  it("AU-01 a token that cannot be renewed in the middle of a run ends it with 3 and what to run", async () => {
    await b.close();
    b = await bench({ script: () => turn.calls([{ name: "bash", args: { command: "sleep 2" } }]) });
    await describeProvider();
    await describeIssuer(`deviceUrl: ${issuer.url}/device`);
    // A token counts as expired a minute early.
    issuer.lifetime = 62;
    await b.box.run(["login", "stub"]);
    issuer.valid.clear();
    const { code, stderr } = await b.ask(["--permission-mode", "full", "--model", "stub/inside"]);
    expect(stderr).toContain("The sign-in for stub could not be renewed: invalid_grant. Run: lathe login stub");
    expect(code).toBe(3);
    expect(b.modelRequests.length).toBeGreaterThan(0);
  });

  it("AU-01 a token that cannot be renewed because nobody answers ends the run with 3 and says so", async () => {
    await b.write(
      "oauth.yml",
      'stub: { clientId: c, tokenUrl: "http://127.0.0.1:9/t", deviceUrl: "http://127.0.0.1:9/d" }\n',
    );
    await b.write("auth.json", JSON.stringify({ stub: { type: "oauth", access: "a", refresh: "r", expires: 1 } }));
    const { code, stderr } = await b.ask(["--model", "stub/inside"]);
    expect(stderr).toMatch(/^lathe: Cannot reach the issuer: .*127\.0\.0\.1:9.*Try again later\.\n$/);
    expect(code).toBe(3);
  });

  it("a refused sign-in says why", async () => {
    await b.write(
      "oauth.yml",
      `stub: { clientId: c, tokenUrl: "${issuer.url}/nowhere", deviceUrl: "${issuer.url}/404" }\n`,
    );
    const { code, stderr } = await b.box.run(["login", "stub"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^lathe: stub did not start a sign-in/);
  });

  it.each([
    [
      "stub: { clientId: c, tokenUrl: 'http://example.com/t', deviceUrl: 'https://e/d' }",
      "stub.tokenUrl must be an https address",
    ],
    ["stub: { clientId: c, tokenUrl: 'https://e/t' }", "stub needs deviceUrl or authorizeUrl"],
    ["stub: { tokenUrl: 'https://e/t', deviceUrl: 'https://e/d' }", "stub.clientId is missing"],
    ["stub: { secret: x }", "stub.secret is unknown; known are label, clientId"],
    ["[]", "must map provider names to issuers"],
  ])("a broken oauth.yml (%s) is refused with the place", async (text, message) => {
    const file = await b.write("oauth.yml", text);
    const { code, stderr } = await b.box.run(["login", "stub"]);
    expect(code).toBe(2);
    expect(stderr).toContain(`lathe: ${file}: ${message}`);
  });

  it("a wrong entry in oauth.yml is named, and the other providers can be signed in to and renewed", async () => {
    await describeIssuer(`deviceUrl: ${issuer.url}/device`);
    const file = join(b.box.home, ".lathe", "oauth.yml");
    await b.write("oauth.yml", `${await readFile(file, "utf8")}other: { clientId: c, tokenUrl: 5 }\n`);
    const problem = `lathe: ${file}: other.tokenUrl must be an https address. Fix the file.\n`;
    issuer.lifetime = 1;
    const login = await b.box.run(["login", "stub"]);
    expect(login).toMatchObject({ code: 0, stdout: "Stored for Stub Inc. in the credentials file.\n" });
    expect(login.stderr).toContain(problem);
    issuer.lifetime = 3600;
    expect(await b.ask(["--model", "stub/inside"])).toMatchObject({ code: 0 });
    expect(b.modelRequests.map(({ headers }) => headers.authorization)).toEqual(["Bearer access-2"]);
    expect(await b.box.run(["logout", "nope"])).toMatchObject({
      code: 2,
      stderr: `${problem}lathe: Unknown provider "nope". See: lathe models\n`,
    });
    expect(await b.box.run(["logout", "stub"])).toMatchObject({ code: 0, stderr: problem });
    expect(await b.box.run(["login", "other"])).toMatchObject({ code: 2, stderr: problem });
  });
});

const hasScript = spawnSync("script", ["--version"]).status === 0;

describe.skipIf(!hasScript)("at a terminal (needs script)", () => {
  it("AU-01 with the browser on another machine, the address that it could not open is pasted", async () => {
    await describeIssuer(`authorizeUrl: ${issuer.url}/authorize`);
    const child = spawn("script", ["-qec", `${process.execPath} ${CLI} login stub`, "/dev/null"], {
      cwd: b.box.dir,
      env: { ...b.box.env, TERM: "xterm" },
    });
    const finished = collect(child);
    let shown = "";
    const address = new Promise<string>((resolve) => {
      child.stdout.on("data", (chunk) => {
        shown += chunk;
        const [, url] = /Open (\S+)[\s\S]*paste that page's address here/.exec(shown) ?? [];
        if (url) resolve(url);
      });
    });
    const answer = await fetch(await address, { redirect: "manual" });
    child.stdin.write("http://127.0.0.1:1/callback?code=evil&state=guess\r");
    child.stdin.write(`${answer.headers.get("location")}\r`);
    const { code, stdout } = await finished;
    expect(stdout).toContain("Stored for");
    expect(code).toBe(0);
    expect(await b.ask(["--model", "stub/inside"])).toMatchObject({ code: 0 });
    expect(b.modelRequests[0]?.headers["authorization"]).toBe("Bearer access-1");
  });

  it("AU-01 a key that is typed is not shown, and is stored", async () => {
    const child = spawn("script", ["-qec", `${process.execPath} ${CLI} login openai`, "/dev/null"], {
      cwd: b.box.dir,
      env: { ...b.box.env, TERM: "xterm" },
    });
    const finished = collect(child);
    let shown = "";
    const typed = new Promise<void>((resolve) => {
      child.stdout.on("data", (chunk) => {
        shown += chunk;
        if (shown.includes("Key for OpenAI")) resolve();
      });
    });
    await typed;
    child.stdin.write("sk-typed\r");
    const { code, stdout } = await finished;
    expect(stdout).toContain("Stored for OpenAI");
    expect(stdout).not.toContain("sk-typed");
    expect(code).toBe(0);
    const stored = await readFile(join(b.box.env["LATHE_HOME"] ?? "", "auth.json"), "utf8");
    expect(JSON.parse(stored)).toMatchObject({
      openai: { accounts: [{ name: "default", credential: { type: "api_key", key: "sk-typed" } }] },
    });
  });
});
