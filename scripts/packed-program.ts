// A program that uses every typed entry of the package `lathe` as its README and docs show. `npm run check` compiles it
// where no other package of ours is installed. It is never run.

import {
  type AgentSession,
  type CommandData,
  createAgentSession,
  type HostTool,
  type ModelRow,
  RpcClient,
  type RpcSessionState,
  SessionManager,
  type UiHandler,
} from "lathe";
import { LatheClient, LatheServerError, type SessionRow } from "lathe/client";
import type { ExtensionApi } from "lathe/extension";

const weather: HostTool = {
  name: "weather",
  description: "The weather in a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  tier: "read",
  execute: ({ city }) => `It rains in ${city}.`,
};

/** False for `any`, which a type becomes that does not resolve. */
type IsKnown<T> = 0 extends T & 1 ? false : true;
const isKnown: [
  IsKnown<AgentSession>,
  IsKnown<CommandData<"get_state">>,
  IsKnown<ExtensionApi>,
  IsKnown<Parameters<HostTool["execute"]>[0]>,
  IsKnown<ModelRow>,
  IsKnown<RpcSessionState["model"]>,
  IsKnown<SessionRow["id"]>,
  IsKnown<UiHandler>,
] = [true, true, true, true, true, true, true, true];

export async function inside(): Promise<string> {
  const session = await createAgentSession({
    model: "anthropic/claude-sonnet-4-5",
    session: "memory",
    customTools: [weather],
  });
  session.subscribe((event) => {
    if (event.type === "tool_execution_end") console.log(event.card.verb, event.card.subject);
  });
  const { text } = await session.prompt("What should I wear in Oslo today?");
  await session.close();
  return text;
}

export async function beside(): Promise<void> {
  const agent = new RpcClient({ args: ["--model", "anthropic/claude-sonnet-4-5"], cwd: process.cwd() });
  await agent.start();
  agent.onUiRequest((request) => (request.method === "confirm" ? { confirmed: true } : undefined));
  agent.onEvent((event) => {
    if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
      process.stdout.write(event.assistantMessageEvent.delta);
  });
  await agent.setHostTools([weather]);
  await agent.prompt("fix the failing test");
  await agent.waitForIdle();
  await agent.stop();
}

export async function overHttp(): Promise<void> {
  const client = new LatheClient({ url: "http://127.0.0.1:4096", token: process.env.LATHE_TOKEN });
  const id = await client.createSession({ cwd: "/home/me/app" });
  await client.command(id, "prompt", { message: "run the tests" });
  for await (const frame of client.follow(id)) console.log(frame.kind);
}

export default function extension(lathe: ExtensionApi): void {
  lathe.registerTool({
    name: "weather",
    label: "Weather",
    description: "The weather in a city",
    parameters: weather.parameters,
    execute: async () => ({ content: [{ type: "text", text: "It rains." }], details: undefined }),
  });
}

export { isKnown, LatheServerError, SessionManager };
