// The practice model as a provider: offline and deterministic. It reads the conversation, runs the matching play up to
// the next step, and answers in small pieces like any other model.

import type { Message, ProviderAdapter, Request, Response } from "@lathe/llm";
import { textOf } from "@lathe/llm";
import { PRACTICE_PROVIDER } from "./name.ts";
import type { Outcome, Play } from "./play.ts";
import { HELP, playFor } from "./requests.ts";
import { responseOf, streamAnswer } from "./scripted-answer.ts";

export function practiceAdapter(): ProviderAdapter {
  return {
    name: PRACTICE_PROVIDER,
    complete: async (request) => answer(request),
    stream: (request, context) => streamAnswer(answer(request), context),
  };
}

function answer(request: Request): Response {
  const { play, outcomes } = understand(request.messages);
  if (!play) return responseOf(PRACTICE_PROVIDER, request, { text: HELP });
  let step = play.next();
  for (const outcome of outcomes) {
    if (step.done) break;
    step = play.next(outcome);
  }
  const answered = step.done ? { text: step.value } : { text: step.value.say, call: step.value.call };
  return responseOf(PRACTICE_PROVIDER, request, answered);
}

/** Finds the last request that we understand, and the results of the calls made since. */
function understand(messages: readonly Message[]): { play: Play | undefined; outcomes: readonly Outcome[] } {
  let play: Play | undefined;
  let outcomes: Outcome[] = [];
  for (const message of messages) {
    if (message.role === "user") {
      const asked = playFor(requestIn(message));
      // A message that we do not understand does not stop the work.
      if (asked || outcomes.length === 0) {
        play = asked;
        outcomes = [];
      }
    } else if (message.role === "tool") {
      for (const part of message.content) {
        if (part.kind !== "tool_result") continue;
        const { content, isError } = part.toolResult;
        outcomes.push({ text: typeof content === "string" ? content : JSON.stringify(content), isError });
      }
    } else if (message.role === "assistant" && !message.content.some((part) => part.kind === "tool_call")) {
      play = undefined;
      outcomes = [];
    }
  }
  return { play, outcomes };
}

/** The user's own words, without the blocks before them: environment, files, piped text. */
function requestIn(message: Message): string {
  return textOf(message)
    .replace(/<environment>[\s\S]*?<\/environment>|<file path="[^"]*">[\s\S]*?<\/file>|<stdin>[\s\S]*?<\/stdin>/g, "")
    .trim();
}
