// A host program that uses most of what the libraries export, in the strictest mode of the compiler. `npm run check` compiles it
// against the packed tarballs, with and without exactOptionalPropertyTypes. It is never run.

import {
  type AgentEvent,
  type Answerer,
  type ApprovalAnswer,
  type CallInfo,
  CodingAgent,
  type ConfigInput,
  createSession,
  defineProfile,
  defineSessionTool,
  FAMILIES,
  type InputOutcome,
  LocalEnvironment,
  MemoryEnvironment,
  type Middleware,
  openJournalFile,
  type Preview,
  Session,
  type SessionEvent,
  type SessionTool,
  type ToolDef,
  type ToolResult,
  type Turn,
  toAgentEvents,
} from "@lathe/agent";
import {
  Client,
  type ClientMiddleware,
  defaultDeps,
  defineTool,
  generate,
  generateObject,
  type ToolCallResult,
} from "@lathe/llm";
import { RpcClient, type RpcSessionState, type WireEvent } from "lathe";
import { Type } from "typebox";
import * as z from "zod";

const maybe: string | undefined = process.env["NOT_SET"];
const maybeNumber: number | undefined = undefined;
const deps = defaultDeps({ env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" } });

const weather = defineTool({
  name: "weather",
  description: "x",
  parameters: z.object({ city: z.string(), days: z.number().optional() }),
  execute: ({ city, days }) => `${city.length} ${days?.toFixed()}`,
});
const box = defineTool({
  name: "box",
  description: "x",
  parameters: Type.Object({ a: Type.Optional(Type.String()) }),
  execute: ({ a }) => a ?? null,
});
const plain = defineTool({
  name: "plain",
  description: "x",
  parameters: {
    type: "object",
    properties: { n: { type: "integer" }, tags: { type: "array", items: { type: "string" } } },
    required: ["n"],
  },
  execute: ({ n, tags }) => n + (tags?.length ?? 0),
});
const full = defineSessionTool({
  name: "full",
  description: "x",
  parameters: z.object({ path: z.string() }),
  tier: "read",
  replay: "safe",
  label: maybe,
  timeoutMs: maybeNumber,
  access: ({ path }, { env }) => [{ kind: "read", path: env.resolve(String(path)) }],
  execute: async ({ path }, { env, onOutput, services }) => {
    onOutput("x", "stdout");
    const q = await services.answerer?.([{ id: "1", question: "?", options: [] }], AbortSignal.timeout(1));
    services.jobs?.list();
    services.facts?.read("x");
    return {
      content: [{ kind: "text", text: await env.readFile(path) }],
      details: { q: q?.length ?? 0 },
      isError: undefined,
    };
  },
});
const written: ToolDef = {
  name: "w",
  label: "w",
  description: "w",
  schema: { type: "object" },
  tier: "exec",
  replay: "never",
  execute: (args) => Object.keys(args).join(),
};
const tools: readonly SessionTool[] = [weather, box, plain, full, written];

const hooks: Middleware = {
  name: "h",
  timeoutMs: undefined,
  approve: async (_call: CallInfo) => ({ decision: "ask", reason: undefined, by: maybe }),
  afterCall: (_c, result): ToolResult => ({ ...result, isError: undefined }),
};
const logging: ClientMiddleware = { complete: (request, next) => next(request) };
const config: ConfigInput = {
  maxTurns: maybeNumber,
  retry: { maxRetries: maybeNumber },
  budget: { usd: maybeNumber },
  reasoningEffort: maybe,
};
const answerer: Answerer | undefined = undefined;

async function main(): Promise<void> {
  const session = await createSession({
    model: "anthropic/claude-opus-4-6",
    cwd: process.cwd(),
    deps,
    apiKey: maybe,
    baseUrl: maybe,
    tools,
    config,
    middleware: [hooks],
    services: { answerer },
    onEvent: undefined,
    journal: undefined,
  });
  session.registerTool({
    name: "inline",
    description: "d",
    parameters: { type: "object" },
    execute: (args, { toolCallId }) => `${Object.keys(args).length} ${toolCallId}`,
  });
  session.registerTool({
    name: "inline2",
    label: "l",
    description: "d",
    schema: { type: "object" },
    tier: "read",
    replay: "safe",
    execute: (args, { env }) => `${Object.keys(args).length} ${env.workingDirectory()}`,
  });
  const answer: ApprovalAnswer = { decision: "allow", by: "me", reason: maybe };
  session.answerApproval("x", answer);
  const turns: Turn[] = session.history;
  const kinds = (event: SessionEvent): string => {
    switch (event.kind) {
      case "tool_call_end":
        return event.data.tool_name;
      case "processing_end":
        return event.data.error?.message ?? "";
      default:
        return event.kind;
    }
  };
  const children = session.subagents.list().map((child) => child.status);
  const profile = defineProfile(FAMILIES.anthropic, {
    model: "m",
    provider: maybe,
    only: undefined,
    basePrompt: maybe,
    tools: [weather, full],
  });
  const env = new LocalEnvironment({ cwd: "/", baseEnv: process.env, owner: maybe, roots: undefined });
  const other = new Session({
    profile,
    env,
    client: Client.fromEnv({ deps, env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: maybe } }),
    deps,
    journal: openJournalFile({ path: "task.jsonl", cwd: "/", deps, blobs: maybe }),
    sharedEnv: undefined,
  });
  const outcome: InputOutcome = await other.submit("x");
  const agent = new CodingAgent({
    config: { model: "openai/gpt-5", apiKey: maybe },
    workingDirectory: "/",
    deps,
    session: { client: undefined, env: undefined, config: { maxTurns: undefined } },
  });
  const map = toAgentEvents();
  const got: AgentEvent[] = [];
  for await (const e of agent.prompt("x")) got.push(e);
  const { output } = await generateObject({
    model: "m",
    prompt: "x",
    schema: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
  });
  const a: string = output.a;
  const { steps } = await generate({
    model: "m",
    prompt: "x",
    tools: [weather, box, plain],
    maxTokens: maybeNumber,
    client: undefined,
  });
  const results: readonly ToolCallResult[] = steps[0]?.toolResults ?? [];
  const rpc = new RpcClient({ cwd: maybe });
  const st: RpcSessionState = await rpc.getState();
  await rpc.prompt("x", { images: undefined });
  const p: Preview = { lines: [{ text: "x", kind: undefined }], shows: [], plan: maybe };
  new MemoryEnvironment({ files: undefined, cwd: maybe });
  const w: WireEvent["type"] = "agent_start";
  console.log(logging, turns, kinds, children, outcome.error, map, a, results, st, p, w, other.config);
}

void main;
