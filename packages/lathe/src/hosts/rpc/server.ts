// Reads commands and answers them. Commands run in order, but slow ones run beside the others, so that a host can
// always look, steer and abort. Replies to the agent's own requests never wait for a command.

import { isJsonObject } from "@lathe/llm";
import { Checker, object, optional, type Schema, text } from "@lathe/llm/schema";
import { CliError } from "../../platform/usage/exit.ts";
import type { Line } from "../wire/lines.ts";
import type { FrameWriter } from "../wire/writer.ts";
import { COMMANDS, type CommandName, isCommand } from "./commands.ts";
import { INBOUND, type InboundName, isInbound, type ResponseError } from "./frames.ts";
import { agentHandlers } from "./handle-agents.ts";
import { displayHandlers } from "./handle-display.ts";
import { inputHandlers } from "./handle-input.ts";
import { modelHandlers } from "./handle-model.ts";
import { sessionHandlers } from "./handle-session.ts";
import { stateHandlers } from "./handle-state.ts";
import { worktreeHandlers } from "./handle-worktree.ts";
import { type HandlerContext, type Handlers, Refusal } from "./handler.ts";
import type { HostPerson } from "./person.ts";

const HANDLERS: Handlers<CommandName> = {
  ...inputHandlers,
  ...modelHandlers,
  ...sessionHandlers,
  ...stateHandlers,
  ...displayHandlers,
  ...agentHandlers,
  ...worktreeHandlers,
};

/**
 * Answered as soon as their message is in the journal, so that no confirmed message is lost; events report the end of
 * the work. A later failure is a second answer with the same id.
 */
const ANSWERED_WHEN_RECORDED: ReadonlySet<CommandName> = new Set([
  "prompt",
  "steer",
  "follow_up",
  "continue",
  "abort_and_prompt",
]);
/** Answered when they are done, which may take long. */
const BESIDE_OTHERS: ReadonlySet<CommandName> = new Set([
  "abort",
  "abort_retry",
  "agent_send",
  "agent_stop",
  "bash",
  "compact",
  "export_html",
  "get_commands",
  "get_diff",
  "navigate_tree",
  "stop_job",
]);

interface Frame {
  readonly type: unknown;
  readonly id?: unknown;
  readonly [field: string]: unknown;
}

export class RpcServer {
  readonly #context: HandlerContext;
  readonly #person: HostPerson;
  readonly #writer: FrameWriter;
  #queue: Promise<void> = Promise.resolve();

  constructor(context: HandlerContext, person: HostPerson, writer: FrameWriter) {
    this.#context = context;
    this.#person = person;
    this.#writer = writer;
  }

  line(line: Line): void {
    if ("tooLong" in line) {
      this.#inOrder(() => this.#fail("parse", undefined, `A line of ${line.tooLong} bytes is too long.`));
      return;
    }
    if (line.text.trim() === "") return;
    const frame = parse(line.text);
    if (frame === undefined) {
      this.#inOrder(() => this.#fail("parse", undefined, "This line is not a JSON object."));
    } else if (isInbound(frame.type)) {
      this.#answer(frame.type, frame);
    } else {
      this.#inOrder(() => this.#command(frame));
    }
  }

