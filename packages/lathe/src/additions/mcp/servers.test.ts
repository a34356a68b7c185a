import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Kit, managerOf, never, officialServer, ROGUE, stdio } from "../../../test/mcp/kit.ts";
import type { ServerConfig } from "./types.ts";

const folder = mkdtempSync(join(tmpdir(), "lathe-mcp-files-"));
const variable = (name: string): string => `\${${name}}`;
const stops: (() => void)[] = [];
let everything: Kit;

/** The official test server over HTTP, in a process of its own. */
async function httpServer(mode: "streamableHttp" | "sse"): Promise<string> {
  const port = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port: free } = probe.address() as { port: number };
      probe.close(() => resolve(free));
    });
  });
  const env = { ...process.env, PORT: String(port) };
  const child = spawn(process.execPath, [officialServer("everything"), mode], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  stops.push(() => child.kill());
  await new Promise<void>((resolve, reject) => {
    child.once("exit", () => reject(new Error("the server ended")));
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => /listening|running on|port/i.test(chunk.toString()) && resolve());
  });
  return `http://127.0.0.1:${port}/${mode === "sse" ? "sse" : "mcp"}`;
}

beforeAll(async () => {
  writeFileSync(join(folder, "note.txt"), "hello from a file\n");
  const [http, sse] = await Promise.all([httpServer("streamableHttp"), httpServer("sse")]);
  const remote = (name: string, transport: "http" | "sse", url: string): ServerConfig => ({
    name,
    file: "mcp.json",
    transport,
    url,
  });
  everything = managerOf(
    [
      stdio("all", officialServer("everything"), ["stdio"]),
      stdio("files", officialServer("filesystem"), [folder]),
      { ...stdio("memory", officialServer("memory")), env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } },
      remote("http", "http", http),
      remote("sse", "sse", sse),
      // The same server in the configuration of a user who knows only its address.
      remote("plain", "http", sse),
    ],
    // The file server gets these instead of its arguments.
    { host: { roots: () => [folder] } },
  );
  everything.manager.open();
  await everything.manager.ready(never);
});
afterAll(async () => {
  await everything?.close();
  for (const stop of stops) stop();
});

describe("official servers", () => {
  it("MC-02 offer their tools over stdio, streamable HTTP and SSE", () => {
    expect(everything.warnings).toEqual([]);
    const names = everything.manager.tools().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["mcp__all__echo", "mcp__http__echo", "mcp__sse__echo"]));
    expect(names).toEqual(expect.arrayContaining(["mcp__files__read_text_file", "mcp__memory__create_entities"]));
  });

  it.each(["all", "http", "sse", "plain"])("MC-02 a call is answered over %s", async (server) => {
    expect(await everything.call(`mcp__${server}__echo`, { message: "hi" })).toBe("Echo: hi");
  });

  it("images, links and structured content reach the model", async () => {
    expect(await everything.call("mcp__all__get-tiny-image")).toContain("<image/png>");
    const structured = await everything.result("mcp__all__get-structured-content", { location: "Chicago" });
    expect(structured.details).toMatchObject({ structured: { temperature: expect.any(Number) } });
    expect(await everything.call("mcp__files__read_text_file", { path: join(folder, "note.txt") })).toContain(
      "hello from a file",
    );
  });

  it("what a server refuses is a result for the model, with the server's reason", async () => {
    const outside = await everything.result("mcp__files__read_text_file", { path: "/etc/hostname" });
    expect(outside.isError).toBe(true);
    await everything.call("mcp__memory__create_entities", {
      entities: [{ name: "a", entityType: "t", observations: ["o"] }],
    });
    expect(readFileSync(join(folder, "memory.jsonl"), "utf8")).toContain('"name":"a"');
  });
});

