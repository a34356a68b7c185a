// Secrets that are written literally in the configuration of a server stay out of everything that is shown or kept.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Redactor } from "@lathe/agent/policy";
import { turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { ROGUE } from "../../../test/mcp/kit.ts";
import { talkWith } from "../../../test/mcp/talk.ts";
import type { ServerConfig } from "./types.ts";
import { literalSecrets } from "./values.ts";

const TOKEN = "littoken-abcdefgh-0006";
const LOOKED_UP = ["a-$", "{SET_TOKEN_2}-b"].join("");
const base = { name: "a", file: "mcp.json" } as const;

function redacted(config: ServerConfig, text: string): string {
  const redactor = new Redactor();
  for (const { name, value, host } of literalSecrets(config, { SET_TOKEN_2: "x" })) redactor.add(name, value, host);
  return redactor.text(text);
}

describe("CF-04 literal values of a server's configuration", () => {
  it("CF-04 a token in env is in no request, event or journal, whether a tool or a crash prints it", async () => {
    const server = (...args: string[]) => ({
      command: process.execPath,
      args: [ROGUE, ...args],
      env: { ROGUE_TOKEN: TOKEN, MODE: "production" },
    });
    const talk = await talkWith({ good: server(), bad: server("--leak", "ROGUE_TOKEN") }, { headless: true });
    try {
      const echo = [{ name: "mcp__good__variables", args: {} }];
      const look = [{ name: "read_file", args: { file_path: join(talk.root, "home/.lathe/mcp.json") } }];
      await talk.say("go", turn.calls(echo), turn.calls(look), turn.text("in production"));
      const requests = JSON.stringify(talk.model.requests.map(({ body }) => body));
      expect(requests).toContain("[redacted:ROGUE_TOKEN]");
      expect(talk.warnings().join("\n")).toContain("no access with [redacted:ROGUE_TOKEN]");
      const kept = readFileSync(talk.file(), "utf8");
      for (const text of [requests, JSON.stringify(talk.events), kept]) expect(text).not.toContain(TOKEN);
      expect(kept).toContain("in production");
    } finally {
      await talk.close();
    }
  });

  it("CF-04 a token that the server puts into its tools is in no request, journal or file of the cache", async () => {
    const server = { command: process.execPath, args: [ROGUE, "--boast", "ROGUE_TOKEN"], env: { ROGUE_TOKEN: TOKEN } };
    const talk = await talkWith({ good: server }, { headless: true });
    try {
      await talk.say("go", turn.text("done"));
      const requests = JSON.stringify(talk.model.requests.map(({ body }) => body));
      expect(requests).toContain("Signs in with [redacted:ROGUE_TOKEN]");
      expect(requests).toContain('"default":"[redacted:ROGUE_TOKEN]"');
      const home = join(talk.root, "home/.lathe");
      const kept = readdirSync(home, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== "mcp.json")
        .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
      expect(kept.some((text) => text.includes("boast"))).toBe(true);
      for (const text of [requests, JSON.stringify(talk.events), readFileSync(talk.file(), "utf8"), ...kept])
        expect(text).not.toContain(TOKEN);
    } finally {
      await talk.close();
    }
  });

  it("CF-04 headers and the secret of a client are secrets, media types and plain words are not", () => {
    const config: ServerConfig = {
      ...base,
      transport: "http",
      url: "https://mcp.example.com/mcp",
      headers: {
        Authorization: `Bearer ${TOKEN}`,
        "X-Tenant": "tenant-4711-abc",
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
        "X-Stage": "production",
        "X-Other": "!pass show 4711",
      },
      oauth: { clientId: "client-1234", clientSecret: "client-secret-5678" },
    };
    const text = `${TOKEN} tenant-4711-abc client-secret-5678`;
    expect(redacted(config, text)).toBe("[redacted:Authorization] [redacted:X-Tenant] [redacted:clientSecret]");
    const plain = "application/json, text/event-stream 2025-06-18 production !pass show 4711 client-1234";
    expect(redacted(config, plain)).toBe(plain);
    expect(literalSecrets(config, {})[0]).toEqual({ name: "Authorization", value: TOKEN, host: "mcp.example.com" });
  });

  it("CF-04 variables are judged by name or value, and only literal ones", () => {
    const key = `sk-ant-api03-${"Ab1".repeat(12)}`;
    const env = {
      DB_PASSWORD: "pa55word-of-db",
      SETTINGS: key,
      REGION: "eu-central-1",
      SOME_KEY: "1",
      USE_TOKEN: "true",
      OTHER_TOKEN: "SET_TOKEN_2",
      LOOKED_UP_TOKEN: LOOKED_UP,
    };
    const config: ServerConfig = { ...base, transport: "stdio", command: "x", env };
    expect(redacted(config, `pa55word-of-db ${key}`)).toBe("[redacted:DB_PASSWORD] [redacted:SETTINGS]");
    const plain = `eu-central-1 1 true SET_TOKEN_2 ${LOOKED_UP}`;
    expect(redacted(config, plain)).toBe(plain);
    // An editor's values are never looked up.
    expect(redacted({ ...config, isLiteral: true }, "SET_TOKEN_2")).toBe("[redacted:OTHER_TOKEN]");
  });
});
