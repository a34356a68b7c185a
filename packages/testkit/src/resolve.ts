// Fills in what a script does not set: ids, stop reason, usage, signatures.

import { createHash } from "node:crypto";
import type { ResolvedBlock, ResolvedTurn } from "./dialect.ts";
import type { DialectName } from "./routes.ts";
import type { Block, CallBlock, ModelTurn, ScriptedUsage } from "./turn.ts";

export interface ResolveContext {
  readonly serial: number;
  readonly dialect: DialectName;
  readonly model: string;
  /** Size of the request, for usage that the script does not set. */
  readonly requestBytes: number;
  /** Replaces input and cache numbers when the server simulates a prompt cache. */
  readonly usageOverride?: (usage: ScriptedUsage) => ScriptedUsage;
}

export function resolveTurn(turn: ModelTurn, context: ResolveContext): ResolvedTurn {
  const blocks = turn.blocks.map((block, i) => resolveBlock(block, context, i));
  const usage = turn.usage === false ? undefined : (turn.usage ?? estimate(turn.blocks, context));
  return {
    serial: context.serial,
    ...(turn.id === undefined ? {} : { id: turn.id }),
    model: turn.model ?? context.model,
    blocks,
    stop: turn.stop ?? (blocks.some((block) => block.type === "call") ? "tool_calls" : "stop"),
    ...(turn.rawStop === undefined ? {} : { rawStop: turn.rawStop }),
    usage: usage && (context.usageOverride?.(usage) ?? usage),
    deltaChars: turn.deltaChars ?? 16,
  };
}

const CALL_PREFIX: Readonly<Record<DialectName, string>> = {
  anthropic: "toolu_01",
  responses: "call_",
  chat: "call_",
  gemini: "call_",
  bedrock: "tooluse_",
  ollama: "call_",
};

function resolveBlock(block: Block, context: ResolveContext, position: number): ResolvedBlock {
  switch (block.type) {
    case "text":
      return block;
    case "thinking":
      return { ...block, signature: block.signature ?? signatureOf(block.text) };
    case "call":
      return {
        type: "call",
        name: block.name,
        args: argsOf(block),
        rawArgs: block.rawArgs ?? JSON.stringify(block.args ?? {}),
        id: block.id ?? `${CALL_PREFIX[context.dialect]}${serialPart(context.serial)}${position}`,
        ownId: block.id !== undefined,
        ...(block.signature === undefined ? {} : { signature: block.signature }),
      };
  }
}

function argsOf(block: CallBlock): unknown {
  if (block.rawArgs === undefined) return block.args ?? {};
  try {
    return JSON.parse(block.rawArgs);
  } catch {
    // Dialects that carry arguments as objects cannot express invalid JSON.
    return {};
  }
}

const SIGNATURE_MARK = "testkit";

/** A signature that fits only this text; base64, as Google's JSON requires. */
export function signatureOf(text: string): string {
  const digest = createHash("sha256").update(text).digest("base64url").slice(0, 24);
  return Buffer.from(`${SIGNATURE_MARK}:${digest}`).toString("base64");
}

/** Gemini signs calls, not thoughts. */
export function callSignature(name: string, args: unknown): string {
  return signatureOf(callText(name, args));
}

export function callText(name: string, args: unknown): string {
  return `${name} ${JSON.stringify(args ?? {})}`;
}

/** False if the signature is one of ours and belongs to another text. Foreign signatures pass. */
export function signatureFits(signature: string, text: string): boolean {
  const ours = Buffer.from(signature, "base64").toString("latin1").startsWith(`${SIGNATURE_MARK}:`);
  return !ours || signature === signatureOf(text);
}

export function serialPart(serial: number): string {
  return String(serial).padStart(6, "0");
}

/** Vendors that always report the number of thinking tokens. */
const COUNTS_THINKING: readonly DialectName[] = ["responses", "chat", "gemini"];

function estimate(blocks: readonly Block[], { requestBytes, dialect }: ResolveContext): ScriptedUsage {
  const thinking = tokens(blocks.filter((block) => block.type === "thinking"));
  const output = Math.max(1, tokens(blocks));
  const input = Math.max(1, Math.ceil(requestBytes / 4));
  return thinking > 0 && COUNTS_THINKING.includes(dialect) ? { input, output, reasoning: thinking } : { input, output };
}

function tokens(blocks: readonly Block[]): number {
  const chars = blocks.reduce((sum, block) => sum + sizeOf(block), 0);
  return Math.ceil(chars / 4);
}

function sizeOf(block: Block): number {
  return block.type === "call" ? (block.rawArgs ?? JSON.stringify(block.args ?? {})).length : block.text.length;
}
