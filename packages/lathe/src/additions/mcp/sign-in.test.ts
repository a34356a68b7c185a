import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Kit, managerOf, never } from "../../../test/mcp/kit.ts";
import { type ProtectedServer, startProtectedServer } from "../../../test/mcp/protected-server.ts";
import { CredentialStore } from "../../config/credentials/store.ts";
import { type SignInDeps, signInTo, signOutOf, storedSignIn } from "./sign-in.ts";
import type { ServerConfig } from "./types.ts";

let server: ProtectedServer;
let config: ServerConfig;
const file = join(mkdtempSync(join(tmpdir(), "lathe-mcp-auth-")), "auth.json");
const secrets = new Set<string>();
const depsFor = (url: string): SignInDeps => ({
  store: new CredentialStore(file),
  now: Date.now,
  onSecret: (_name, value) => secrets.add(value),
  url,
});

async function connected(): Promise<Kit> {
  const kit = managerOf([config], { host: { auth: async () => storedSignIn(config, depsFor(server.url)) } });
  kit.manager.open();
  await kit.manager.ready(never);
  return kit;
}

/** Plays the browser: follows the issuer back to us. */
const signIn = (visit: (url: string) => unknown = (url) => fetch(url)): Promise<void> =>
  signInTo(config, depsFor(server.url), { signal: never, patienceMs: 10_000, open: (url) => void visit(url) });

beforeAll(async () => {
  server = await startProtectedServer();
  config = { name: "vault", file: "mcp.json", transport: "http", url: server.url };
});
afterAll(() => server.close());

describe("a server that wants a sign-in", () => {
  it("MC-02 is refused without one, and one line says what to run; nobody is registered in the background", async () => {
    const kit = await connected();
    expect(kit.manager.servers[0]?.state).toEqual({ kind: "signed-out" });
    expect(kit.warnings).toEqual([
      "MCP server vault (mcp.json) needs a sign-in. Run: /mcp login vault, or lathe mcp login vault",
    ]);
    expect(server.paths).not.toContain("/register");
    await kit.close();
  });

  it("MC-02 works after a sign-in with a browser; the token is stored for its owner only and known as a secret", async () => {
    await signIn();
    const kit = await connected();
    expect(await kit.call("mcp__vault__secret")).toBe("the secret is 42");
    expect(server.seen.at(-1)).toBe("Bearer access-token-1");
    expect(secrets).toEqual(new Set(["access-token-1", "refresh-token-1"]));
    const stored = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    const credential = { type: "oauth", mcp: { url: server.url, clientId: "client-1" } };
    expect(Object.values(stored)).toMatchObject([{ accounts: [{ name: "default", credential }] }]);
    await kit.close();
  });

  it("an expired token is renewed once, by two connections at the same time as well", async () => {
    server.expire();
    const [a, b] = await Promise.all([connected(), connected()]);
    expect(await a.call("mcp__vault__secret")).toBe("the secret is 42");
    expect(await b.call("mcp__vault__secret")).toBe("the secret is 42");
    expect(server.seen.at(-1)).toBe("Bearer access-token-2");
    await Promise.all([a.close(), b.close()]);
  });

  it("the token is not sent to another address that goes by the same name", async () => {
    const other = { ...depsFor(`${server.url}/elsewhere`) };
    expect(await storedSignIn(config, other).token()).toBeUndefined();
    expect(await storedSignIn(config, depsFor(server.url)).token()).toBe("access-token-2");
  });

  it("an answer that nobody asked for does not sign anybody in", async () => {
    let forged: number | undefined;
    await signIn(async (url) => {
      const redirect = new URL(url).searchParams.get("redirect_uri");
      forged = (await fetch(`${redirect}?code=code-1&state=guessed`)).status;
      await fetch(url);
    });
    expect(forged).toBe(404);
  });

  it("logging out deletes it", async () => {
    expect(await signOutOf(config, depsFor(server.url))).toBe(true);
    expect(await storedSignIn(config, depsFor(server.url)).token()).toBeUndefined();
    expect(await signOutOf(config, depsFor(server.url))).toBe(false);
  });
});