  #inOrder(step: () => Promise<void> | void): void {
    this.#queue = this.#queue.then(step);
  }

  #answer(type: InboundName, frame: Frame): void {
    const problem = ANSWERS[type].wrongIn(frame);
    if (problem !== undefined) this.#inOrder(() => this.#fail(type, undefined, `${problem}.`));
    if (problem !== undefined && type === "host_tool_update") return;
    const { hostTools, hostUris } = this.#context;
    const checked = (problem === undefined ? frame : failureOf(frame, problem)) as never;
    const take: Readonly<Record<InboundName, () => void>> = {
      extension_ui_response: () => this.#person.response(checked),
      host_tool_update: () => hostTools.update(checked),
      host_tool_result: () => hostTools.result(checked),
      host_uri_result: () => hostUris.result(checked),
    };
    take[type]();
  }

  async #command(frame: Frame): Promise<void> {
    const id = typeof frame.id === "string" ? frame.id : undefined;
    const { type } = frame;
    if (!isCommand(type)) {
      this.#fail(String(type), id, `Unknown command: ${String(type)}`);
      return;
    }
    const refusal = this.#context.unattended?.refusal(type);
    if (refusal) {
      this.#fail(type, id, refusal);
      return;
    }
    const problem = PARAMS[type].wrongIn(frame) ?? this.#startProblem(type, frame);
    if (problem !== undefined) {
      this.#fail(type, id, `${problem}.`);
      return;
    }
    if (ANSWERED_WHEN_RECORDED.has(type)) {
      this.#take(type, id, frame);
      return;
    }
    const done = this.#run(type, frame, () => {}).then(
      (data) => this.#succeed(type, id, data),
      (error: unknown) => this.#fail(type, id, errorOf(error)),
    );
    if (!BESIDE_OTHERS.has(type)) await done;
  }

  /** Problems that are known before the command is accepted. */
  #startProblem(type: CommandName, frame: Frame): string | undefined {
    if (type !== "continue") return emptyMessageProblem(type, frame);
    const { isBusy, hasUnfinishedInput } = this.#context.current;
    if (isBusy) return "The agent is working";
    return hasUnfinishedInput ? undefined : "There is no unfinished input. Send a prompt";
  }

  /** Other commands go on meanwhile: a hook or a summary that delays this one can be interrupted. */
  #take(type: CommandName, id: string | undefined, frame: Frame): void {
    let isAnswered = false;
    const answer = (): void => {
      if (!isAnswered) this.#succeed(type, id, undefined);
      isAnswered = true;
    };
    this.#run(type, frame, answer).then(answer, (error: unknown) => this.#fail(type, id, errorOf(error)));
  }

  async #run(type: CommandName, frame: Frame, recorded: () => void): Promise<unknown> {
    return HANDLERS[type](frame as never, this.#context, recorded);
  }

  #succeed(command: string, id: string | undefined, data: unknown): void {
    const more = data === undefined ? {} : { data };
    this.#writer.write({ ...(id === undefined ? {} : { id }), type: "response", command, success: true, ...more });
  }

  #fail(command: string, id: string | undefined, error: ResponseError): void {
    this.#writer.write({ ...(id === undefined ? {} : { id }), type: "response", command, success: false, error });
  }
}

/** An invalid reply counts as a failure or a cancelled dialog, so that its request does not wait forever. */
function failureOf({ id }: Frame, problem: string): object {
  const error = `The host's answer was not valid: ${problem}.`;
  return { id, isError: true, error, result: { content: [{ type: "text", text: error }] }, cancelled: true };
}

function emptyMessageProblem(type: CommandName, { message, images }: Frame): string | undefined {
  if (!ANSWERED_WHEN_RECORDED.has(type) || String(message).trim() !== "") return undefined;
  return Array.isArray(images) && images.length > 0 ? undefined : "message is empty";
}

const PARAMS = Object.fromEntries(
  Object.entries(COMMANDS).map(([name, { params }]) => [name, checkerOf(object({ id: optional(text()), ...params }))]),
) as Record<CommandName, Checker>;

const ANSWERS = Object.fromEntries(
  Object.entries(INBOUND).map(([name, schema]) => [name, checkerOf(schema)]),
) as Record<InboundName, Checker>;

/** Accepts unknown fields, so that a newer host can talk to an older agent. */
function checkerOf(schema: Schema): Checker {
  return new Checker(schema, { acceptsUnknown: true });
}

function parse(text: string): Frame | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isJsonObject(value) ? (value as object as Frame) : undefined;
}

function errorOf(error: unknown): ResponseError {
  if (error instanceof Refusal) return { code: error.code, message: error.message };
  if (error instanceof CliError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
