// What the user gave on the command line and on stdin, as inputs for the agent: words, -p prompts, @files, piped text.

import { fstatSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { InputContent } from "@lathe/agent";
import type { ContentPart } from "@lathe/llm";
import { usageError } from "../cli/exit.ts";
import type { ParsedArgs } from "../cli/parse.ts";
import type { Machine } from "./machine.ts";

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
};

/** In order. Piped text and files go with the first prompt. */
export async function promptsOf(
  { options, words }: ParsedArgs,
  machine: Machine,
  piped: string,
): Promise<InputContent[]> {
  const files = words.filter((word) => word.startsWith("@") && word.length > 1).map((word) => word.slice(1));
  const spoken = words.filter((word) => !word.startsWith("@") || word.length === 1).join(" ");
  const prompts = [...(options.print ?? []), ...(spoken === "" ? [] : [spoken])];
  const context: ContentPart[] = [];
  for (const file of files) context.push(...(await fileParts(file, machine)));
  if (piped.trim() !== "")
    context.push({
      kind: "text",
      text: prompts.length > 0 ? `<stdin>\n${piped.trimEnd()}\n</stdin>` : piped.trimEnd(),
    });
  if (prompts.length === 0) return context.length > 0 ? [context] : [];
  const [first = "", ...rest] = prompts;
  return [context.length > 0 ? [...context, { kind: "text", text: first }] : first, ...rest];
}

async function fileParts(file: string, machine: Machine): Promise<ContentPart[]> {
  let bytes: Buffer;
  try {
    bytes = await readFile(resolve(machine.cwd, file));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw usageError(
      `@${file}: ${code === "ENOENT" ? "no such file" : code === "EISDIR" ? "is a directory" : String(code)}. Give the path of a text or image file.`,
    );
  }
  const mediaType = IMAGE_TYPES[file.split(".").pop()?.toLowerCase() ?? ""];
  if (mediaType) {
    return [
      { kind: "text", text: `<file path="${file}">` },
      { kind: "image", image: { data: bytes, mediaType } },
      { kind: "text", text: "</file>" },
    ];
  }
  if (bytes.subarray(0, 8192).includes(0))
    throw usageError(`@${file} is a binary file. Only text and images can be given.`);
  return [{ kind: "text", text: `<file path="${file}">\n${bytes.toString("utf8")}\n</file>` }];
}

/** A program that starts us and never closes our stdin would wait for ever without a word. */
const SILENCE_MS = 3000;

/** All of stdin when it is piped, nothing at a terminal. */
export async function readPiped(machine: Machine): Promise<string> {
  if (!mayBePiped()) return "";
  const hint = "lathe: Still reading stdin. If nothing comes from there, start it with: < /dev/null\n";
  const timer = machine.deps.setTimer(() => machine.stderr.write(hint), SILENCE_MS);
  const chunks: Buffer[] = [];
  for await (const chunk of machine.stdin) {
    timer.cancel();
    chunks.push(chunk as Buffer);
  }
  timer.cancel();
  return Buffer.concat(chunks).toString("utf8");
}

/** Terminals and /dev/null are character devices; asking the system is far cheaper than making the stream. */
function mayBePiped(): boolean {
  try {
    return !fstatSync(0).isCharacterDevice();
  } catch {
    return false; // closed
  }
}
