import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultDeps } from "@lathe/llm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bundleOf } from "../../../../agent/test/support/bundle.ts";
import { type Issuer, startIssuer } from "../../../test/issuer.ts";
import { localAccounts } from "../../../test/local-accounts.ts";
import { signInWithDevice } from "./oauth/device.ts";
import { signInWithBrowser } from "./oauth/pkce.ts";
import { poster } from "./oauth/post.ts";
import { freshAccessToken } from "./oauth/refresh.ts";
import type { OAuthRow } from "./oauth/rows.ts";
import type { Post } from "./oauth/token.ts";
import { resolveCredential } from "./resolve.ts";
import { CredentialStore } from "./store.ts";

let file: string;
let issuer: Issuer;
beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), "lathe-auth-")), "auth.json");
  issuer = await startIssuer();
});
afterEach(() => issuer.server.close());

const post: Post = async (url, form) => {
  const reply = await fetch(url, { method: "POST", body: new URLSearchParams(form) });
  return (await reply.json()) as Awaited<ReturnType<Post>>;
};
const row = (): OAuthRow => ({
  provider: "stub",
  label: "Stub",
  clientId: "client",
  scopes: ["model"],
  authorizeUrl: `${issuer.url}/authorize`,
  deviceUrl: `${issuer.url}/device`,
  tokenUrl: `${issuer.url}/token`,
});

describe("which credential", () => {
  it("G-49 AU-01 follows the order as sources disappear", async () => {
    const store = new CredentialStore(file);
    const sources = {
      accounts: localAccounts(store, { now: () => 0, post, rows: async () => [row()] }, `${file}.standings`),
      env: { STUB_TOKEN: "env", FILE_VAR: "from-file-var" },
      now: () => 0,
    };
    const query = { provider: "stub", envNames: ["STUB_TOKEN"], fileKey: "FILE_VAR" };
    const value = async (extra: object, ask: object = {}) =>
      (await resolveCredential({ ...query, ...ask }, { ...sources, ...extra }))?.value;

    await store.set("stub", { type: "api_key", key: "stored" });
    expect(await value({ runKey: { provider: "stub", key: "run" } })).toBe("run");
    expect(await value({ runKey: { provider: "another", key: "run" } })).toBe("stored");
    await store.set("stub", { type: "oauth", access: "oauth" });
    expect(await value({})).toBe("oauth");
    await store.remove("stub");
    expect(await value({})).toBe("env");
    expect(await value({ env: { FILE_VAR: "from-file-var" } })).toBe("from-file-var");
    expect(await value({ env: {} })).toBe("FILE_VAR");
    expect(
      await resolveCredential({ provider: "stub", envNames: [], keyless: true }, { ...sources, env: {} }),
    ).toMatchObject({ kind: "none" });
    expect(await resolveCredential({ provider: "stub", envNames: [] }, { ...sources, env: {} })).toBeUndefined();
  });

  it("M2 what a file holds besides, from an editor or a later version, stays in it; a file of another form is not replaced", async () => {
    const own = { id: "a-1", name: "default", credential: { type: "api_key", key: "sk-own" } };
    const slip = { id: "a-2", nmae: "two", credential: { type: "api_key", key: "sk-two" } };
    const later = { vault: "a form of a later version" };
    await writeFile(file, JSON.stringify({ acme: { accounts: [own, slip] }, later }));
    const store = new CredentialStore(file);
    await store.set("beta", { type: "api_key", key: "sk-beta" });
    await store.remove("acme");
    const held = JSON.parse(await readFile(file, "utf8"));
    expect(held).toMatchObject({ acme: { accounts: [slip] }, later });
    expect(await store.get("beta")).toMatchObject({ key: "sk-beta" });
    for (const text of ["[]", '"x"', "7"]) {
      await writeFile(file, text);
      await expect(store.set("beta", { type: "api_key", key: "sk-beta" })).rejects.toThrow("Fix or remove it");
      expect(await readFile(file, "utf8")).toBe(text);
    }
  });

  it("keeps the file to its owner and forgets what it is told to forget", async () => {
    const store = new CredentialStore(file);
    await store.set("stub", { type: "api_key", key: "sk-secret" });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await store.remove("stub")).toBe(true);
    expect(await readFile(file, "utf8")).not.toContain("sk-secret");
  });

  it("leaves no secret in the file when a keyring takes it, and keeps it in the file when the keyring refuses", async () => {
    const kept = new Map<string, string>();
    const keyring = {
      get: (name: string) => kept.get(name),
      set: (name: string, secret: string) => !name.startsWith("refused") && kept.set(name, secret) !== undefined,
      remove: (name: string) => void kept.delete(name),
    };
    const store = new CredentialStore(file, async () => keyring);
    expect(await store.set("stub", { type: "api_key", key: "sk-secret" })).toBe("keyring");
    expect(await store.set("refused", { type: "api_key", key: "sk-other" })).toBe("file");
    expect(await readFile(file, "utf8")).not.toContain("sk-secret");
    expect(await store.get("stub")).toEqual({ type: "api_key", key: "sk-secret" });
    expect(await store.get("refused")).toEqual({ type: "api_key", key: "sk-other" });
  });
});

