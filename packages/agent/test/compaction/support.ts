// A session with compaction and a scripted model whose summaries the test decides.

import { type ImageData, type ModelInfo, type Request, textOf } from "@lathe/llm";
import { Compaction } from "../../src/context/compaction/compaction.ts";
import { type CompactionSettings, DEFAULT_COMPACTION } from "../../src/context/compaction/settings.ts";
import type { ScriptedTurn } from "../support/scripted-client.ts";
import { type Setup, type SetupOptions, setUp, testProfile, tool } from "../support/session.ts";

export const NOTES = "## Goal\nBuild the thing.\n\n## Done\nSome of it.\n\n## Next steps\nThe rest.";

export const isSummaryRequest = ({ messages }: Request): boolean =>
  messages[0]?.role === "system" && textOf(messages[0]).includes("handover notes");

/** Every word that a request sends, in order. */
export function sentText({ messages }: Request): string {
  const texts = messages.flatMap(({ content }) =>
    content.map((part) => {
      if (part.kind === "text") return part.text;
      if (part.kind === "tool_result") return String(part.toolResult.content);
      return part.kind === "tool_call" ? JSON.stringify(part.toolCall.arguments) : "";
    }),
  );
  return texts.join("\n");
}

export interface CompactingOptions extends Omit<SetupOptions, "script"> {
  readonly settings?: Partial<CompactionSettings>;
  readonly window?: number;
  /** Options of the session; called for requests that are not summaries. `index` counts those. */
  readonly work: (request: Request, index: number) => ScriptedTurn;
  readonly summary?: (request: Request, index: number) => ScriptedTurn;
}

export interface Compacting extends Setup {
  readonly compaction: Compaction;
  /** Requests of the conversation. */
  work(): Request[];
  summaries(): Request[];
}

/** A model that can read images, as a catalog describes it. */
export const seeing = (api?: ModelInfo["api"]): ModelInfo => ({
  ...{ id: "scripted-1", provider: "test", displayName: "Scripted", contextWindow: 100_000, aliases: [] },
  ...{ supportsTools: true, supportsVision: true, supportsReasoning: false, input: ["text", "image"] },
  ...(api === undefined ? {} : { api }),
});

export const lorem = (tokens: number): string => "lorem ipsum ".repeat(Math.ceil((tokens * 4) / 12));

/** `big`: a tool whose result has the given number of tokens and contains the given word. */
export const big = tool("big", (args) => {
  const { word = "", tokens = 1000 } = args as { word?: string; tokens?: number };
  return `${word} ${lorem(tokens)}`;
});

/** The images that a request sends, in order. */
export const sentPictures = ({ messages }: Request): ImageData[] =>
  messages.flatMap(({ content }) => content.flatMap((part) => (part.kind === "image" ? [part.image] : [])));

/** Counts tokens like a vendor, so that the session learns how full its context is. */
function counted(request: Request, turn: ScriptedTurn): ScriptedTurn {
  const inputTokens = Math.ceil(sentText(request).length / 4) + 1500 * sentPictures(request).length;
  return { usage: { inputTokens, outputTokens: 20, totalTokens: inputTokens + 20 }, ...turn };
}

export function compacting({ settings, window = 100_000, work, summary, ...options }: CompactingOptions): Compacting {
  let current = { ...DEFAULT_COMPACTION, ...settings };
  const compaction = new Compaction({ settings: () => current });
  let working = 0;
  let summarizing = 0;
  const s = setUp({
    profile: testProfile([big], { contextWindowSize: window }),
    middleware: [compaction.middleware()],
    ...options,
    script: (request) => {
      if (!isSummaryRequest(request)) return counted(request, work(request, working++));
      return counted(request, summary?.(request, summarizing++) ?? { text: NOTES });
    },
  });
  return Object.assign(s, {
    compaction,
    work: () => s.client.requests.filter((request) => !isSummaryRequest(request)),
    summaries: () => s.client.requests.filter(isSummaryRequest),
    set: (changed: Partial<CompactionSettings>) => {
      current = { ...current, ...changed };
    },
  });
}
