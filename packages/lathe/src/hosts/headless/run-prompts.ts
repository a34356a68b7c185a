// Sends prompts to a session one after the other, forwards its events, and collects what the run's outcome depends on.

import {
  type EndReason,
  type InputContent,
  type InputOutcome,
  InputRefused,
  type Question,
  type Session,
  type SessionEvent,
} from "@lathe/agent";
import { sentence } from "@lathe/agent/base";
import { renderQuestions } from "@lathe/agent/contract";
import { judgeOutput } from "@lathe/agent/session";
import { addUsage, type JsonSchema, type JsonValue, type Usage } from "@lathe/llm";
import type { Conversation } from "../../conversation/conversation.ts";
import type { RecordingTape } from "../../conversation/tape.ts";
import { CliError, EXIT } from "../../platform/usage/exit.ts";
import { lastWords } from "./last-words.ts";
import type { RunFacts } from "./outcome.ts";

export interface RunReport extends RunFacts {
  readonly usage: Usage;
  readonly cost: number;
  /** The answer as a value, if a schema was required. */
  readonly output?: JsonValue;
}

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
const NOTHING_YET: InputOutcome = {
  reason: "completed",
  text: "",
  finish: "stop",
  rounds: 0,
  usage: NO_USAGE,
  cost: 0,
};

/** Returns a promise to delay the next event. */
export type EventListener = (event: SessionEvent) => Promise<void> | undefined | void;

/** The conversation, which stays in its session. */
export type Driven = Pick<Conversation, "session" | "permissions" | "submit" | "continue">;

export class RunDriver {
  readonly #driven: Driven;
  readonly #session: Session;
  readonly #tape: RecordingTape | undefined;
  readonly #reading: Promise<void>;
  /** The outcome of the last input. */
  #last = NOTHING_YET;
  #usage: Usage = NO_USAGE;
  #cost = 0;
  #limit: string | undefined;
  /** Resolves when the end of the present input was forwarded. */
  #passedOn = makeDeferred();

  constructor(driven: Driven, onEvent: EventListener, tape?: RecordingTape) {
    this.#driven = driven;
    this.#session = driven.session;
    this.#tape = tape;
    this.#reading = this.#read(onEvent);
  }

  /** Throws an error for the user if the prompt was refused, for instance by a hook. */
  async submit(prompt: InputContent): Promise<void> {
    try {
      await this.#waitForEvents(
        await (this.#tape?.input(this.#session, "submit", prompt) ?? this.#driven.submit(prompt)),
      );
    } catch (error) {
      if (!(error instanceof InputRefused)) throw error;
      throw new CliError(EXIT.failed, `The prompt was not sent: ${sentence(error.message)}`, { cause: error });
    }
  }

  /** Finishes what an earlier process left undone. */
  async continue(): Promise<void> {
    await this.#waitForEvents(await (this.#tape?.input(this.#session, "continue") ?? this.#driven.continue()));
  }

  async interrupt(): Promise<void> {
    await (this.#tape?.input(this.#session, "interrupt") ?? this.#session.interrupt());
  }

  /** Ends the run because a limit outside the session was reached. */
  stopAtLimit(what: string): void {
    this.#limit = what;
    void this.interrupt();
  }

  /** Takes over the outcome of an earlier process, if nothing is left to do but answer the question `asked`. */
  async restoreOutcome(schema: JsonSchema | undefined, asked?: Question): Promise<void> {
    const { input } = this.#session.journal;
    const reason = ((input?.state === "end" ? input.reason : undefined) ?? "completed") as EndReason;
    const last = lastWords(this.#session.journal);
    const judged = schema && (await judgeOutput(last.text, schema));
    const fitting = judged && "value" in judged ? { text: judged.json, output: judged.value } : {};
    const proof = input?.verification ? { verification: input.verification } : {};
    this.#last = { ...NOTHING_YET, reason, ...last, ...fitting, ...proof };
    const awaiting = asked && { what: "question" as const, text: renderQuestions([asked]) };
    if (awaiting) this.#last = { ...this.#last, reason: "completed", awaiting };
  }

  report(): RunReport {
    const { reason, text, output, finish, awaiting, error, verification } = this.#last;
    return {
      reason,
      text: awaiting ? [text.trim(), awaiting.text].filter((part) => part !== "").join("\n\n") : text,
      ...(output === undefined ? {} : { output: output as JsonValue }),
      finish,
      ...(awaiting ? { awaiting: awaiting.what } : {}),
      denied: this.#driven.permissions.denied,
      usage: this.#usage,
      cost: this.#cost,
      ...(this.#limit === undefined ? {} : { limit: this.#limit }),
      ...(verification ? { verification } : {}),
      ...(error ? { error } : {}),
    };
  }

  /** Resolves when every event was forwarded, after the session was closed. */
  drain(): Promise<void> {
    return this.#reading;
  }

  /** Waits until the input's events were forwarded, so that output about the input comes after them. */
  async #waitForEvents(outcome: InputOutcome | undefined): Promise<void> {
    if (!outcome) return;
    await Promise.race([this.#passedOn.promise, this.#reading]);
    this.#passedOn = makeDeferred();
    this.#last = outcome;
    this.#usage = addUsage(this.#usage, outcome.usage);
    this.#cost += outcome.cost;
  }

  async #read(onEvent: EventListener): Promise<void> {
    const events = this.#session.events();
    for await (const awaited of events) {
      for (let event: SessionEvent | undefined = awaited; event; event = events.takeQueued()) {
        if (event.kind === "warning" && event.data.code === "budget_exhausted") this.#limit = event.data.message;
        const later = onEvent(event);
        if (later) await later;
        if (event.kind === "processing_end") this.#passedOn.resolve();
      }
    }
  }
}

function makeDeferred(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
