import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ModelServer, startModelServer, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildLibrary } from "../../../scripts/build.mjs";
import {
  type AgentSessionOptions,
  availableModels,
  builtinThemes,
  builtinTools,
  createAgentSession,
  discoverFiles,
  type HostTool,
  readSettings,
  readTheme,
  SessionManager,
  type WireEvent,
} from "../src/index.ts";
import { CLI, type Sandbox, sandbox } from "./command.ts";

let box: Sandbox;
let server: ModelServer;
let place: AgentSessionOptions;
const notices: string[] = [];
beforeEach(async () => {
  box = await sandbox();
  server = await startModelServer();
  const env = { ...box.env, OPENAI_API_KEY: "key", OPENAI_BASE_URL: server.baseUrl("openai") };
  notices.length = 0;
  place = { cwd: box.dir, env, model: "openai/gpt-5.2", onNotice: (line) => notices.push(line) };
});
afterEach(async () => {
  await server.close();
  await box.remove();
});

const weather: HostTool = {
  name: "weather",
  description: "The weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  tier: "read",
  execute: ({ city }) => `It rains in ${city}.`,
};
const askWeather = (city: string) => turn.calls([{ name: "weather", id: "w", args: { city } }]);

describe("the package as a library", () => {
  it("MO-09 a LATHE_HOME that cannot be a folder is named in one line, and a session in memory works there", async () => {
    const there = { ...place, env: { ...place.env, LATHE_HOME: "/dev/null/x" } };
    await expect(createAgentSession(there)).rejects.toThrow(
      /^This session cannot be saved: \/dev\/null\/x\/sessions.* \(\/dev\/null is a file\)\. Set LATHE_HOME to another folder, or keep the session in memory \(session: "memory"\)\.$/,
    );
    server.push(turn.text("hello"));
    await using session = await createAgentSession({ ...there, session: "memory" });
    expect(await session.prompt("hi")).toMatchObject({ reason: "completed", text: "hello" });
  });

  it("MO-09 a custom tool of an in-memory session is offered whatever tools says, is called, and its result reaches the second request", async () => {
    server.push(askWeather("Oslo"), turn.text("Take a coat."));
    await using session = await createAgentSession({ ...place, session: "memory", tools: [], customTools: [weather] });
    const events: WireEvent[] = [];
    session.subscribe((event) => events.push(event));
    const outcome = await session.prompt("What do I wear in Oslo?");
    expect(outcome).toMatchObject({ reason: "completed", text: "Take a coat." });
    expect(server.requests[0]?.view.tools).toEqual(["weather"]);
    expect(server.requests[1]?.result("w")).toBe("It rains in Oslo.");
    expect(session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(events.filter(({ type }) => type === "tool_execution_end")).toMatchObject([
      { card: { subject: expect.any(String) } },
    ]);
    expect(session.file).toBeUndefined();
    expect(notices).toEqual([]);
  });

  it("MO-09 a function gets the blocks of the default prompt and gives those that are sent; a text replaces them", async () => {
    server.push(turn.text("one"), turn.text("two"));
    const seen: string[][] = [];
    const systemPrompt = (blocks: readonly string[]): readonly string[] => {
      seen.push([...blocks]);
      return [...blocks.slice(1), "Answer in rhymes."];
    };
    await using arranged = await createAgentSession({ ...place, session: "memory", systemPrompt });
    await arranged.prompt("hello");
    const [blocks = []] = seen;
    expect(blocks.length).toBeGreaterThan(1);
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toContain(JSON.stringify([...blocks.slice(1), "Answer in rhymes."].join("\n\n")).slice(1, -1));
    expect(sent).not.toContain(JSON.stringify(blocks[0]?.slice(0, 80)).slice(1, -1));
    await using replaced = await createAgentSession({ ...place, session: "memory", systemPrompt: "Be brief." });
    await replaced.prompt("hello");
    expect(JSON.stringify(server.requests[1]?.body)).toContain("Be brief.");
  });

  it("MO-09 several sessions work at once, are listed, and are opened again; what needs a person is asked or denied", async () => {
    const write = (text: string) =>
      turn.calls([{ name: "write_file", id: "f", args: { file_path: "a.txt", content: text } }]);
    server.push(write("1"), turn.text("denied"));
    const sessions = new SessionManager({ ...place, permissionMode: "ask" });
    const alone = await sessions.create();
    await alone.prompt("write it");
    expect(server.requests[1]?.result("f")).toContain("no user can be asked here");
    expect(existsSync(join(box.dir, "a.txt"))).toBe(false);

    server.push(write("2"), turn.text("written"));
    const asked: string[] = [];
    const watched = await sessions.create({
      onUiRequest: (request) => {
        asked.push(request.method);
        return { confirmed: true };
      },
    });
    await watched.prompt("write it");
    expect(asked).toEqual(["confirm"]);
    expect(existsSync(join(box.dir, "a.txt"))).toBe(true);
    expect(watched.id).not.toBe(alone.id);
    await Promise.all([alone.close(), watched.close()]);

    const listed = await sessions.list();
    expect(listed.map(({ id }) => id).sort()).toEqual([alone.id, watched.id].sort());
    await using again = await sessions.open(watched.id);
    expect(again.messages.at(-1)).toMatchObject({ role: "assistant", content: [{ text: "written" }] });
    expect(again.hasUnfinishedInput).toBe(false);
    await expect(sessions.open("nothing-like-it")).rejects.toThrow('Session "nothing-like-it" not found.');
  });

  it("MO-09 a listener that fails costs nobody an event, ends nothing, and is named once; options that cannot work are refused", async () => {
    server.push(turn.text("one"), turn.text("two"));
    await using session = await createAgentSession({ ...place, session: "memory" });
    const events: WireEvent[] = [];
    session.subscribe(() => {
      throw new Error("boom");
    });
    session.subscribe(async () => Promise.reject(new Error("later")));
    session.subscribe((event) => events.push(event));
    expect(() => session.subscribe("x" as never)).toThrow("subscribe needs a function");
    await expect(session.prompt(5 as never)).rejects.toThrow("prompt needs a text");
    expect(await session.prompt("hello")).toMatchObject({ text: "one" });
    expect(await session.prompt("again")).toMatchObject({ text: "two" });
    const said = JSON.stringify(events);
    expect(said.match(/listener of the program failed: boom/g)).toHaveLength(1);
    expect(said.match(/listener of the program failed: later/g)).toHaveLength(1);
    expect(events.filter(({ type }) => type === "agent_end")).toHaveLength(2);

    const refused = (more: object) => createAgentSession({ ...place, session: "memory", ...more } as never);
    const { execute: _, ...idle } = weather;
    for (const [more, why] of [
      [{ model: 5 }, "model must be a text"],
      [{ cwd: 7 }, "cwd must be a text"],
      [{ cwd: "/no/such" }, "There is no folder /no/such. Create it first"],
      [{ cwd: "" }, "The name of the folder is empty."],
      [{ modle: "x" }, 'There is no option "modle" of createAgentSession. There are: cwd, env,'],
      [{ session: 5 }, "session must be a text"],
      [{ permissionMode: "zzz" }, "permissionMode must be one of read-only, ask, auto-edit, full, plan"],
      [{ customTools: "x" }, "customTools must be a list"],
      [{ customTools: [null] }, "customTools[0] must be an object"],
      [{ customTools: [idle] }, 'customTools[0] "weather": execute must be a function'],
      [{ customTools: [{ ...weather, tier: "zzz" }] }, 'customTools[0] "weather": tier must be one of'],
      [{ customTools: [weather, weather] }, 'customTools[1] "weather": an earlier tool of this list has the same name'],
      [{ customTools: [{ ...weather, name: "a b" }] }, 'customTools[0] "a b": '],
      [{ onUiRequest: 7 }, "onUiRequest must be a function"],
      [{ systemPrompt: 7 }, "systemPrompt must be a text or a function"],
    ] as const)
      await expect(refused(more)).rejects.toThrow(why);
    await expect(createAgentSession(null as never)).rejects.toThrow("createAgentSession needs an object of options");
  });

  it("MO-09 as it is built, the program of the README runs and ends by itself; importing the package loads none of the product", async () => {
    const source = fileURLToPath(new URL("..", import.meta.url));
    const own = join(box.dir, "node_modules/lathe");
    await mkdir(join(own, "dist"), { recursive: true });
    await cp(join(source, "package.json"), join(own, "package.json"));
    await buildLibrary("lathe", join(own, "dist/lib"));
    const env = { ...place.env, ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: server.baseUrl("anthropic") };
    const run = async (program: string): Promise<string> => {
      await writeFile(join(box.dir, "program.mjs"), program);
      const child = spawn(process.execPath, ["program.mjs"], { cwd: box.dir, env, stdio: ["ignore", "pipe", "pipe"] });
      let said = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
      await once(child, "close");
      return `${said}exit ${child.exitCode}`;
    };
    // The product is not even there.
    expect(await run('import("lathe").then(({ createAgentSession }) => console.log(typeof createAgentSession));')).toBe(
      "function\nexit 0",
    );
    await symlink(join(dirname(CLI), "product.js"), join(own, "dist/product.js"));
    server.push(askWeather("Oslo"), turn.text("Take a coat."));
    const readme = readFileSync(join(source, "README.md"), "utf8");
    const [, program = ""] = /```ts\n(import \{ createAgentSession[\s\S]*?)```/.exec(readme) ?? [];
    expect(program.trim().split("\n").length).toBeLessThanOrEqual(25);
    expect(await run(program)).toMatch(/^weather .*\nTake a coat\.\nexit 0$/);
    expect(server.requests[1]?.result("w")).toBe("It rains in Oslo.");
  });

  it("MO-09 settings, models, found files, tools and themes can be read without a session", async () => {
    expect((await readSettings(place))["permissionMode"]).toBe("auto-edit");
    expect((await availableModels(place)).map(({ provider, id }) => `${provider}/${id}`)).toContain("openai/gpt-5.2");
    expect(await discoverFiles(place)).toEqual([]);
    expect((await builtinTools()).map(({ name }) => name)).toEqual(expect.arrayContaining(["read_file", "shell"]));
    const [theme] = await builtinThemes();
    expect(await readTheme(JSON.stringify({ name: "mine", colors: theme?.colors }), "mine")).toMatchObject({
      colors: { accent: theme?.colors.accent },
    });
    await expect(readTheme("{}", "mine")).rejects.toThrow("mine");
  });
});
