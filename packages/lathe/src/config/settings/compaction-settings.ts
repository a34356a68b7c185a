// Settings of making room in a full context.

import { choice, exactly, flag, integer, oneOf, type Schema, text, withWords } from "@lathe/llm/schema";

export const COMPACTION_SETTINGS = {
  "compaction.enabled": flag({
    default: true,
    description: "make room by itself when the context is full; /compact works either way",
  }),
  "compaction.strategy": choice(["context-full", "handoff", "shake", "snapcompact", "off"], {
    default: "context-full",
    description:
      "how room is made: context-full summarizes older messages, handoff starts a new session with a briefing, shake only empties old output, snapcompact prints older messages on pictures for models that can read them, off ends the input",
  }),
  "compaction.reserveTokens": integer({
    minimum: 0,
    default: 16_384,
    description: "tokens kept free for the answer; less in windows below 100,000",
  }),
  "compaction.keepRecentTokens": integer({
    minimum: 0,
    default: 20_000,
    description: "tokens of the newest messages that are never summarized; less in small windows",
  }),
  "compaction.thresholdPercent": withWords(oneOf(integer({ minimum: 1, maximum: 100 }), exactly(-1)), {
    default: -1,
    description: "make room above this share of the window; -1 = by compaction.reserveTokens",
  }),
  "compaction.thresholdTokens": withWords(oneOf(integer({ minimum: 1 }), exactly(-1)), {
    default: -1,
    description: "make room above this many tokens; -1 = by share or reserve",
  }),
  "compaction.autoContinue": flag({
    default: true,
    description: "go on by itself when an answer leaves tasks open in a full context",
  }),
  "compaction.timeoutSeconds": integer({ minimum: 1, default: 180, description: "seconds that one summary may take" }),
  "compaction.remoteEnabled": flag({
    default: true,
    description: "let the vendor of the model compact where it can, else compaction.remoteEndpoint when it is set",
  }),
  "compaction.remoteEndpoint": text({
    format: "http-address",
    default: "",
    description: "address that makes summaries: gets {systemPrompt, prompt}, answers {summary}",
  }),
  "compaction.handoffSaveToDisk": flag({
    default: false,
    description: "keep the briefing of an automatic handoff as handoff-*.md beside the session that wrote it",
  }),
  "compaction.idleEnabled": flag({ default: false, description: "make room while nothing is going on" }),
  "compaction.idleThresholdTokens": integer({
    minimum: 1,
    default: 200_000,
    description: "only above this many tokens",
  }),
  "compaction.idleTimeoutSeconds": integer({
    minimum: 1,
    default: 300,
    description: "only after this many seconds of silence",
  }),
} as const satisfies Record<string, Schema>;
