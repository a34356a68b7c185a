// What child agents left behind for reading: `agent://<id>` is an agent's result, `history://<id>` its conversation.

import { type JsonValue, parseJson } from "@lathe/llm";
import type { Subagents } from "../agents/subagents/manager.ts";
import type { SchemeRegistry } from "../contract/seams/schemes.ts";
import type { Journal } from "../record/journal/journal.ts";
import { historyOf } from "./history.ts";
import type { Turn } from "./types.ts";

const ADDRESS = /^[a-z]+:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?q=([^#]*))?$/i;
/** Longer messages and results are cut to this many characters. */
const LONGEST_PART = 2_000;

export function addAgentAddresses(schemes: SchemeRegistry, subagents: Subagents): void {
  schemes.add("agent", { read: async (url) => readOutput(url, subagents) });
  schemes.add("history", {
    read: async (url) => {
      const { directory } = subagents;
      const id = idIn(url, subagents);
      const unread = directory.unreadBy(id);
      if (unread === undefined) return directory.withJournal(id, (journal) => transcript(journal));
      const waiting = `## Message, not read yet\n${unread}`;
      // An agent that never made a request may have no journal.
      if (directory.list().some(({ agentId, requests }) => agentId === id && requests === 0)) return waiting;
      return directory.withJournal(id, (journal) => `${transcript(journal)}\n\n${waiting}`);
    },
  });
}

function idIn(url: string, subagents: Subagents): string {
  const id = decodeURIComponent(ADDRESS.exec(url)?.[1] ?? "");
  const known = subagents.directory.list().map(({ agentId }) => agentId);
  if (known.includes(id)) return id;
  throw new Error(`Not found: ${id}. ${known.length === 0 ? "There are no agents." : `Known: ${known.join(", ")}`}`);
}

function readOutput(url: string, subagents: Subagents): string {
  const id = idIn(url, subagents);
  const { status } = subagents.directory.list().find(({ agentId }) => agentId === id)!;
  if (status === "running") throw new Error(`The agent ${id} is at work; its output comes when it has finished.`);
  const [, , path = "", query] = ADDRESS.exec(url) ?? [];
  if (path !== "" && query !== undefined) throw new Error(`${url} has a path and a query; give one of them`);
  const steps = query === undefined ? path.split("/") : decodeURIComponent(query).split(/[.[\]]+/);
  const wanted = steps.map((step) => decodeURIComponent(step)).filter((step) => step !== "");
  const output = subagents.directory.outputOf(id);
  if (wanted.length === 0) return output;
  let value = parseJson(output);
  if (value === undefined)
    throw new Error(`The output of ${id} is not JSON, so only the whole of it can be read: agent://${id}`);
  for (const step of wanted) {
    const holder = value as Readonly<Record<string, JsonValue>> | null;
    value = typeof holder === "object" && holder !== null && Object.hasOwn(holder, step) ? holder[step] : undefined;
    if (value === undefined) throw new Error(`The output of ${id} has no ${wanted.join("/")}`);
  }
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** The transcript is only for reading, so long parts are cut. */
function transcript(journal: Journal): string {
  return historyOf(journal).map(textOfTurn).join("\n\n");
}

function textOfTurn(turn: Turn): string {
  switch (turn.kind) {
    case "assistant": {
      const calls = turn.toolCalls.map(({ name, arguments: args }) => short(`> ${name} ${JSON.stringify(args)}`));
      return ["## Agent", ...(turn.content === "" ? [] : [short(turn.content)]), ...calls].join("\n");
    }
    case "tool_results":
      return turn.results.map(({ content, isError }) => `${isError ? "! " : "< "}${short(content)}`).join("\n");
    default:
      return `## ${turn.kind === "system" ? "System" : "Message"}\n${short(typeof turn.content === "string" ? turn.content : "(parts)")}`;
  }
}

const short = (text: string): string => (text.length > LONGEST_PART ? `${text.slice(0, LONGEST_PART)}…` : text);
