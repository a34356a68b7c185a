// Formats texts that are about to be written. A linter that formats is the project's choice, so it comes before the
// main server.

import { posix } from "node:path";
import { abortAfter } from "@lathe/agent/base";
import type { CallScope } from "@lathe/agent/contract";
import type { FileToFormat, Formatter, Formatting } from "@lathe/agent/files";
import type { TextEdit } from "@lathe/agent/tools";
import type { ExecutionEnvironment } from "@lathe/agent/world";
import { messageOf } from "@lathe/llm";
import { toUri } from "./addresses.ts";
import type { LanguageServers } from "./language-servers.ts";
import type { LiveServer } from "./live-server.ts";
import { type Position, positionAt } from "./positions.ts";
import { textEdits } from "./workspace-edit.ts";

/** How long an edit waits for the formatter. The check for errors has its own limit. */
const WAIT_MS = 5000;
const MOST_READ = 5;
const STEPS = ["\t", "  ", "   ", "    "];

export class Formatters implements Formatter {
  readonly #servers: LanguageServers;
  /** Asked once per call, so that the text written is the one that was shown. */
  readonly #asked = new WeakMap<CallScope["paths"], Map<string, Promise<Formatting | undefined>>>();

  constructor(servers: LanguageServers) {
    this.#servers = servers;
  }

  format(file: FileToFormat, scope: CallScope): Promise<Formatting | undefined> {
    const asked = this.#asked.get(scope.paths) ?? new Map<string, Promise<Formatting | undefined>>();
    this.#asked.set(scope.paths, asked);
    const key = `${file.path}\0${file.text}`;
    const answer = asked.get(key) ?? this.#ask(file, scope);
    asked.set(key, answer);
    return answer;
  }

  async #ask(file: FileToFormat, { env, signal }: CallScope): Promise<Formatting | undefined> {
    const bounded = abortAfter(WAIT_MS, signal);
    let failed: Formatting | undefined;
    for (const { row, server } of (await this.#servers.forFile(file.path, env)).toReversed()) {
      try {
        const live = await server?.use(bounded);
        if (!live?.can("documentFormattingProvider")) continue;
        return { by: row.name, edits: await formatWith(live, file, env, bounded) };
      } catch (error) {
        signal.throwIfAborted();
        failed ??= { by: row.name, why: bounded.aborted ? `no answer in ${WAIT_MS / 1000} s` : messageOf(error) };
      }
    }
    return failed;
  }
}

async function formatWith(
  live: LiveServer,
  { path, text, own }: FileToFormat,
  env: ExecutionEnvironment,
  signal: AbortSignal,
): Promise<TextEdit[]> {
  const isWhole = own.length === 1 && own[0]?.start === 0 && own[0].end === text.length;
  const at = (offset: number): Position => positionAt(text, offset, live.encoding);
  const range = { start: at(own[0]?.start ?? 0), end: at(own.at(-1)?.end ?? text.length) };
  const ofRange = !isWhole && live.can("documentRangeFormattingProvider");
  const params = {
    textDocument: { uri: toUri(path) },
    options: await optionsFor(path, text, env),
    ...(ofRange ? { range } : {}),
  };
  const method = ofRange ? "textDocument/rangeFormatting" : "textDocument/formatting";
  const answer = await live.withDraft(path, text, () => live.request(method, params, { signal }));
  return textEdits(path, text, answer, live.encoding);
}

/** The indentation of the file or of one next to it; servers with settings of their own ignore this. */
async function optionsFor(path: string, text: string, env: ExecutionEnvironment) {
  const step = (await stepOnDisk(path, env)) ?? usualStep(text) ?? "    ";
  return { tabSize: step === "\t" ? 4 : step.length, insertSpaces: step !== "\t", trimTrailingWhitespace: true };
}

/** The new text may be badly indented, so this takes the file on disk, and then its neighbours. */
async function stepOnDisk(path: string, env: ExecutionEnvironment): Promise<string | undefined> {
  const folder = posix.dirname(path);
  if ((await env.stat(folder))?.kind !== "directory") return undefined;
  const names = (await env.listDirectory(folder, 1)).map(({ name }) => name);
  const alike = names.filter((name) => posix.extname(name) === posix.extname(path));
  const own = posix.basename(path);
  for (const name of [...alike.filter((one) => one === own), ...alike.filter((one) => one !== own)].slice(
    0,
    MOST_READ,
  )) {
    const step = usualStep(await env.readFile(posix.join(folder, name)));
    if (step !== undefined) return step;
  }
  return undefined;
}

/** Undefined if no line is indented further than the one before by a usual step. */
function usualStep(text: string): string | undefined {
  const counts = new Map<string, number>();
  let last = 0;
  for (const [, indent = ""] of text.matchAll(/^([ \t]*)\S/gm)) {
    const step = indent.includes("\t") ? "\t" : " ".repeat(Math.max(0, indent.length - last));
    last = indent.length;
    if (STEPS.includes(step)) counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}
