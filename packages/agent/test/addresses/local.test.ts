import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Request } from "@lathe/llm";
import { textOf } from "@lathe/llm";
import { expect, it } from "vitest";
import type { ToolDef } from "../../src/contract/tool.ts";
import { localAddresses } from "../../src/files/scratch/local-addresses.ts";
import { readTool } from "../../src/tools/builtin/read/index.ts";
import { spawnAgentTool } from "../../src/tools/builtin/spawn-agent/index.ts";
import { waitTool } from "../../src/tools/builtin/wait/index.ts";
import { writeTool } from "../../src/tools/builtin/write/index.ts";
import { MemoryEnvironment } from "../../src/world/env/memory.ts";
import { resultText, type ScriptedTurn } from "../support/scripted-client.ts";
import { setUp, testProfile } from "../support/session.ts";

const { signal } = new AbortController();

it("T-WRITE-5 IU-02 what the parent writes to local:// is read by its child, and the other way round", async () => {
  const said: string[] = [];
  const isChild = (request: Request) => textOf(request.messages.find(({ role }) => role === "user")!) === "child";
  const call = (name: string, args: Record<string, string>, id: string): ScriptedTurn => ({
    calls: [{ name, args, id }],
  });
  const steps = {
    parent: [
      () => call("write", { path: "local://ctx.md", content: "from the parent\n" }, "w"),
      () => call("spawn_agent", { task: "child" }, "s"),
      (request: Request) => call("wait", { agent_id: JSON.parse(resultText(request, "s")).agent_id }, "wait"),
      () => call("read", { path: "local://" }, "l"),
      (request: Request) => {
        said.push(resultText(request, "l"));
        return { text: "done" };
      },
    ],
    child: [
      () => call("read", { path: "local://ctx.md" }, "r"),
      (request: Request) => {
        said.push(resultText(request, "r"));
        return call("write", { path: "local://answer/a.md", content: "from the child" }, "w");
      },
      () => ({ text: "done" }),
    ],
  };
  const s = setUp({
    env: new MemoryEnvironment(),
    profile: testProfile([readTool, writeTool, spawnAgentTool, waitTool] as unknown as ToolDef[]),
    script: (request) => {
      const turn = request.messages.filter(({ role }) => role === "assistant").length;
      return steps[isChild(request) ? "child" : "parent"][turn]!(request);
    },
  });
  await s.session.submit("parent");
  await s.session.close();
  expect(said).toEqual(["1:from the parent", "local://answer/a.md\nlocal://ctx.md"]);
});

it("T-WRITE-5 texts beside a session survive it; names that lead out are refused", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-local-")));
  try {
    const write = (url: string) => localAddresses(() => folder, Math.random).write!(url, "x", signal);
    await write("local://a/b.md");
    for (const url of ["local://../x", "local://a/../../x", "local:///etc/x", "local://", "local://a//b"]) {
      await expect(write(url), url).rejects.toThrow("A local address is local://<name>");
    }
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(["local", "local/a", "local/a/b.md"]);
    const again = localAddresses(() => folder, Math.random);
    expect(await again.read!("local://a/b.md", signal)).toMatchObject({ bytes: Buffer.from("x") });
    await expect(again.read!("local://none", signal)).rejects.toThrow("There are local://a/b.md.");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("T-WRITE-5 a name that ends like lines of a text is not written, as it could not be read again", async () => {
  const local = localAddresses(() => undefined, Math.random);
  await expect(local.write!("local://a.md:3", "x", signal)).rejects.toThrow("ends like a line selector");
  await local.write!("local://a:b.md", "x", signal);
});
