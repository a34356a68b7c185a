// Messages to the model that are not the person's: of background jobs, agents and programs. People are told in one line.

import type { MessageSource } from "@lathe/agent";
import { oneLine } from "../../../headless/outcome.ts";

export function reportLine({ kind, id, type }: MessageSource, content: string): string {
  if (type === "irc:incoming") return `${id} writes: ${oneLine(content.split("\n").slice(1, -1).join(" "))}`;
  if (kind !== "job") return `${id ?? kind}: ${oneLine(content)}`;
  if (id === undefined) return "Background jobs ended with the earlier process.";
  const command = /^\$ (.*)$/m.exec(content)?.[1];
  return `Job ${id} has ended: ${command === undefined ? oneLine(content) : command}`;
}