describe("a server that misbehaves", () => {
  let rogue: Kit;
  const open = async (config: Partial<ServerConfig> = {}, args: readonly string[] = []): Promise<Kit> => {
    const kit = managerOf([{ ...stdio("rogue", ROGUE, args), ...config }]);
    kit.manager.open();
    await kit.manager.ready(never);
    stops.push(() => void kit.close());
    return kit;
  };
  beforeAll(async () => {
    rogue = await open();
  });

  it("MC-01 killed in the middle of a call: an error result that says why, and the next call starts it again", async () => {
    const before = await rogue.call("mcp__rogue__pid");
    await expect(rogue.call("mcp__rogue__die")).rejects.toThrow(
      "The MCP server rogue failed: it ended with code 7: out of cheese. If it was at work, what it did is not known.",
    );
    expect(await rogue.call("mcp__rogue__pid")).not.toBe(before);
  });

  it.each([
    ["flood", "it sent more than 5000 messages in 10 s"],
    ["garbage", "it writes something other than MCP messages to stdout"],
    ["huge", "A line is longer than 16777216 bytes"],
  ])("that answers with a %s is ended, and works again afterwards", async (name, why) => {
    await expect(rogue.call(`mcp__rogue__${name}`)).rejects.toThrow(why);
    expect(await rogue.call("mcp__rogue__echo", { text: "still here" })).toBe("still here");
  });

  it("that answers thousands of calls at once floods nobody: answers were asked for", async () => {
    const { length } = await Promise.all(
      Array.from({ length: 5_200 }, () => rogue.call("mcp__rogue__echo", { text: "x" })),
    );
    expect(length).toBe(5_200);
  });

  it("that answers in another shape fails that call only", async () => {
    const pid = await rogue.call("mcp__rogue__pid");
    await expect(rogue.call("mcp__rogue__lie")).rejects.toThrow("The MCP server rogue failed");
    expect(await rogue.call("mcp__rogue__pid")).toBe(pid);
  });

  it("that hangs fails the call at its deadline and is started again", async () => {
    const hung = await open({ timeoutMs: 400 });
    const before = await hung.call("mcp__rogue__pid");
    await expect(hung.call("mcp__rogue__hang")).rejects.toThrow("it did not answer within 400 ms");
    await expect.poll(() => hung.warnings).toEqual(["MCP server rogue (mcp.json) failed: it no longer answers"]);
    expect(await hung.call("mcp__rogue__pid")).not.toBe(before);
    // This takes longer than the deadline, but reports progress.
    expect(await hung.call("mcp__rogue__slow")).toBe("done at last");
  });

  it("that cannot start is one warning with its file and its last words", async () => {
    const broken = await open({}, ["--crash"]);
    expect(broken.warnings).toEqual([
      "MCP server rogue (mcp.json) failed: it ended with code 3: no configuration found",
    ]);
    const missing = await open({ command: "no-such-program-anywhere" });
    expect(missing.warnings).toEqual([expect.stringContaining("no-such-program-anywhere")]);
  });

  it("whose variable is not set is one warning; variables, defaults, names and commands are filled in", async () => {
    const unset = await open({ env: { ROGUE_A: variable("NOT_THERE") } });
    expect(unset.warnings).toEqual(["MCP server rogue (mcp.json) failed: the variable NOT_THERE is not set"]);
    const kit = managerOf(
      [
        {
          ...stdio("rogue", ROGUE),
          env: {
            ROGUE_A: `x-${variable("SET")}`,
            ROGUE_B: variable("NOT_THERE:-or"),
            ROGUE_C: "SET",
            ROGUE_D: "!printf abc",
          },
        },
      ],
      { env: { SET: "value" } },
    );
    kit.manager.open();
    await kit.manager.ready(never);
    expect(JSON.parse(await kit.call("mcp__rogue__variables"))).toEqual({
      ROGUE_A: "x-value",
      ROGUE_B: "or",
      ROGUE_C: "value",
      ROGUE_D: "abc",
    });
    await kit.close();
  });
});
