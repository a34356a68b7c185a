// What the encoders of all formats share: one terminal text, and the handling of contradictions. If a vendor restarts
// its answer, or replaces arguments that it has streamed, that contradicts what the client already has: the stream then
// ends in an error, never in a lie.

import type { SDKError } from "../../types/errors.ts";
import { StreamError } from "../../types/errors.ts";
import type { StreamEvent } from "../../types/events.ts";
import type { Message } from "../../types/message.ts";
import type { FinishReason, Response } from "../../types/response.ts";
import type { AnswerContext, AnswerEncoder, Refusal } from "../types.ts";

type FinishEvent = Extract<StreamEvent, { type: "finish" }>;
export type ContentEvent = Exclude<StreamEvent, { type: "finish" | "error" | "stream_restart" | "provider_event" }>;

export abstract class StreamedAnswer implements AnswerEncoder {
  protected readonly context: AnswerContext;
  #isOver = false;
  #hasBegun = false;
  #hasContent = false;

  constructor(context: AnswerContext) {
    this.context = context;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  push(event: StreamEvent): string {
    if (this.#isOver) return "";
    switch (event.type) {
      case "provider_event":
        return "";
      case "stream_restart":
        return this.#hasContent ? this.fail(new StreamError("The provider restarted its answer.")) : "";
      case "error":
        return this.fail(event.error);
      case "finish": {
        if (event.finishReason.reason === "error") return this.fail(endedByError());
        const begin = this.#begin(event.response.id, event.response.model);
        const end = this.finish(event);
        this.#isOver = true;
        return begin + end;
      }
      case "stream_start":
        return this.#begin(event.id, event.model, event);
      default: {
        this.#hasContent = true;
        const begin = this.#hasBegun ? "" : this.#begin(undefined, undefined);
        try {
          return begin + this.content(event);
        } catch (error) {
          if (error instanceof Contradiction) return begin + this.fail(new StreamError(error.message));
          throw error;
        }
      }
    }
  }

  fail(failure: SDKError | Refusal): string {
    if (this.#isOver) return "";
    this.#isOver = true;
    return this.encodeFailure(failure);
  }

  #begin(
    id: string | undefined,
    model: string | undefined,
    start?: Extract<StreamEvent, { type: "stream_start" }>,
  ): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    return this.begin(id, model ?? this.context.served.request.model, start);
  }

  protected abstract begin(
    id: string | undefined,
    model: string,
    start: Extract<StreamEvent, { type: "stream_start" }> | undefined,
  ): string;
  protected abstract content(event: ContentEvent): string;
  protected abstract finish(event: FinishEvent): string;
  protected abstract encodeFailure(failure: SDKError | Refusal): string;
  protected abstract body(response: Response): string;

  whole(response: Response): string {
    if (response.finishReason.reason === "error") throw endedByError();
    return this.body(response);
  }
}

const endedByError = (): StreamError => new StreamError("The provider ended its answer with an error.");

/** Something already streamed would have to be taken back. */
class Contradiction extends Error {}

/** The streamed arguments of a call, compared with its final arguments. */
export class StreamedArguments {
  #text = "";

  add(fragment: string): void {
    this.#text += fragment;
  }

  /** The part that still has to be sent; a call without arguments has an empty object. */
  rest(whole: string): string {
    if (whole.trim() === "") {
      if (this.#text.trim() !== "") throw new Contradiction("The provider took back the arguments of a call.");
      return this.#text === "" ? "{}" : "";
    }
    if (whole.length === this.#text.length && whole === this.#text) return "";
    if (!whole.startsWith(this.#text)) throw new Contradiction("The provider changed the arguments of a call.");
    return whole.slice(this.#text.length);
  }
}

/** The arguments of a whole call as text. */
export function argumentText(call: {
  readonly arguments: unknown;
  readonly rawArguments?: string | undefined;
}): string {
  if (call.rawArguments !== undefined) return call.rawArguments;
  return typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
}

/** All texts of one kind in a message, joined. */
export function joined(message: Message, kind: "text" | "thinking"): string {
  return message.content
    .map((part) => (part.kind === kind ? (part.kind === "text" ? part.text : part.thinking.text) : ""))
    .join("");
}

/** The format's word for why the answer ended. */
export function stopWord<W>(
  words: Readonly<Record<Exclude<FinishReason["reason"], "error">, W>>,
  { reason }: FinishReason,
): W {
  return words[reason === "error" ? "other" : reason];
}
