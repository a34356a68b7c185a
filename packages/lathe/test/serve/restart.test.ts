// The built server, killed during a turn and restarted: the page that follows a session continues.

import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { startModelServer, turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { LatheClient, type RpcSessionState } from "../../src/doors/serve/client.ts";
import { TokenFile } from "../../src/doors/serve/guard/token-file.ts";
import { homePaths } from "../../src/platform/home/paths.ts";
import { sandbox } from "../command.ts";

it("M1 a server that is killed in the middle of a turn goes on with it after its next start; none leaves a process behind", async () => {
  const box = await sandbox();
  let isHung = false;
  let hang: () => void = () => {};
  const model = await startModelServer({
    script: async ({ view }) => {
      const results = view.messages.flatMap((message) => message.results);
      if (results.length === 0) return turn.calls([{ name: "shell", args: { command: "echo made >> made.txt" } }]);
      if (isHung) return turn.text("It is made.");
      isHung = true;
      await new Promise<void>((resolve) => {
        hang = resolve;
      });
      return turn.text("Too late.");
    },
  });
  const env = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: model.baseUrl("openai") };
  const children: ReturnType<typeof box.start>[] = [];
  const start = async (port: string) => {
    const child = box.start(["serve", "--port", port], env);
    children.push(child);
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const ended = once(child, "close").then(([code]) => [`It ended with ${code}: ${said}`]);
    const [line = ""] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), ended]);
    expect(line).toMatch(/^Serving/);
    return { child, url: /http:\S+/.exec(line)?.[0] ?? "" };
  };
  try {
    const first = await start("0");
    const tokens = new TokenFile(homePaths(box.env, box.home).serveTokens, Date.now);
    const { token } = await tokens.add({ name: "test", scopes: ["read", "prompt", "admin"], lastsMs: 600_000 });
    const client = new LatheClient({ url: first.url, token });
    const id = await client.createSession({ cwd: box.dir, model: "openai/gpt-5.2", permissionMode: "full" });
    const connections: boolean[] = [];
    const seqs: number[] = [];
    const followed = (async () => {
      for await (const frame of client.follow(id, { onConnection: (is) => connections.push(is) })) {
        seqs.push(frame.seq);
        if (frame.kind === "snapshot" && isDone(frame.snapshot.state)) return;
        if (frame.kind === "event" && frame.event.type === "agent_end") return;
      }
    })();
    await client.command(id, "prompt", { message: "make it" });
    await model.waitForRequest(1);
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    await expect.poll(() => processesOf(box.home), { timeout: 20_000 }).toEqual([]);

    const second = await start(new URL(first.url).port);
    expect((await box.run(["serve", "link"])).stdout).toContain(`${first.url}/#code=`);
    await followed;
    // While there is no server, each try tells that there is none.
    expect(connections.filter((is, i) => is !== connections[i - 1])).toEqual([true, false, true]);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    // It is neither stricter nor freer than before: a session that had to ask still asks.
    expect((await client.command(id, "get_state")).permissionMode).toBe("full");
    await client.command(id, "set_permission_mode", { mode: "read-only" });
    await client.closeSession(id);
    expect((await client.command(id, "get_state")).permissionMode).toBe("read-only");
    expect(await client.command(id, "get_last_assistant_text")).toEqual({ text: "It is made." });
    expect(readFileSync(`${box.dir}/made.txt`, "utf8")).toBe("made\n");
    second.child.kill("SIGTERM");
    expect(await once(second.child, "exit")).toEqual([0, null]);
    expect(processesOf(box.home)).toEqual([]);
  } finally {
    for (const child of children) child.kill("SIGKILL");
    hang();
    await model.close();
    await box.remove();
  }
});

const isDone = (state: RpcSessionState): boolean =>
  !state.isStreaming && !state.unfinishedInput && state.messageCount > 3;

/** Processes with this home. */
function processesOf(home: string): string[] {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && environmentOf(pid).includes(`LATHE_HOME=${home}/`));
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return ""; // it has ended meanwhile
  }
}
