import { type ModelServer, startModelServer, turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { Client } from "../../src/client/client.ts";
import { findLeak } from "../../src/guard/detect.ts";
import { type HarmonyGuardOptions, harmonyGuard } from "../../src/guard/harmony.ts";
import { createProvider } from "../../src/providers/index.ts";
import { Message } from "../../src/types/message.ts";
import { depsWith } from "../providers/kit.ts";

const code =
  "export function add(a: number, b: number) {\n  return a + b;\n}\nconst total = add(1, 2);\nconsole.log(total);\n";

const leaks: readonly [string, string][] = [
  ["analysis", `${code}analysis to=functions.edit code above`],
  ["assistant", `${code}assistant to=functions.edit code {"path":"a.ts"}`],
  ["commentary", `${code}commentary to=functions.read code`],
  ["user", `${code}user to=functions.edit code more`],
  ["channel word after brackets of a title", `${code}】【"】【analysis to=functions.edit code above`],
  ["channel word after Thai", `${code}เงินไทยฟรีuser to=functions.edit code x`],
  ["Japgolly", `${code}Japgolly to=functions.edit code x`],
  ["Jsii", `${code}Jsii to=functions.eval code x`],
  ["Jsii_commentary", `${code}Jsii_commentary to=functions.eval code x`],
  ["changedFiles", `${code}changedFiles to=functions.edit code x`],
  ["RTLU", `${code}RTLU to=functions.edit code x`],
  ["glitch word and punctuation", `${code}changedFiles】【 to=functions.edit code x`],
  ["Chinese before", `${code}大发时时彩 to=functions.edit code x`],
  ["Cyrillic before", `${code}казино to=functions.search code x`],
  ["Georgian before", `${code}თამაში to=functions.edit code x`],
  ["Armenian before", `${code}խաղ to=functions.edit code x`],
  ["Telugu after", `${code}} to=functions.edit code ఆట`],
  ["Arabic after", `${code}to=functions.edit code لعبة`],
  ["two markers, the second with the word", `${code}to=functions.edit code\n${code}analysis to=functions.edit code`],
  ["at the very beginning", "天天中彩票 to=functions.edit code x"],
];

const lookalikes: readonly [string, string][] = [
  ["a bare marker in code", `${code}const route = "to=functions.edit";`],
  ["a bare marker in prose", "The header ends in to=functions.edit and the runtime strips it."],
  ["the real envelope", "<|start|>assistant<|channel|>commentary to=functions.edit<|message|>{}<|call|>"],
  ["the envelope in a document", "It reads `<|channel|>analysis to=functions.read` in the log."],
  ["a quoted leak in a test", 'expect(findLeak("analysis to=functions.edit")).toBe(3);'],
  ["a leak in backticks", "We saw `analysis to=functions.edit` in the arguments."],
  ["a regular expression", "const marker = /to=functions\\.(\\w+)/;"],
  ["a format string", "printf('to=functions.%s', name)"],
  ["JSON with the marker", '{"header":"to=functions.x","n":1}'],
  ["a URL parameter", "https://example.test/?to=functions.html&user=1"],
  ["an assignment in shell", "to=functions.sh; cp $to /tmp"],
  [
    "Thai prose",
    "เอกสารนี้อธิบายวิธีเรียกเครื่องมือ ตัวอย่างเช่น to=functions.edit หมายถึงการแก้ไขไฟล์ และผู้ใช้สามารถดูรายละเอียดเพิ่มเติมได้ในบทถัดไปของคู่มือ",
  ],
  [
    "Chinese prose",
    "本文档介绍工具调用的格式。消息头包含 to=functions.edit 字段，运行时会将其删除。更多内容请参见下一章，其中有完整的例子和说明。",
  ],
  [
    "Russian prose",
    "В этом документе описан формат вызова инструментов. Заголовок содержит to=functions.edit и удаляется средой выполнения перед передачей аргументов.",
  ],
  ["Russian strings without a marker", `${code}// комментарий на русском языке\n`],
  ["the word analysis without a marker", "analysis of functions.edit shows no change"],
  ["the word user elsewhere", "The user asked for to=functions.read in the log."],
  ["another namespace", "analysis to=tools.edit code"],
  ["a hyphenated word", "meta-analysis to=functions.edit is a odd sentence"],
  ["glitch words alone", "const changedFiles = RTLU + Jsii;"],
];

describe("HL-01 detection", () => {
  it.each(leaks)("HL-01 G-68 A-307 leak: %s; nothing after its first marker is kept", (_, text) => {
    expect(findLeak(text)).toBe(text.indexOf("to=functions."));
  });
  it.each(lookalikes)("HL-01 G-68 A-307 look-alike: %s", (_, text) => {
    expect(findLeak(text)).toBeUndefined();
  });
  it("HL-01 a sign that is not right before a marker is none", () => {
    for (const [, text] of leaks.slice(0, 4))
      expect(findLeak(text.replace(" to=functions", " says to=functions"))).toBeUndefined();
  });
});

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function clientOf(args: object, options?: HarmonyGuardOptions, id = "openai") {
  await server?.close();
  const answer = turn.calls([
    { name: "edit", args },
    { name: "read", args: { path: "ok.ts" } },
  ]);
  server = await startModelServer({ script: [answer, answer], strict: false });
  const deps = depsWith({});
  const adapter = createProvider(id, { deps, baseUrl: server.baseUrl("openai"), apiKey: "k" });
  return new Client({ providers: { [id]: adapter }, middleware: [harmonyGuard(options)], deps });
}
const dirty = { path: "a.ts", edits: [{ text: leaks[4]![1] }] };
const ask = { model: "gpt-5.4", messages: [Message.user("edit")] };

describe("HL-01 middleware", () => {
  it("HL-01 a polluted call is invalid in the answer and at the end of its stream; the other call is untouched", async () => {
    const client = await clientOf(dirty);
    const response = await client.complete(ask);
    const calls = [];
    let streamed: typeof response | undefined;
    for await (const event of client.stream(ask)) {
      if (event.type === "tool_call_end") calls.push(event.toolCall);
      if (event.type === "finish") streamed = event.response;
    }
    for (const [first, second] of [response.toolCalls, streamed!.toolCalls, calls] as const) {
      expect(first).toMatchObject({
        name: "edit",
        arguments: {},
        rawArguments: expect.stringMatching(/send the call again/),
      });
      expect(second).toMatchObject({ name: "read", arguments: { path: "ok.ts" } });
    }
    expect(response.warnings.map(({ code }) => code)).toEqual(["harmony_leak"]);
    expect(JSON.stringify(response.message)).not.toContain("functions.edit");
    expect(response.toolCalls[1]).not.toHaveProperty("rawArguments");
  });

  it("HL-01 clean calls, other models, other providers and a switched-off guard pass untouched", async () => {
    const clean = await clientOf({ path: "a.ts", text: lookalikes[0]![1] });
    expect((await clean.complete(ask)).warnings).toEqual([]);
    const off = await clientOf(dirty, { enabled: false });
    expect((await off.complete(ask)).toolCalls[0]?.arguments).toEqual(dirty);
    const older = await clientOf(dirty);
    expect((await older.complete({ ...ask, model: "gpt-4.1" })).toolCalls[0]?.arguments).toEqual(dirty);
    const other = await clientOf(dirty, undefined, "xai");
    const response = await other.complete(ask);
    expect([response.toolCalls[0]?.arguments, response.warnings]).toEqual([dirty, []]);
    for await (const event of other.stream(ask))
      if (event.type === "finish") expect(event.response.toolCalls[0]?.arguments).toEqual(dirty);
  });

  it.each(["gpt-5.4", "gpt-5.3-codex", "gpt-5"])("HL-01 %s is watched, on Azure too", async (model) => {
    for (const id of ["openai", "azure-openai"]) {
      const client = await clientOf(dirty, undefined, id);
      expect((await client.complete({ ...ask, model })).warnings.map(({ code }) => code)).toEqual(["harmony_leak"]);
    }
  });

  it("HL-01 a line-oriented tool that opts in keeps its clean beginning, others do not", async () => {
    const response = {
      message: {
        role: "assistant" as const,
        content: [
          {
            kind: "tool_call" as const,
            toolCall: {
              id: "c",
              name: "patch",
              type: "custom" as const,
              arguments: `+ good line\n+ bad ${leaks[0]![1]}`,
            },
          },
        ],
      },
    };
    const through = (options: HarmonyGuardOptions) =>
      harmonyGuard(options).complete!(
        { ...ask, provider: "openai" },
        async () => ({ warnings: [], ...response }) as never,
      );
    const saved = await through({ salvage: (_, clean) => clean.slice(0, clean.indexOf("\n") + 1) });
    expect(saved.message.content[0]).toMatchObject({ toolCall: { type: "custom", arguments: "+ good line\n" } });
    const refused = await through({});
    expect(refused.message.content[0]).toMatchObject({
      toolCall: { arguments: {}, rawArguments: expect.stringContaining("withheld") },
    });
  });
});
