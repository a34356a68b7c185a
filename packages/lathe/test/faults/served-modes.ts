// The doors as modes: an editor that speaks ACP, and a client of `lathe serve`.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { messageOf } from "@lathe/llm";
import { LatheClient } from "../../src/doors/serve/client.ts";
import { TokenFile } from "../../src/doors/serve/guard/token-file.ts";
import { homePaths } from "../../src/platform/home/paths.ts";
import { Editor } from "../acp-kit.ts";
import type { InsideCommand } from "../machine.ts";
import { type FaultBench, MODEL, SOUND_ANSWER } from "./bench.ts";
import { FAULTY_ANSWER } from "./server-faults.ts";
import type { Ended, Talk } from "./talk.ts";

export const ACP_ARGS = ["acp", "--model", MODEL, "--permission-mode", "full"];
export const SERVE_ARGS = ["serve", "--port", "0"];

const ANSWERS = [SOUND_ANSWER, FAULTY_ANSWER];

/** Text cut off before another attempt precedes the answer: an editor cannot take it back. */
function endedWith(said: string, otherwise: string): Ended {
  const answer = ANSWERS.find((one) => said.endsWith(one));
  return answer === undefined ? { how: "error", words: otherwise } : { how: "answer", words: answer };
}

const failure = (error: unknown): Ended => ({ how: "error", words: messageOf(error) });

export async function talkInEditor(
  agent: ChildProcessWithoutNullStreams | InsideCommand,
  { box }: FaultBench,
): Promise<Talk> {
  const editor = new Editor(agent);
  await editor.initialize();
  const { sessionId } = await editor.create(box.dir);
  return {
    async say(text) {
      const from = editor.text().length;
      try {
        const { stopReason } = await editor.prompt(sessionId, text);
        if (stopReason !== "end_turn") return { how: "error", words: stopReason };
        return endedWith(editor.text().slice(from), "an empty answer");
      } catch (error) {
        return failure(error);
      }
    },
    async leave() {
      await editor.leave();
      return agent.exitCode ?? -1;
    },
  };
}

/** The token must exist before a fault of the machine. */
export async function addToken({ box }: FaultBench): Promise<string> {
  const tokens = new TokenFile(homePaths(box.env, box.home).serveTokens, Date.now);
  return (await tokens.add({ name: "test", scopes: ["read", "prompt", "admin"], lastsMs: 600_000 })).token;
}

/** Rejects if the server ends before it listens. */
export async function clientOf(server: ChildProcessWithoutNullStreams, token: string): Promise<LatheClient> {
  const ended = once(server, "close").then(() => Promise.reject(new Error("the server has ended")));
  ended.catch(() => {}); // it ends at some point
  const lines = createInterface({ input: server.stdout });
  const [line] = (await Promise.race([once(lines, "line"), ended])) as [string];
  return new LatheClient({ url: /http:\S+/.exec(line)?.[0], token });
}

export async function talkToServer(
  server: ChildProcessWithoutNullStreams,
  { box }: FaultBench,
  token: string,
): Promise<Talk> {
  const client = await clientOf(server, token);
  const id = await client.createSession({ cwd: box.dir, model: MODEL, permissionMode: "full" });
  return {
    async say(message) {
      const { seq } = await client.openSession(id);
      const ended = follow(client, id, seq);
      try {
        await client.command(id, "prompt", { message });
      } catch (error) {
        ended.leave();
        return failure(error);
      }
      return ended.outcome;
    },
    async leave() {
      server.kill("SIGTERM");
      const [code] = (await once(server, "close")) as [number | null];
      return code ?? -1;
    },
  };
}

/** Resolves with the end of the next work. */
function follow(client: LatheClient, id: string, after: number) {
  const leaving = new AbortController();
  const read = async (): Promise<Ended> => {
    let said = "";
    let warning = "an empty answer";
    let problem: string | undefined;
    for await (const frame of client.follow(id, { after, signal: leaving.signal })) {
      if (frame.kind === "closed") return { how: "error", words: frame.problem ?? "closed" };
      if (frame.kind !== "event") continue;
      const { event } = frame;
      if (event.type === "message_end" && event.message.role === "assistant")
        said = event.message.content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("");
      if (event.type === "lathe:warning") warning = event.message;
      if (event.type === "lathe:error") problem = event.message;
      if (event.type !== "agent_end") continue;
      const reason = event.error ?? (event.reason === "completed" ? undefined : (problem ?? event.reason));
      return reason === undefined ? endedWith(said, warning) : { how: "error", words: String(reason) };
    }
    return { how: "error", words: "the stream has ended" };
  };
  return { outcome: read(), leave: () => leaving.abort() };
}
