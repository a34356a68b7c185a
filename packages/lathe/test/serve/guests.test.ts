// What clients with a token, and users who edit its files, must not do to a server: take what is not theirs, fill it
// up, break a session.

import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ModelServer, startModelServer, turn } from "@lathe/testkit";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { LatheClient } from "../../src/doors/serve/client.ts";
import { homePaths } from "../../src/platform/home/paths.ts";
import { type Sandbox, sandbox } from "../command.ts";
import { bearer, type Serving, serve } from "./serve-kit.ts";

const MODEL = "openai/gpt-5.2";
let box: Sandbox;
let model: ModelServer;
let serving: Serving;
let client: LatheClient;

beforeAll(async () => {
  box = await sandbox();
  model = await startModelServer({ script: () => turn.text("Said.") });
  const env = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: model.baseUrl("openai"), LATHE_NO_TITLE: "1" };
  serving = await serve(box, env, { mostOpen: 3 });
  client = await serving.client("laptop", "read", "prompt", "approve", "admin");
});
afterAll(async () => {
  await serving.server.end({ forgets: true });
  await model.close();
  await box.remove();
});

const create = (): Promise<string> => client.createSession({ cwd: box.dir, model: MODEL });
const codeOf = (error: { readonly status: number; readonly code: string }): string => `${error.status} ${error.code}`;

it("M1 sessions that are begun at once are no more than the server has room for", async () => {
  const begun = await Promise.all(Array.from({ length: 8 }, () => create().catch(codeOf)));
  expect(begun.filter((one) => one === "503 too_many_sessions")).toHaveLength(5);
  expect(serving.server.sessions.count).toBe(3);
  await Promise.all(begun.filter((one) => !one.startsWith("503")).map((id) => client.closeSession(id)));
});

it("M1 what would break a session, or none can begin with, is refused, and the session goes on", async () => {
  const id = await create();
  for (const data of ["!!!", Buffer.from("<svg/>").toString("base64")])
    expect(
      await client.command(id, "prompt", { message: "x", images: [{ data, mediaType: "image/png" }] }).catch(String),
    ).toContain("images[0] is not ");
  for (const wrong of ["nope/x", "--permission-mode=full", ""])
    expect(await client.createSession({ cwd: box.dir, model: wrong }).catch(codeOf)).toBe("422 session_refused");
  expect(await client.artifact(id, "1").catch(codeOf)).toBe("404 unknown_artifact");
  // To the session's process it would be another file than to the server.
  for (const path of ["other.jsonl", "/etc/passwd"])
    expect(await client.command(id, "switch_session", { sessionPath: path }).catch(codeOf)).toBe("403 outside_roots");
  await client.command(id, "prompt", { message: "hello" });
  expect((await client.command(id, "get_messages")).messages).toHaveLength(1);
  await client.closeSession(id);
});

it("M1 a link to one session finds it however many others there are, and none of those", async () => {
  const ids: string[] = [];
  for (let i = 0; i < 2; i++) {
    const id = await create();
    await client.command(id, "prompt", { message: "hello" });
    await client.closeSession(id);
    ids.push(id);
  }
  for (const session of ids) {
    const { token } = await serving.server.tokens.add({ name: session, scopes: ["read"], session, lastsMs: 60_000 });
    const { text } = await serving.ask("/v1/sessions?limit=1", { headers: bearer(token) });
    expect(JSON.parse(text)).toMatchObject({ sessions: [{ id: session }], more: false });
  }
});

it("M1 a file of tokens that cannot be read lets nobody in, and does not end the server", async () => {
  const { serveTokens } = homePaths(box.env, box.home);
  const before = readFileSync(serveTokens, "utf8");
  writeFileSync(serveTokens, "{");
  for (const [path, body] of [["/v1/me"], ["/v1/sign-in", JSON.stringify({ code: "x" })]] as const) {
    const headers = bearer("lathe_x");
    const asked = await serving.ask(path, body === undefined ? { headers } : { method: "POST", headers, body });
    expect([asked.status, asked.code]).toEqual([503, "tokens_unreadable"]);
    // Where it lies is not for everybody.
    expect(asked.text).not.toContain(join(box.home));
  }
  writeFileSync(serveTokens, before);
  expect(await client.me()).toMatchObject({ name: "laptop" });
});

it("M1 a sign-in that cannot be stored is refused as such, and its code stays good", async () => {
  const { serveTokens } = homePaths(box.env, box.home);
  const body = JSON.stringify({ code: await serving.code() });
  const signIn = () => serving.ask("/v1/sign-in", { method: "POST", body });
  // In the place of the file that is written first.
  const inTheWay = `${serveTokens}.${process.pid}.tmp`;
  mkdirSync(inTheWay);
  const refused = await signIn();
  rmdirSync(inTheWay);
  expect([refused.status, refused.code]).toEqual([503, "not_kept"]);
  expect(refused.text).not.toContain(join(box.home));
  expect((await signIn()).status).toBe(204);
});
