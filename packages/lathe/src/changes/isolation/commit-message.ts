// Commit messages written by a model: the request, and the cleaning of its answer. `lathe commit` uses the same. Here
// it is for the branch with an agent's work: the message is its assignment, or the model's description of the changes.

import { commitAuthor, commitTitle, plainCommitMessage } from "@lathe/agent/agents";
import type { Beside } from "@lathe/agent/session";
import { Message, messageOf } from "@lathe/llm";
import prompt from "./commit-message.md";

/** The instructions for a model that writes a commit message. */
export const MESSAGE_PROMPT = prompt.trim();

/** Sends a request to a model outside the conversation. */
export type AsksModel = Pick<Beside, "callModel">;

const TIMEOUT_MS = 60_000;
/** Length of the patch in the request; its beginning shows what the change is about. */
const MOST_PATCH = 24_000;
const MOST_TEXT = 2_000;

/** `problem` says why the message is the plain one. */
export async function askForMessage(
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

/** Removes fences and control characters; the first line is the title. "" if nothing is left. */
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
