// RPC mode for a session that another process holds: the same frames over stdin and stdout, passed to that process's
// door. That process checks the commands; a question that another client answers is withdrawn.

import { isJsonObject, messageOf, parseJson } from "@lathe/llm";
import type { WorkflowGate } from "../../conversation/gates/gate.ts";
import { isCommand } from "../../hosts/rpc/commands.ts";
import { PROTOCOL_VERSION, type ResponseError } from "../../hosts/rpc/frames.ts";
import { linesOf } from "../../hosts/wire/lines.ts";
import { LineWriter } from "../../hosts/wire/writer.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { listenForStop } from "../../platform/machine/signals.ts";
import { EXIT, type ExitCode } from "../../platform/usage/exit.ts";
import type { Dialog, DialogAnswer, DoorFrame } from "../door/door.ts";
import type { Attached } from "./attach.ts";

type Json = Readonly<Record<string, unknown>>;

/** Runs until its input or the session ends. */
export async function rpcAtDoor(attached: Attached, machine: Machine): Promise<ExitCode> {
  const { stdin, stdout, stderr } = machine;
  const { door, client } = attached;
  const writer = new LineWriter(stdout);
  const frames = door.follow(client)[Symbol.asyncIterator]();
  const asked = listenForStop(stdout);
  const out = new FramesOut(writer, () => door.sessionId);
  const first = await frames.next();
  writer.write({ type: "ready" });
  if (!first.done) out.take(first.value);
  let isLeaving = false;
  const ended = passFrames(frames, out).then((problem): ExitCode => {
    if (problem === undefined || isLeaving) return EXIT.done;
    stderr.write(`lathe: ${problem}\n`);
    return EXIT.failed;
  });
  const inputEnded = readCommands(attached, stdin, writer).then((): ExitCode => EXIT.done);
  const code = await Promise.race([ended, inputEnded, asked.code]).finally(asked.stopListening);
  isLeaving = true;
  await door.close();
  await Promise.race([writer.flush(), asked.code]);
  machine.exit?.(code);
  return code;
}

/** Returns why the session ended; undefined if it was closed normally. */
async function passFrames(frames: AsyncIterator<DoorFrame>, out: FramesOut): Promise<string | undefined> {
  for (let next = await frames.next(); !next.done; next = await frames.next()) {
    if (next.value.kind === "closed") return next.value.problem;
    out.take(next.value);
  }
  return "The process that held the session has ended. Its journal is kept; to continue: lathe --resume";
}

class FramesOut {
  readonly #writer: LineWriter;
  readonly #sessionId: () => string;
  readonly #open = new Set<string>();
  /** The last gate sent. */
  #gateId: string | undefined;
  #count = 0;
  #seq = 0;
  #numbered = "";
  /** The entry of the last event sent. */
  #entryId: string | null = null;

  constructor(writer: LineWriter, sessionId: () => string) {
    this.#writer = writer;
    this.#sessionId = sessionId;
  }

  take(frame: DoorFrame): void {
    switch (frame.kind) {
      case "snapshot":
        this.#entryId = frame.snapshot.lastEntryId;
        for (const event of frame.snapshot.running) this.#event(event);
        this.#gate(frame.snapshot.state.workflow?.gate);
        for (const question of frame.snapshot.questions) this.#ask(question);
        break;
      case "event":
        this.#event(frame.event);
        if (frame.event.type === "lathe:gate") this.#gate(frame.event.gate);
        break;
      case "question":
        this.#ask(frame.question);
        break;
      case "settled":
        if (this.#open.delete(frame.questionId))
          this.#writer.write({
            type: "extension_ui_request",
            id: `cancel_${++this.#count}`,
            method: "cancel",
            targetId: frame.questionId,
            by: frame.by,
          });
        break;
    }
  }

  /** Sent before its dialog. A gate already sent with the running turn is not sent again. */
  #gate(gate: WorkflowGate | undefined): void {
    if (gate === undefined || gate.gate_id === this.#gateId) return;
    this.#gateId = gate.gate_id;
    this.#writer.write(gate);
  }

  #ask(question: Dialog): void {
    if (this.#open.has(question.id)) return;
    this.#open.add(question.id);
    this.#writer.write(question);
  }

  /** Event numbers start at 1 in each session. */
  #event(event: { readonly type: string }): void {
    const session_id = this.#sessionId();
    this.#seq = session_id === this.#numbered ? this.#seq + 1 : 1;
    this.#numbered = session_id;
    this.#entryId = "entryId" in event && typeof event.entryId === "string" ? event.entryId : this.#entryId;
    this.#writer.write({
      ...{ type: "event", protocol_version: PROTOCOL_VERSION, session_id, seq: this.#seq },
      ...{ frame_id: `frame_${++this.#count}`, entry_id: this.#entryId },
      payload: { event_type: event.type, event },
    });
  }
}

async function readCommands(attached: Attached, stdin: AsyncIterable<Uint8Array>, writer: LineWriter): Promise<void> {
  const open = new Set<Promise<void>>();
  for await (const line of linesOf(stdin)) {
    if ("tooLong" in line) {
      writer.write(failureReply("parse", undefined, `A line of ${line.tooLong} bytes is too long.`));
      continue;
    }
    if (line.text.trim() === "") continue;
    const frame = parseJson(line.text);
    if (!isJsonObject(frame)) {
      writer.write(failureReply("parse", undefined, "This line is not a JSON object."));
      continue;
    }
    const done = carryOut(attached, frame as Json).then((reply) => {
      if (reply) writer.write(reply);
    });
    open.add(done);
    void done.finally(() => open.delete(done));
  }
  await Promise.all(open);
}

/** Returns the reply, or undefined for an answer that came too late. */
async function carryOut({ door, client }: Attached, frame: Json): Promise<object | undefined> {
  const { type: command, id: givenId, ...params } = frame;
  const type = String(command);
  const id = typeof givenId === "string" ? givenId : undefined;
  try {
    if (type === "extension_ui_response") {
      const { status } = await door.answer(client, id ?? "", params as DialogAnswer);
      return status === "accepted" ? { type: "extension_ui_taken", targetId: id } : undefined;
    }
    if (!isCommand(type)) return failureReply(type, id, `Unknown command: ${type}`);
    const data: unknown = await door.command(client, type, params as never);
    return {
      ...(id === undefined ? {} : { id }),
      ...{ type: "response", command: type, success: true },
      ...(data === undefined ? {} : { data }),
    };
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    const message = messageOf(error);
    return failureReply(type, id, typeof code === "string" ? { code, message } : message);
  }
}

const failureReply = (command: string, id: string | undefined, error: ResponseError): object => ({
  ...(id === undefined ? {} : { id }),
  ...{ type: "response", command, success: false, error },
});
