// Follows a served session in this terminal, line by line. If stdin or stdout is not a terminal, it only reads.

import { leaveOnSignals } from "../../hosts/interactive/leave-on-signals.ts";
import { PlainView } from "../../hosts/interactive/plain/plain-view.ts";
import { LinePrinter } from "../../hosts/interactive/plain/printer.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { onReaderGone } from "../../platform/machine/reader-gone.ts";
import { EXIT, type ExitCode } from "../../platform/usage/exit.ts";
import type { Door, DoorClient, DoorFrame } from "../door/door.ts";
import { AttachController } from "./attach-controller.ts";
import { SessionLines } from "./session-lines.ts";

export interface Attached {
  readonly door: Door;
  readonly client: DoorClient;
  /** Reports that the connection to a server is lost or restored. Absent if the connection ends with the session. */
  readonly watchConnection?: (listener: (isConnected: boolean) => void) => void;
}

/** Sends `prompts` first. */
export async function attach(attached: Attached, machine: Machine, prompts: readonly string[] = []): Promise<ExitCode> {
  const { stdin, stdout } = machine;
  try {
    return stdin.isTTY && stdout.isTTY
      ? await attachTerminal(attached, machine, prompts)
      : await followInLines(attached, machine);
  } finally {
    await attached.door.close();
  }
}

/** Shown if the connection ends without a `closed` frame: the process that held the session has died. */
const GONE: Extract<DoorFrame, { kind: "closed" }> = {
  seq: 0,
  kind: "closed",
  problem: "The process that held the session has ended. Its journal is kept; to continue: lathe --resume",
};

async function followInLines(
  { door, client, watchConnection }: Attached,
  { stdout, deps }: Machine,
): Promise<ExitCode> {
  const columns = (): number => stdout.columns || 120;
  const write = (text: string): void => void stdout.write(text);
  const printer = new LinePrinter({ write }, { color: false, columns, inWords: true });
  const lines = new SessionLines({ door, client, printer, now: deps.now });
  watchConnection?.((isConnected) => lines.connection(isConnected));
  const reader = door.follow(client)[Symbol.asyncIterator]();
  onReaderGone(stdout, () => void reader.return?.());
  for (let next = await reader.next(); !next.done; next = await reader.next()) {
    const frame = next.value;
    await lines.show(frame);
    if (frame.kind === "question") printer.line(`Waiting for an answer: ${frame.question.title ?? ""}`, "yellow");
    if (frame.kind === "closed") return frame.problem === undefined ? EXIT.done : EXIT.failed;
  }
  await lines.show(GONE);
  return EXIT.failed;
}

async function attachTerminal(
  { door, client, watchConnection }: Attached,
  machine: Machine,
  prompts: readonly string[],
): Promise<ExitCode> {
  const view = new PlainView<AttachController>(machine);
  const restore = (): void => view.stop();
  process.once("exit", restore).prependOnceListener("uncaughtException", restore);
  const stopListening = leaveOnSignals(view, machine);
  onReaderGone(machine.stdout, () => view.leave(EXIT.interrupted));
  view.start();
  const lines = new SessionLines({ door, client, printer: view.printer, now: machine.deps.now });
  watchConnection?.((isConnected) => lines.connection(isConnected));
  const onSend = (text: string): void => lines.addOwn(text);
  const controller = new AttachController({ door, client, view, setTimer: machine.deps.setTimer, onSend });
  view.open(controller);
  for (const prompt of prompts) void view.tell(() => controller.say(prompt));
  const reader = door.follow(client)[Symbol.asyncIterator]();
  try {
    const code = await Promise.race([followAt(view, controller, lines, reader), view.left]);
    if (!view.isOver) view.leave(code);
    machine.stdout.write(`To come back: lathe attach ${door.sessionId.slice(0, 8)}\n`);
    return code;
  } finally {
    void reader.return?.();
    restore();
    stopListening();
    process.off("exit", restore).off("uncaughtException", restore);
  }
}

async function followAt(
  view: PlainView<AttachController>,
  controller: AttachController,
  lines: SessionLines,
  reader: AsyncIterator<DoorFrame>,
): Promise<ExitCode> {
  const showPrompt = (): void => void view.tell(async () => {});
  for (let next = await reader.next(); !next.done; next = await reader.next()) {
    const frame = next.value;
    await lines.show(frame);
    if (frame.kind === "snapshot") controller.keepAsking(frame.snapshot.questions);
    if (frame.kind === "question") void controller.ask(frame.question);
    if (frame.kind === "settled") controller.settled(frame.questionId);
    if (frame.kind === "closed") return frame.problem === undefined ? EXIT.done : EXIT.failed;
    const isEnd = frame.kind === "event" && frame.event.type === "agent_end";
    if (isEnd) controller.workEnded();
    if (isEnd || frame.kind === "snapshot") showPrompt();
  }
  // The user left and closed the connection; the session may well go on.
  if (view.isOver) return EXIT.done;
  await lines.show(GONE);
  return EXIT.failed;
}