describe("signing in, against a real issuer on loopback", () => {
  it("a device sign-in waits until the code was entered", async () => {
    issuer.pendingPolls = 2;
    const shown: string[] = [];
    const credential = await signInWithDevice(row(), {
      post,
      now: () => 1_000,
      sleep: async () => {},
      show: (line) => shown.push(line),
    });
    expect(credential).toEqual({ type: "oauth", access: "access-1", refresh: "refresh-1", expires: 1_000 + 3_600_000 });
    expect(shown.join()).toContain("WDJB-MJHT");
    expect(issuer.forms.filter((form) => form["device_code"])).toHaveLength(3);
  });

  it("a device sign-in outlasts an issuer that fails for a moment, not one that is gone", async () => {
    let broken = 3;
    const flow = (failing: Post) =>
      signInWithDevice(row(), { post: failing, now: () => 0, sleep: async () => {}, show: () => {} });
    const shaky: Post = (url, form) =>
      form["device_code"] && broken-- > 0 ? Promise.reject(new Error("503")) : post(url, form);
    expect(await flow(shaky)).toMatchObject({ access: "access-1" });
    broken = Number.POSITIVE_INFINITY;
    await expect(flow(shaky)).rejects.toThrow("503");
  });

  it("a browser sign-in proves with PKCE that the code is its own, and ignores a stranger's answer", async () => {
    const credential = await signInWithBrowser(row(), {
      post,
      now: () => 0,
      signal: new AbortController().signal,
      patienceMs: 60_000,
      open: async (url) => {
        const redirect = new URL(new URL(url).searchParams.get("redirect_uri") ?? "");
        expect((await fetch(`${redirect}?code=evil&state=guess`)).status).toBe(404);
        await fetch(url); // the issuer redirects back to us
      },
    });
    expect(credential).toMatchObject({ type: "oauth", access: "access-1" });
  });

  it("a vendor that knows no clients gives a key of the user's own for the proof", async () => {
    const { clientId: _, ...rest } = row();
    const credential = await signInWithBrowser(
      { ...rest, clientId: "", tokenUrl: `${issuer.url}/keys`, gives: "key" },
      {
        post: poster(defaultDeps().fetch),
        now: () => 0,
        signal: new AbortController().signal,
        patienceMs: 60_000,
        open: async (url) => {
          const callback = new URL(url).searchParams.get("callback_url") ?? "";
          expect((await fetch(`${callback}x?code=evil`)).status).toBe(404);
          await fetch(url);
        },
      },
    );
    expect(credential).toEqual({ type: "api_key", key: "key-1" });
  });

  it("an abort while waiting for the browser ends the wait and frees the port", async () => {
    const stop = new AbortController();
    const flow = { post, now: () => 0, signal: stop.signal, patienceMs: 60_000 };
    await expect(signInWithBrowser(row(), { ...flow, open: () => stop.abort() })).rejects.toThrow("cancelled");
  });

  it("a browser that never comes back is not waited for without end", async () => {
    const flow = { post, now: () => 0, signal: new AbortController().signal, patienceMs: 1 };
    await expect(signInWithBrowser(row(), { ...flow, open: () => {} })).rejects.toThrow("lathe login stub");
  });

  it("a token that runs out soon is used when the issuer cannot be reached, one that has run out is not", async () => {
    const store = new CredentialStore(file);
    await store.set("stub", { type: "oauth", access: "old", refresh: "r", expires: 30_000 });
    const gone: Post = () => Promise.reject(new Error("issuer is down"));
    const [account] = await store.accounts("stub");
    const token = (now: number) =>
      freshAccessToken(account!, store, { now: () => now, post: gone, rows: async () => [row()] });
    expect(await token(0)).toBe("old");
    await expect(token(30_000)).rejects.toThrow("issuer is down");
  });

  it("an expired sign-in that cannot be refreshed says what to run", async () => {
    const store = new CredentialStore(file);
    await store.set("stub", { type: "oauth", access: "old", expires: 0 });
    const [account] = await store.accounts("stub");
    await expect(freshAccessToken(account!, store, { now: () => 1, post, rows: async () => [row()] })).rejects.toThrow(
      "lathe login stub",
    );
  });

  it("two processes with an expired token burn one refresh token between them", async () => {
    const store = new CredentialStore(file);
    await store.set("stub", { type: "oauth", access: "old", refresh: "refresh-1", expires: 0 });
    issuer.valid.add("refresh-1");
    const [refreshFile, storeFile] = await Promise.all(
      ["./oauth/refresh.ts", "./store.ts"].map((name) => bundleOf(name, import.meta.url)),
    );
    const script = `
      const [{ freshAccessToken }, { CredentialStore }] = await Promise.all([import(${JSON.stringify(refreshFile)}), import(${JSON.stringify(storeFile)})]);
      const post = async (url, form) => (await fetch(url, { method: "POST", body: new URLSearchParams(form) })).json();
      const rows = ${JSON.stringify([row()])};
      const store = new CredentialStore(${JSON.stringify(file)});
      const [account] = await store.accounts("stub");
      console.log(await freshAccessToken(account, store, { now: Date.now, post, rows: async () => rows }));`;
    const tokens = await Promise.all([run(script), run(script), run(script)]);
    expect(tokens).toEqual(["access-1", "access-1", "access-1"]);
    expect(issuer.forms.filter((form) => form["grant_type"] === "refresh_token")).toHaveLength(1);
  });
});

async function run(script: string): Promise<string> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  await once(child, "close");
  return output.trim();
}
