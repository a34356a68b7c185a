// Messages between the agents of a session.

import type { JsonValue } from "@lathe/llm";
import { choice, flag, number, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { IrcMessage, IrcPeer, IrcService, Receipt, Waited } from "../../../contract/irc.ts";
import { type ToolContext, type ToolDef, ToolFailure, type ToolResult } from "../../../contract/tool.ts";
import { COLLAPSED_LINES, countOf, markdown, verbOf } from "../card.ts";
import { AGENT_OUTPUT } from "../output.ts";
import description from "./description.md";

/** The tool's description says which parameters each operation takes. */
const params = {
  op: choice(["send", "wait", "inbox", "list"]),
  to: optional(text()),
  message: optional(text()),
  replyTo: optional(text()),
  await: optional(flag()),
  from: optional(text()),
  timeoutMs: optional(number("wait, send with await: milliseconds to wait; 0 waits without a limit")),
  peek: optional(flag()),
};
type Args = StaticFields<typeof params>;

const tool: ToolDef<Args> = {
  name: "irc",
  feature: "irc",
  label: "Message",
  description: description.trim(),
  schema: object(params),
  // A message changes nothing by itself: what its reader does is judged as that agent's own call.
  tier: "read",
  // A repeated call finds the message that it has already sent.
  replay: "safe",
  sessionOnly: true,
  // Waiting has its own limit.
  timeoutMs: 0,
  needs: ["irc"],
  output: AGENT_OUTPUT,
  summary: ({ op, to, from }) => [op, to ?? from].filter((part) => part !== undefined).join(" "),
  card: ({ op, to, message, from }, result) => ({
    verb: verbOf(VERBS[op], result),
    subject: op === "send" ? `${to}: ${message}` : (from ?? ""),
    body: result ? markdown(result.text, COLLAPSED_LINES) : undefined,
  }),
  execute(args, context) {
    const irc = context.services.irc!;
    switch (args.op) {
      case "list":
        return list(irc);
      case "send":
        return send(irc, args, context);
      case "wait":
        return wait(irc, args, context);
      case "inbox":
        return inbox(irc, args, context);
    }
  },
};

/** The tool for messages between the agents of a session. */
export const ircTool: ToolDef = tool as unknown as ToolDef;

const VERBS = {
  send: ["Sending to", "Sent to", "Send to"],
  wait: ["Waiting for a message", "Waited for a message", "Wait for a message"],
  inbox: ["Reading messages", "Read messages", "Read messages"],
  list: ["Listing agents", "Listed agents", "List agents"],
} as const;

function list(irc: IrcService): ToolResult {
  const peers = irc.peers();
  const lines = peers.map(peerLine);
  const head = peers.length === 0 ? ["No other agents."] : [`${countOf(peers.length, "other agent")}:`];
  const foot = peers.some(({ state, isGone }) => state === "parked" && !isGone)
    ? ["A message wakes a parked agent."]
    : [];
  return answer([...head, ...lines, ...foot], { op: "list", peers: peers as unknown as JsonValue });
}

function peerLine({ id, agent, state, isGone, description: task, unread }: IrcPeer): string {
  const facts = [...(agent === undefined ? [] : [agent]), isGone ? "ended" : state];
  if (unread > 0) facts.push(`${unread} unread`);
  return `- ${id} [${facts.join(", ")}]${task ? ` ${task}` : ""}`;
}

async function send(irc: IrcService, args: Args, { callId, signal }: ToolContext): Promise<ToolResult> {
  const { to = "", message = "", replyTo, timeoutMs } = args;
  if (args.from !== undefined)
    throw new ToolFailure("from is for wait: a message always comes from the agent that sends it. Omit it.");
  if (args.await && to.trim().toLowerCase() === "all")
    throw new ToolFailure('await needs one agent to wait for; "all" is several. Send without await, then wait.');
  const receipts = await irc.send({ to, text: message, replyTo, callId });
  const isError = receipts.every(({ outcome }) => outcome === "failed");
  const lines = receipts.map(receiptLine);
  const details = { op: "send", from: irc.self, to, receipts: receipts as unknown as JsonValue };
  const [receipt] = receipts;
  if (!args.await || isError || !receipt) return answer(lines, details, isError);
  const waited = await irc.wait({ from: receipt.to, timeoutMs, callId, signal });
  return answer([...lines, ...waitedLines(waited, receipt.to)], { ...details, waited: messageIn(waited) });
}

function receiptLine({ to, outcome, id, error, dropped }: Receipt): string {
  if (outcome === "failed") return `${to}: failed. ${error}`;
  return `${to}: ${outcome} [${id}]${dropped ? " (its mailbox was full: the oldest message was dropped)" : ""}`;
}

async function wait(irc: IrcService, args: Args, { callId, signal }: ToolContext): Promise<ToolResult> {
  const waited = await irc.wait({ from: args.from, timeoutMs: args.timeoutMs, callId, signal });
  const isError = waited.kind === "refused";
  return answer(waitedLines(waited, args.from), { op: "wait", waited: messageIn(waited) }, isError);
}

function waitedLines(waited: Waited, from: string | undefined): string[] {
  if (waited.kind === "message") return [messageLine(waited.message)];
  if (waited.kind === "timeout")
    return [`No message within ${waited.ms} ms. A later one reaches you without a call; do not send the same again.`];
  const result = from === undefined ? "" : ` What it has finished is at agent://${from}.`;
  return [`Not waiting: ${waited.why}${result} Go on without an answer.`];
}

const messageIn = (waited: Waited): JsonValue =>
  waited.kind === "message" ? (waited.message as unknown as JsonValue) : null;

function inbox(irc: IrcService, { peek = false }: Args, { callId }: ToolContext): ToolResult {
  const messages = irc.inbox({ peek, callId });
  const lines = messages.length === 0 ? ["Inbox empty."] : [`${countOf(messages.length, "message")}:`];
  return answer([...lines, ...messages.map(messageLine)], { op: "inbox", inbox: messages as unknown as JsonValue });
}

function messageLine({ id, from, text: body, replyTo }: IrcMessage): string {
  return `[${id}] ${from}${replyTo === undefined ? "" : ` (reply to ${replyTo})`}: ${body}`;
}

function answer(lines: readonly string[], details: JsonValue, isError = false): ToolResult {
  return { content: [{ kind: "text", text: lines.join("\n") }], details, isError, effects: "done" };
}
