// Scripts for sessions whose agents send each other messages.

import { type Request, textOf } from "@lathe/llm";
import { ircTool } from "../../src/tools/builtin/irc/index.ts";
import { agentProfile, batch, builder, cast, explore, firstText } from "./agents.ts";
import type { ScriptedTurn } from "./scripted-client.ts";
import { type SetupOptions, setUp } from "./session.ts";

export const irc = (args: object, id = "m"): ScriptedTurn => ({ calls: [{ name: "irc", args: args as never, id }] });
export const send = (to: string, message: string, more: object = {}, id = "m") =>
  irc({ op: "send", to, message, ...more }, id);
/** Timers come in between. */
export const later = (turn: ScriptedTurn): ScriptedTurn => ({
  ...turn,
  before: () => new Promise((resolve) => setImmediate(resolve)),
});
export const lastText = (request: Request) => textOf(request.messages.at(-1)!);
export const textsIn = (request: Request) => request.messages.filter(({ role }) => role === "user").map(textOf);
export const parts = async () => [explore, { ...builder, spawns: "*" as const }];

export const start = (script: Parameters<typeof cast>[0], options: Partial<SetupOptions> = {}) =>
  setUp({
    profile: agentProfile([ircTool as never]),
    ...options,
    subagents: { types: parts, irc: {}, ...options.subagents },
    script: cast(script),
    config: { maxSubagentDepth: 3, ...options.config },
  });
export type Started = ReturnType<typeof start>;
/** The last request of the conversation whose first message contains this. */
export const lastOf = (s: Started, words: string) =>
  s.client.requests.filter((request) => firstText(request).includes(words)).at(-1)!;
export const toolTexts = (request: Request) =>
  request.messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.kind === "tool_result" ? [String(part.toolResult.content)] : [])),
  );

export const A = batch([{ id: "A", assignment: "look" }]);
