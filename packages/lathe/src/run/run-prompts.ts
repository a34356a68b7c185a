// Gives prompts to a session one after the other, passes its events on, and gathers what the end of the run is judged by.

import type { EndReason, InputContent, Session, SessionEvent } from "@lathe/agent";
import { addUsage, type Usage } from "@lathe/llm";
import type { RunFacts } from "./outcome.ts";
import type { Permissions } from "./permissions.ts";

export interface RunReport extends RunFacts {
  readonly usage: Usage;
  readonly cost: number;
}

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

export class RunWatch {
  reason: EndReason = "completed";
  text = "";
  finish = "stop";
  usage: Usage = NO_USAGE;
  cost = 0;
  error: RunFacts["error"];

  see(event: SessionEvent): void {
    if (event.agent_id !== undefined) return;
    switch (event.kind) {
      case "user_input":
        this.text = "";
        this.error = undefined;
        break;
      case "assistant_text_end":
        this.text = event.data.text;
        this.finish = event.data.finish;
        break;
      case "error":
        this.error = { message: event.data.message, type: event.data.error_type };
        break;
      case "processing_end":
        this.reason = event.data.reason;
        this.usage = addUsage(this.usage, event.data.usage);
        this.cost += event.data.cost;
        break;
      case "session_end":
        if (event.data.reason === "error") this.reason = "error";
        break;
    }
  }
}

/** Stops early when a prompt did not simply complete: what follows was meant for a good state. */
export async function runPrompts(
  session: Session,
  prompts: readonly InputContent[],
  permissions: Permissions,
  onEvent: (event: SessionEvent) => void,
): Promise<RunReport> {
  const watch = new RunWatch();
  let inputEnded: () => void = () => {};
  const reading = (async () => {
    for await (const event of session.events()) {
      watch.see(event);
      onEvent(event);
      if (event.kind === "processing_end") inputEnded();
    }
    inputEnded();
  })();
  const seenEnd = (): Promise<void> =>
    new Promise((resolve) => {
      inputEnded = resolve;
    });
  for (const prompt of prompts) {
    const seen = seenEnd();
    await session.submit(prompt);
    await seen;
    if (watch.reason !== "completed" || session.state !== "idle") break;
  }
  void reading;
  return {
    reason: watch.reason,
    text: watch.text,
    finish: watch.finish,
    awaitingInput: session.state === "awaiting_input",
    denied: permissions.denied,
    usage: watch.usage,
    cost: watch.cost,
    ...(watch.error ? { error: watch.error } : {}),
  };
}
