// From the answer to a gate to the next gate, against a steered round: both are an answer of the host, a request and the next call, through
// the built command, by the fastest of many.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type RecordedRequest, startModelServer, type Turn, turn } from "@lathe/testkit";
import { type Bench, ratio } from "../../../scripts/bench-types.ts";

const CLI = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const ROUNDS = 120;

type Frame = Readonly<Record<string, unknown>> & { readonly type: string };

/** A host that sends frames and waits for the next one of a kind. */
class Host {
  readonly #child: ChildProcessWithoutNullStreams;
  #waiting: { readonly type: string; readonly resolve: (frame: Frame) => void } | undefined;

  constructor(env: Readonly<Record<string, string>>, cwd: string) {
    this.#child = spawn(process.execPath, [CLI, "--mode", "rpc", "--model", "openai/gpt-5"], { cwd, env });
    this.#child.stderr.resume();
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const frame = JSON.parse(line) as Frame;
      if (frame.type === this.#waiting?.type) this.#waiting.resolve(frame);
    });
  }

  next(type: string, ...messages: readonly object[]): Promise<Frame> {
    const answer = new Promise<Frame>((resolve) => {
      this.#waiting = { type, resolve };
    });
    for (const message of messages) this.#child.stdin.write(`${JSON.stringify(message)}\n`);
    return answer;
  }

  close(): void {
    this.#child.stdin.end();
  }
}

/** Each call differs from the one before: the same again and again would be a loop. */
const script = ({ index, text }: RecordedRequest): Turn =>
  text.includes('"interview"')
    ? turn.calls([{ name: "interview", args: { op: "ask", question: `Question ${index}?` } as never }])
    : turn.calls([{ name: "hold", args: { round: index } as never }]);

export const benches: Bench[] = [
  {
    name: "gate answer to next gate over a steered round",
    async run() {
      const server = await startModelServer({ script });
      const home = mkdtempSync(join(tmpdir(), "lathe-gates-bench-"));
      const env = {
        PATH: process.env["PATH"] ?? "",
        HOME: home,
        OPENAI_API_KEY: "bench",
        OPENAI_BASE_URL: server.baseUrl("openai"),
      };
      const asked = new Host(env, home);
      const steered = new Host(env, home);
      let gate = await asked.next("workflow_gate", { type: "prompt", message: "/skill:deep-interview a wall" });
      const hold = {
        name: "hold",
        description: "Waits",
        tier: "read",
        parameters: { type: "object", properties: { round: { type: "integer" } } },
      };
      let call = await steered.next(
        "host_tool_call",
        { type: "set_host_tools", tools: [hold] },
        { type: "prompt", message: "hello" },
      );
      const best = { gate: Number.POSITIVE_INFINITY, steer: Number.POSITIVE_INFINITY };
      for (let round = 0; round < ROUNDS; round++) {
        let begun = performance.now();
        const answer = { type: "workflow_gate_response", gate_id: gate["gate_id"], answer: "as you like" };
        gate = await asked.next("workflow_gate", answer);
        best.gate = Math.min(best.gate, performance.now() - begun);
        begun = performance.now();
        const result = { content: [{ type: "text", text: "as you like" }] };
        call = await steered.next(
          "host_tool_call",
          { type: "steer", message: "as you like" },
          { type: "host_tool_result", id: call["id"], result },
        );
        best.steer = Math.min(best.steer, performance.now() - begun);
      }
      asked.close();
      steered.close();
      await server.close();
      return ratio(best.gate, best.steer, { budget: 1.5, unit: "ms" });
    },
  },
];
