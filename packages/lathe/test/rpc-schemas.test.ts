import { readdirSync } from "node:fs";
import { violationOf } from "@lathe/llm";
import { Checker, choice, flag, integer, listOf, object, oneOf, optional, text } from "@lathe/llm/schema";
import { parseTheme, TOKENS } from "@lathe/tui";
import { describe, expect, it } from "vitest";
import { openApiFile } from "../src/doors/serve/openapi.ts";
import { COMMANDS } from "../src/hosts/rpc/commands.ts";
import { schemaFiles } from "../src/hosts/rpc/publish.ts";
import { schemaFile } from "./rpc-host.ts";

describe("published schemas", () => {
  const files = { ...schemaFiles(), ...openApiFile() };

  it("G-05 are up to date: else run scripts/write-schemas.ts", () => {
    expect(readdirSync(new URL("../schemas", import.meta.url)).sort()).toEqual(Object.keys(files).sort());
    for (const [name, schema] of Object.entries(files)) expect(schemaFile(name), name).toEqual(schema);
  });

  it("TU-01 G-111 a theme file with all colours fits, one that leaves a colour out or misspells a value does not", async () => {
    const schema = schemaFile("theme.json");
    const colors = Object.fromEntries(TOKENS.map((token, i) => [token, ["main", "#7aa2f7", 240, ""][i % 4]]));
    const theme = { name: "mine", vars: { main: "#101010" }, colors, symbols: { preset: "ascii" } };
    expect(await violationOf(schema, theme as never)).toBeUndefined();
    expect(parseTheme(JSON.stringify(theme), "mine").colors.accent).toBe("#101010");
    const { accent: _, ...incomplete } = colors;
    for (const wrong of [
      { colors: incomplete },
      { colors: { ...colors, dim: 300 } },
      { colors: { ...colors, dim: "#12" } },
      { symbols: { preset: "emoji" } },
    ])
      expect(await violationOf(schema, { ...theme, ...wrong } as never), JSON.stringify(wrong)).toBeDefined();
  });

  it("CF-01 the schemas of config.yml, models.yml and mcp.json take what the readers take, and refuse a misspelt key or a wrong value", async () => {
    const fits = async (name: string, value: unknown): Promise<boolean> =>
      (await violationOf(schemaFile(name), value as never)) === undefined;
    for (const settings of [
      {},
      { $schema: "x", permissionMode: "ask", retry: { maxRetries: 3 }, "compaction.enabled": false, theme: null },
      {
        permissions: { allow: ["bash(npm test *)"] },
        enabledModels: ["a/b", { path: "~/work", models: ["openai/*"] }],
      },
    ])
      expect(await fits("config.json", settings), JSON.stringify(settings)).toBe(true);
    for (const settings of [{ permissionMod: "ask" }, { retry: { maxRetries: "3" } }, { retry: { maxRetrys: 3 } }, []])
      expect(await fits("config.json", settings), JSON.stringify(settings)).toBe(false);
    const own = { baseUrl: "http://localhost:8000/v1", api: "openai-completions", models: [{ id: "a" }] };
    expect(await fits("models.json", { providers: { own } })).toBe(true);
    expect(await fits("models.json", { providers: { own: { ...own, api: "openai" } } })).toBe(false);
    expect(await fits("mcp.json", { $schema: "x", mcpServers: { a: { command: "npx", args: ["b", 1] } } })).toBe(true);
    expect(await fits("mcp.json", { mcpServers: { a: { command: "npx", args: "b" } } })).toBe(false);
  });

  it("G-05 hold every command and every reply", () => {
    for (const name of ["rpc-commands.json", "rpc-replies.json"]) {
      expect(Object.keys(files[name]?.["$defs"] as object)).toEqual(expect.arrayContaining(Object.keys(COMMANDS)));
    }
  });

  it("G-05 refuse what does not fit: an undeclared field, a missing one, a wrong type", async () => {
    const schema = schemaFile("rpc-replies.json");
    const reply = { type: "response", command: "abort_bash", success: true, data: { aborted: true } };
    expect(await violationOf(schema, reply)).toBeUndefined();
    for (const data of [{ aborted: true, more: 1 }, {}, { aborted: "yes" }]) {
      expect(await violationOf(schema, { ...reply, data } as never)).toBeDefined();
    }
  });
});

describe("check of incoming commands", () => {
  const schema = object({
    name: text(),
    count: optional(integer()),
    modes: optional(listOf(choice(["a", "b"]))),
    either: optional(oneOf(text(), object({ on: flag() }))),
  });

  it.each([
    [{ name: "x" }, undefined],
    [{ name: "x", unknown: 1 }, undefined],
    [{}, "name is missing"],
    [{ name: 1 }, "name must be a string, not 1"],
    [{ name: "x", count: 1.5 }, "count must be a whole number, not 1.5"],
    [{ name: "x", modes: "a" }, 'modes must be a list of strings, not "a"'],
    [{ name: "x", modes: ["a", "c"] }, 'modes[1] must be one of a, b, not "c"'],
    [{ name: "x", either: { on: true } }, undefined],
    [{ name: "x", either: 5 }, "either must be a string or an object, not 5"],
    [[], "the value must be an object, not an empty list"],
  ])("G-02 %j: %s", (value, problem) => {
    expect(new Checker(schema, { acceptsUnknown: true }).wrongIn(value)).toBe(problem);
  });
});
