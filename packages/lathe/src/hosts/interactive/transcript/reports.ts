// Messages to the model that are not the person's: of background jobs, agents and programs. People are told in one line.

import type { MessageSource } from "@lathe/agent/contract";
import { joinLines } from "../../headless/outcome.ts";

/** This much of an agent's result is shown; the hub and `agent://` have all of it. */
const MOST_OF_RESULT = 200;

export function reportLine({ kind, id, type }: MessageSource, content: string): string {
  if (type === "irc:incoming") return `${id} writes: ${joinLines(content.split("\n").slice(1, -1).join(" "))}`;
  if (kind === "agent") return agentLine(id ?? kind, content);
  if (kind !== "job") return `${id ?? kind}: ${joinLines(content)}`;
  if (id === undefined) return "Background jobs ended with the earlier process.";
  const command = /^\$ (.*)$/m.exec(content)?.[1];
  return `Job ${id} has ended: ${command === undefined ? joinLines(content) : command}`;
}

/** Without the marks and notes that are there for the model. */
function agentLine(id: string, content: string): string {
  const [, status, output] = /^<agent_result .*?status="(\w+)">\n([\s\S]*)\n<\/agent_result>$/.exec(content) ?? [];
  if (output === undefined) return `${id}: ${joinLines(content)}`;
  const said = joinLines(output.split("\n").filter(isOfAgent).join("\n"));
  const shown = said.length > MOST_OF_RESULT ? `${said.slice(0, MOST_OF_RESULT)}… (/agents ${id})` : said;
  return `${id}${status === "failed" ? " failed" : ""}: ${shown}`;
}

const isOfAgent = (line: string): boolean =>
  !/^\[.* (transcript is at history|output is at agent):\/\/\S+\]$|^SYSTEM WARNING: /.test(line);
