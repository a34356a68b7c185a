// What it costs to read calls out of the text: the same answers, with native calls and with calls as text, one after the other.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Bench, ratio } from "../../../scripts/bench-types.ts";
import { defaultDeps } from "../src/deps.ts";
import { withTextCalls } from "../src/middleware/text-calls.ts";
import { createProvider } from "../src/providers/index.ts";
import type { ProviderAdapter } from "../src/types/adapter.ts";
import { Message } from "../src/types/message.ts";
import type { Request } from "../src/types/request.ts";

const WORDS = 1_500;
const ROUNDS = 160;
const WARM_UP = 20;
const ARGUMENTS = JSON.stringify({ file_path: "a.txt", content: "line of words\n".repeat(40) });

const chunk = (delta: object, reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
const inPieces = (text: string): string[] => text.match(/[\s\S]{1,16}/g) ?? [];
const said = Array.from({ length: WORDS }, (_, nth) => chunk({ content: `word ${nth} ` })).join("");
const native =
  said +
  inPieces(ARGUMENTS)
    .map((piece, nth) =>
      chunk({
        tool_calls: [
          {
            index: 0,
            ...(nth === 0 ? { id: "call_1", type: "function" } : {}),
            function: { ...(nth === 0 ? { name: "write" } : {}), arguments: piece },
          },
        ],
      }),
    )
    .join("") +
  chunk({}, "tool_calls");
const asText =
  said +
  inPieces(`\n<tool_call>\n{"name": "write", "arguments": ${ARGUMENTS}}\n</tool_call>`)
    .map((piece) => chunk({ content: piece }))
    .join("") +
  chunk({}, "stop");

const tools = [
  {
    name: "write",
    description: "Writes a file",
    parameters: { type: "object", properties: { file_path: { type: "string" }, content: { type: "string" } } },
  },
];
const history = Array.from({ length: 40 }, (_, nth) =>
  nth % 2 === 0 ? Message.user(`question ${nth} `.repeat(40)) : Message.assistant(`answer ${nth} `.repeat(40)),
);
const request: Request = {
  model: "m",
  messages: [Message.system("You are a coder."), ...history, Message.user("go")],
  tools,
};

async function oneAnswer(adapter: ProviderAdapter): Promise<number> {
  const began = performance.now();
  let calls = 0;
  for await (const event of adapter.stream(request, {})) if (event.type === "tool_call_end") calls++;
  if (calls !== 1) throw new Error(`${calls} calls instead of one`);
  return performance.now() - began;
}

/** Of a quiet moment: the machine is busy with other things, too. */
const lowerQuarter = (times: number[]): number => times.sort((a, b) => a - b)[Math.floor(times.length / 4)]!;

export const benches: readonly Bench[] = [
  {
    name: "an answer of 1,500 words with a call: call as text against native",
    async run() {
      const server = createServer((incoming, response) => {
        incoming.resume();
        incoming.on("end", () => {
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.end(`${incoming.url?.includes("text") ? asText : native}data: [DONE]\n\n`);
        });
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const deps = defaultDeps({ env: {} });
      const open = (path: string) =>
        createProvider("lm-studio", { apiKey: "none", baseUrl: `${url}/${path}/v1`, deps });
      const plain = open("native");
      const textual = withTextCalls(open("text"), { guide: "{{tools}}", startsAsText: () => true, newId: deps.uuid });
      const times = { plain: [] as number[], textual: [] as number[] };
      const ways = { plain, textual };
      for (let round = 0; round < ROUNDS + WARM_UP; round++)
        // In turns: whoever comes second pays for what the first has left behind.
        for (const way of round % 2 === 0 ? (["plain", "textual"] as const) : (["textual", "plain"] as const)) {
          const took = await oneAnswer(ways[way]);
          if (round >= WARM_UP) times[way].push(took);
        }
      await Promise.all([plain.close?.(), textual.close?.()]);
      server.close();
      return ratio(lowerQuarter(times.textual), lowerQuarter(times.plain), { budget: 1.1, unit: "ms" });
    },
  },
];
