// Settings for making room in a full context.

import { choice, exactly, flag, integer, oneOf, type Schema, text, withWords } from "@lathe/llm/schema";

export const COMPACTION_SETTINGS = {
  "compaction.enabled": flag({
    default: true,
    description: "make room automatically when the context is full; /compact works either way",
  }),
  "compaction.strategy": choice(["context-full", "handoff", "shake", "snapcompact", "off"], {
    default: "context-full",
    description:
      "how room is made: context-full summarizes older messages, handoff starts a new session with a briefing, shake only empties old output, snapcompact turns older messages into images for models that can read them, off ends the input",
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
    description: "continue automatically when an answer leaves tasks open in a full context",
  }),
  "compaction.timeoutSeconds": integer({ minimum: 1, default: 180, description: "seconds that one summary may take" }),
  "compaction.remoteEnabled": flag({
    default: true,
    description: "let the model's vendor compact if it can, otherwise compaction.remoteEndpoint if it is set",
  }),
  "compaction.remoteEndpoint": text({
    format: "http-address",
    default: "",
    description: "address of a service that writes summaries: it gets {systemPrompt, prompt} and answers {summary}",
  }),
  "compaction.handoffSaveToDisk": flag({
    default: false,
    description: "keep the briefing of an automatic handoff as handoff-*.md beside the session that wrote it",
  }),
  "compaction.idleEnabled": flag({ default: false, description: "make room while the session is idle" }),
  "compaction.idleThresholdTokens": integer({
    minimum: 1,
    default: 200_000,
    description: "with compaction.idleEnabled: only above this many tokens",
  }),
  "compaction.idleTimeoutSeconds": integer({
    minimum: 1,
    default: 300,
    description: "with compaction.idleEnabled: only after this many idle seconds",
  }),
} as const satisfies Record<string, Schema>;
