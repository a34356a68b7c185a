// `lathe -p` in a session that another process holds: sends the prompts there one after the other and prints the
// answers here.

import type { InputContent } from "@lathe/agent";
import { joinLines } from "../../hosts/headless/outcome.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { onReaderGone } from "../../platform/machine/reader-gone.ts";
import { EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import type { Dialog, DoorFrame } from "../door/door.ts";
import type { Attached } from "./attach.ts";

export interface PrintAtDoor {
  readonly prompts: readonly InputContent[];
  /** Print events instead of text. */
  readonly isJson: boolean;
}

export async function printAtDoor(
  { door, client }: Attached,
  { stdout, stderr }: Machine,
  { prompts, isJson }: PrintAtDoor,
): Promise<ExitCode> {
  const said = prompts.map(messageWithImages);
  if (said.length === 0)
    throw usageError("This session is open in another process. Give a prompt, or follow it: lathe attach");
  const frames = door.follow(client)[Symbol.asyncIterator]();
  onReaderGone(stdout, () => void frames.return?.());
  const show = (frame: DoorFrame): void => {
    if (isJson && frame.kind === "event") stdout.write(`${JSON.stringify(frame.event)}\n`);
    if (frame.kind === "question") tellOf(frame.question);
  };
  const tellOf = ({ title }: Dialog): void =>
    void stderr.write(
      `lathe: The session waits for an answer (${joinLines(title ?? "a question")}). Answer it where the session is open, or with: lathe attach ${door.sessionId.slice(0, 8)}\n`,
    );
  try {
    await nextFrame(frames);
    // Questions that are already open come in no later frame.
    for (const question of door.questions) tellOf(question);
    let code: ExitCode = EXIT.done;
    for (const message of said) {
      // Another client's work finishes first.
      if (door.isBusy && door.questions.length === 0)
        stderr.write("lathe: The session is busy. The prompt will be sent when its work is done.\n");
      while (door.isBusy) {
        const frame = await nextFrame(frames);
        if (frame.kind === "question") tellOf(frame.question);
      }
      await door.command(client, "prompt", message);
      code = await untilEnd(frames, show, stderr);
      if (code !== EXIT.done) break;
    }
    if (!isJson) {
      const { text } = await door.command(client, "get_last_assistant_text", {});
      if (text !== null) stdout.write(text.endsWith("\n") ? text : `${text}\n`);
    }
    return code;
  } finally {
    await frames.return?.();
    await door.close();
  }
}

async function untilEnd(
  frames: AsyncIterator<DoorFrame>,
  show: (frame: DoorFrame) => void,
  stderr: Machine["stderr"],
): Promise<ExitCode> {
  for (let hasBegun = false; ; ) {
    const frame = await nextFrame(frames);
    show(frame);
    if (frame.kind !== "event") continue;
    if (frame.event.type === "agent_start") hasBegun = true;
    if (frame.event.type !== "agent_end" || !hasBegun) continue;
    const { reason, error } = frame.event;
    if (error !== undefined) stderr.write(`lathe: ${error}\n`);
    if (reason === "interrupted" || reason === "aborted") return EXIT.interrupted;
    return error === undefined ? EXIT.done : EXIT.failed;
  }
}

async function nextFrame(frames: AsyncIterator<DoorFrame>): Promise<DoorFrame> {
  const next = await frames.next();
  if (next.done || next.value.kind === "closed")
    throw usageError("The other process has closed the session. Run the command again to continue it here.");
  return next.value;
}

function messageWithImages(content: InputContent): {
  message: string;
  images?: { data: string; mediaType: string }[];
} {
  if (typeof content === "string") return { message: content };
  const texts: string[] = [];
  const images: { data: string; mediaType: string }[] = [];
  for (const part of content) {
    if (part.kind === "text") texts.push(part.text);
    else if (part.kind === "image" && part.image.data !== undefined)
      images.push({
        data: Buffer.from(part.image.data).toString("base64"),
        mediaType: part.image.mediaType ?? "image/png",
      });
    else throw usageError(`A ${part.kind} cannot be sent to a session that another process has open. Leave it out.`);
  }
  return { message: texts.join("\n"), ...(images.length === 0 ? {} : { images }) };
}
