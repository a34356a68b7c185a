// HTML to Markdown off the main thread: pages are untrusted, and whatever one does to the converter, the session continues and
// an interrupt ends it at once.

import type { Worker } from "node:worker_threads";
import { ToolFailure } from "../../contract/tool.ts";
import { HtmlTokens } from "./html-tokens.ts";
import { MarkdownWriter } from "./markdown-writer.ts";

/** The page, its parts and the text; a page of 5 MB needs about a fifth. */
const MOST_MEMORY_MB = 512;

export interface ConversionLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Converts on this thread, for a caller that brings its own worker. */
export function convertHtml(html: string): string {
  const writer = new MarkdownWriter();
  new HtmlTokens(html, writer).read();
  return writer.markdown();
}

/**
 * The classes travel as text: a worker needs a file otherwise, and in sources, in the library and in the packed command that
 * would be three different ones.
 */
const workerSource = () => `
const __name = (value) => value; // some compilers note names in this way
const { parentPort, workerData } = require("node:worker_threads");
const HtmlTokens = (${HtmlTokens.toString()});
const MarkdownWriter = (${MarkdownWriter.toString()});
const writer = new MarkdownWriter();
new HtmlTokens(workerData, writer).read();
parentPort.postMessage(writer.markdown());
`;

export async function htmlToMarkdown(html: string, { timeoutMs, signal }: ConversionLimits): Promise<string> {
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  if (signal.aborted) throw interrupted();
  const worker = new Worker(workerSource(), {
    eval: true,
    workerData: html,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  });
  try {
    return await answerOf(worker, timeoutMs, signal);
  } finally {
    void worker.terminate();
  }
}

function answerOf(worker: Worker, timeoutMs: number, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new ToolFailure(`The page could not be read in ${timeoutMs / 1000} seconds.`));
    const timer = setTimeout(late, timeoutMs);
    const onAbort = () => reject(interrupted());
    signal.addEventListener("abort", onAbort, { once: true });
    worker.once("message", resolve);
    worker.once("error", (error) => reject(new ToolFailure(`The page could not be read: ${error.message}.`)));
    worker.once("exit", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      reject(new ToolFailure("The page could not be read."));
    });
  });
}

function interrupted(): ToolFailure {
  return new ToolFailure("The page was not read: interrupted.");
}
