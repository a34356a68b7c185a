// One message for a change, written by a model. A change that fits is sent whole; for a larger one the model describes
// each chunk first and writes the message from the descriptions.

import { Message } from "@lathe/llm";
import { cleanMessage, MESSAGE_PROMPT } from "../../changes/isolation/commit-message.ts";
import type { StagedFile } from "./change.ts";
import type { CommitModel } from "./commit-model.ts";
import { chunksOf, cutParts, fileList, type Showing, shownParts, tokensIn } from "./diff-text.ts";
import mapPrompt from "./map.md";
import mapPartsPrompt from "./map-parts.md";
import { type MessageStyle, problemWith, styleText, tidyMessage } from "./style.ts";

export interface Writing extends Showing {
  readonly model: CommitModel;
  readonly style: MessageStyle;
  /** What the user said about the change. */
  readonly context: string | undefined;
  /** Whether a large change is described in chunks. */
  readonly mapReduce: boolean;
  readonly tell: (line: string) => void;
}

/** A change with more tokens is described in chunks. */
const ONE_REQUEST = 24_000;
const CHUNK = 12_000;
const AT_ONCE = 4;
/** Parts beyond this many tokens are only counted: reading everything would cost more than the message is worth. */
const MOST_READ = 400_000;

/** `not`: messages that the user rejected. */
export async function writeMessage(
  writing: Writing,
  files: readonly StagedFile[],
  not: readonly string[] = [],
): Promise<string> {
  const { model, style } = writing;
  const change = await describeChange(writing, files, false);
  const wishes = [
    ...(not.length === 0
      ? []
      : [`The user did not want these messages; write a different one:\n${not.join("\n---\n")}`]),
  ];
  const system = Message.system(`${MESSAGE_PROMPT}\n\n${styleText(style)}`);
  const asked = [...contextOf(writing), ...wishes, change].join("\n\n");
  const write = async (text: string): Promise<string> => {
    const answer = await model.ask({ messages: [system, Message.user(text)] });
    return cleanMessage(answer.text, (title) => title);
  };
  let message = await write(asked);
  const problem = problemWith(message, style);
  if (problem !== undefined) {
    const again = message === "" ? "" : `You wrote:\n${message}\n\n`;
    // Only the form is wrong, so the change need not be sent again.
    const about = message === "" ? asked : `${again}${problem} Write it again.`;
    const better = await write(about);
    if (better !== "") message = better;
  }
  return writing.redactor.text(tidyMessage(message));
}

export const contextOf = ({ context, redactor }: Writing): string[] =>
  context === undefined ? [] : [`The user says about this change: ${redactor.text(context)}`];

/** The diff, or descriptions of its chunks. `numbered`: each part has its number. */
export async function describeChange(
  writing: Writing,
  files: readonly StagedFile[],
  numbered: boolean,
): Promise<string> {
  const { model, mapReduce, tell } = writing;
  const parts = shownParts(files, writing, numbered);
  const tokens = parts.reduce((sum, { text }) => sum + tokensIn(text), 0);
  const room = Math.min(ONE_REQUEST, Math.floor(model.window / 2));
  if (tokens <= room) return parts.map(({ text }) => text).join("");
  if (!mapReduce) {
    tell("The change is large: the model sees the beginning of each part (LATHE_COMMIT_MAP_REDUCE is false).");
    return cutParts(parts, room);
  }
  let read = 0;
  const readable = parts.filter(({ text }) => {
    read += tokensIn(text);
    return read <= MOST_READ;
  });
  if (readable.length < parts.length)
    tell(
      `The change is very large: the model sees ${readable.length} of its ${parts.length} parts, and the names of all files.`,
    );
  const chunks = chunksOf(readable, Math.min(CHUNK, Math.floor(model.window / 3)));
  tell(`The change is large: it is read in ${chunks.length} parts.`);
  const descriptions = await inTurns(chunks, AT_ONCE, (chunk) => describeChunk(writing, chunk, numbered));
  // A model with a small window has little room for the descriptions.
  const share = Math.max(80, Math.floor((room * 2) / descriptions.length));
  const short = descriptions.map((text) => text.slice(0, share).toWellFormed());
  const list = fileList(files, Math.max(10, Math.min(200, Math.floor(room / 40))));
  return `${list}\n\nWhat the parts of the change do:\n${short.join("\n")}`;
}

async function describeChunk({ model }: Writing, chunk: string, numbered: boolean): Promise<string> {
  const prompt = numbered ? mapPartsPrompt : mapPrompt;
  const answer = await model.ask({ messages: [Message.system(prompt.trim()), Message.user(chunk)] });
  const most = numbered ? 8_000 : 1_500;
  return answer.text.trim().slice(0, most).toWellFormed();
}

/**
 * Runs `atOnce` calls at a time and returns the results in order. After a failure it waits for the running calls, then
 * throws the first error.
 */
async function inTurns<T, R>(all: readonly T[], atOnce: number, work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let failure: { readonly error: unknown } | undefined;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < all.length && !failure) {
      const at = next++;
      try {
        results[at] = await work(all[at]!);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, worker));
  if (failure) throw failure.error;
  return results;
}
