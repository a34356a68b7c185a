// `lathe serve` from its operator's view: what it refuses, TLS for other machines, links and tokens. openssl creates
// the certificates, the server is the built one.

import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Certificates, makeCertificates } from "../../../llm/test/transport/certificates.ts";
import { type Sandbox, sandbox } from "../command.ts";
import { type Answered, ask, bearer } from "./serve-kit.ts";

/** Of this machine, but none of the names that need no TLS. */
const HOST = "127.0.0.2";

let box: Sandbox;
let certificates: Certificates;

beforeAll(async () => {
  box = await sandbox();
  certificates = makeCertificates({ own: "DNS:lathe.test", other: "DNS:other.test" });
});
afterAll(async () => {
  certificates.remove();
  await box.remove();
});

const file = (name: string): string => join(certificates.folder, name);
const tls = (cert: string, key: string): string[] => ["--tls-cert", file(cert), "--tls-key", file(key)];

it("M1 lathe serve refuses what it cannot do in one line, before it listens", async () => {
  const wrong: readonly (readonly [readonly string[], string])[] = [
    [["--host", HOST], `Reaching ${HOST} needs TLS: give --tls-cert <file> and --tls-key <file>`],
    [["--host", "0.0.0.0"], "Reaching 0.0.0.0 needs TLS"],
    [["--host", HOST, "--tls-cert", file("own.pem")], "TLS needs a certificate and its key"],
    [tls("none.pem", "own.key"), "none.pem cannot be read: ENOENT"],
    [tls("own.pem", "other.key"), "are not a certificate and its key"],
    [tls("own.key", "own.pem"), "are not a certificate and its key"],
    [["--port", "65536"], '--port must be a number from 0 to 65535, not "65536"'],
    [["--root", "nowhere"], "--root: nowhere is not a directory"],
    [["folder"], 'Unknown command "lathe serve folder". Choose one of link, token.'],
  ];
  for (const [args, says] of wrong) {
    const { code, stdout, stderr } = await box.run(["serve", ...args]);
    expect([code, stdout, stderr.split("\n").length], args.join(" ")).toEqual([2, "", 2]);
    expect(stderr).toContain(says);
  }
});

it("M1 lathe serve over TLS: a link signs in under the names of the certificate; tokens come and go while it runs", async () => {
  const child = box.start(["serve", "--host", HOST, "--port", "0", ...tls("own.pem", "own.key")]);
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<string> => (await lines.next()).value ?? "";
    const url = /https:\S+/.exec(await next())?.[0] ?? "";
    expect(url).toMatch(new RegExp(`^https://${HOST.replaceAll(".", "\\.")}:\\d+$`));
    await next();
    const link = await next();
    const { port } = new URL(url);
    const signIn = (code: string | undefined): Promise<Answered> =>
      ask(url, "/v1/sign-in", { method: "POST", body: JSON.stringify({ code }) });
    const first = await signIn(link.split(`${url}/#code=`)[1]);
    const [cookie = ""] = (first.headers["set-cookie"] ?? []) as string[];
    expect(cookie).toMatch(
      new RegExp(`^__Host-lathe-${port}=lathe_[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000; Secure$`),
    );
    const me = (headers: Record<string, string>): Promise<Answered> => ask(url, "/v1/me", { headers });
    const signedIn = { cookie: cookie.split(";")[0] ?? "" };
    expect(JSON.parse((await me(signedIn)).text)).toMatchObject({ name: "browser 1" });
    expect((await me({ ...signedIn, host: `lathe.test:${port}` })).status).toBe(200);
    for (const host of ["other.test", "127.0.0.1", "localhost"])
      expect((await me({ ...signedIn, host })).code, host).toBe("foreign_host");
    await expect(ask(url.replace("https", "http"), "/v1/health")).rejects.toThrow();

    const another = await box.run(["serve", "link", "--url", `https://lathe.test:${port}/sessions`]);
    const [, shown = ""] = another.stdout.trimEnd().split("\n");
    expect(shown).toMatch(new RegExp(`^https://lathe\\.test:${port}/#code=`));
    expect((await signIn(shown.split("#code=")[1])).status).toBe(204);

    const added = await box.run(["serve", "token", "add", "phone", "--scope", "prompt", "--days", "2"]);
    const token = added.stdout.trim();
    expect(added.stderr).toMatch(/^This is the only time it is shown\. It may read, prompt until \d{4}-\d\d-\d\d\.\n$/);
    expect(JSON.parse((await me(bearer(token))).text)).toEqual({ name: "phone", scopes: ["read", "prompt"] });
    expect((await box.run(["serve", "token", "list"])).stdout).toMatch(/phone +read prompt +all +\d{4}/);
    const listed = (await box.run(["serve", "token", "list", "--json"])).stdout;
    expect(JSON.parse(listed).map(({ name }: { name: string }) => name)).toEqual(["browser 1", "browser 2", "phone"]);
    expect(listed).not.toMatch(/hash|lathe_/);
    expect(await box.run(["serve", "token", "revoke", "phone"])).toMatchObject({ code: 0, stdout: "Revoked phone.\n" });
    expect(await me(bearer(token))).toMatchObject({ status: 401, code: "unknown_token" });

    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  } finally {
    child.kill("SIGKILL");
  }
});

it("M1 lathe serve link and token refuse what they do not know in one line", async () => {
  await box.run(["serve", "token", "add", "taken"]);
  const wrong: readonly (readonly [string, string])[] = [
    ["token add taken", "There is a token named taken"],
    ["token add", "Give the token one name"],
    ["token add a --scope all", '--scope takes read, prompt, approve, admin, not "all"'],
    ["token add a --days 0", "--days"],
    ["token add a --session nosuch", 'Session "nosuch" not found. See: lathe sessions list'],
    ["token revoke nobody", 'There is no token "nobody"'],
    ["token revoke", "Give a name or an id"],
    ["token make", 'Unknown command "lathe serve token make". Choose one of list, add, revoke.'],
    ["link here", "lathe serve link takes only --url"],
    ["link --url ftp://a", "--url"],
  ];
  for (const [words, says] of wrong) {
    const { code, stdout, stderr } = await box.run(["serve", ...words.split(" ")]);
    expect([code, stdout, stderr.split("\n").length], words).toEqual([2, "", 2]);
    expect(stderr).toContain(says);
  }
});
