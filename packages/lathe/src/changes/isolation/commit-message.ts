// Messages of commits by a model: how one is asked for, and what becomes of its answer. `lathe commit` uses the same; here is what the
// commit says that a branch with the work of an agent consists of: its assignment, or what a model makes of the changes.

import { commitAuthor, commitTitle, plainCommitMessage } from "@lathe/agent/agents";
import type { Beside } from "@lathe/agent/session";
import { Message, messageOf } from "@lathe/llm";
import prompt from "./commit-message.md";

/** What a model is told that writes the message of a commit. */
export const MESSAGE_PROMPT = prompt.trim();

/** Who asks a model outside the conversation. */
export type AsksModel = Pick<Beside, "callModel">;

const TIMEOUT_MS = 60_000;
/** Of the changes; the beginning says what they are about. */
const MOST_PATCH = 24_000;
const MOST_TEXT = 2_000;

/** `problem`: why it is the plain one. */
export async function writtenMessage(
  { agentId, task, patch }: { readonly agentId: string; readonly task: string; readonly patch: string },
  beside: AsksModel,
  signal: AbortSignal,
): Promise<{ readonly message: string; readonly problem?: string }> {
  const plain = plainCommitMessage(agentId, task);
  try {
    const shown = patch.slice(0, MOST_PATCH).toWellFormed();
    const messages = [Message.system(MESSAGE_PROMPT), Message.user(`Assignment: ${task}\n\n${shown}`)];
    const answer = await beside.callModel("smol", { messages, timeoutMs: TIMEOUT_MS }, signal);
    const text = cleanMessage(answer.text, commitTitle);
    if (text === "") return { message: plain, problem: "the model wrote nothing" };
    return { message: `${text}\n\n${commitAuthor(agentId)}` };
  } catch (error) {
    return { message: plain, problem: messageOf(error) };
  }
}

/** Drops fences and control characters; the first line is the title. "" when nothing is left. */
export function cleanMessage(answer: string, titleOf: (line: string) => string): string {
  const lines = answer
    .replace(/^```\w*$/gm, "")
    .replace(/(?!\n)\p{Cc}/gu, " ")
    .trim()
    .slice(0, MOST_TEXT)
    .split("\n")
    .map((line) => line.trimEnd());
  const [title = "", ...rest] = lines;
  const body = rest.join("\n").trim();
  return title === "" ? "" : [titleOf(title), ...(body === "" ? [] : [body])].join("\n\n");
}
