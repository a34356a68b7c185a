// Adapts a client's request to the chosen provider according to the table: whatever the provider cannot express is
// dropped with a notice, or refused.

import type { JsonObject } from "../types/json.ts";
import type { ContentPart, Message, ThinkingPart } from "../types/message.ts";
import type { Request } from "../types/request.ts";
import { FATES, type Feature, fateOf, PROVIDER_FORMATS, type ProviderFormat } from "./table.ts";
import type { Decoded, Dropped, FormatName, ServedFormat, ServedRequest, Target, Wishes } from "./types.ts";

/** Which provider format has the same signatures as a served format. */
const NATIVE: Readonly<Partial<Record<FormatName, ProviderFormat>>> = {
  messages: "anthropic",
  responses: "responses",
  chat: "chat",
};

/** The fields in each format for features that may be refused. */
const FIELDS: Readonly<Partial<Record<Feature, Readonly<Partial<Record<FormatName, string>>>>>> = {
  stop_sequences: { chat: "stop", stream: "request.stopSequences" },
  tool_choice: { stream: "request.toolChoice" },
};

/** The request for a target, or why it cannot be sent there. */
export function fitRequest(served: ServedRequest, format: ServedFormat, target: Target): Decoded {
  const { request, wishes } = served;
  const at = PROVIDER_FORMATS[target.api];
  const refuseField = (field: string, message: string): Decoded => ({
    kind: "refused",
    refusal: { kind: "invalid", field, message },
  });
  if (at === undefined) return refuseField("model", "This server cannot answer for that model; choose another one.");
  const { model } = target;
  if (!model.supportsTools && (request.tools ?? []).length > 0)
    return refuseField("tools", "This model does not support tools; choose another one.");
  if (!model.supportsVision && request.messages.some(hasImages))
    return refuseField(fieldOf("image", format), "This model does not support images; choose another one.");
  const dropped: Dropped[] = [...served.dropped];
  for (const feature of featuresOf(request, wishes)) {
    const fate = fateOf(feature, at);
    if (fate === "dropped") dropped.push({ what: feature, why: `the provider of this model does not support it` });
    if (fate === "refused") {
      const field = fieldOf(feature, format);
      return refuseField(
        field,
        `${field}: the provider of this model does not support it. Leave it out, or choose another model.`,
      );
    }
  }
  const isNative = NATIVE[format.name] === at;
  let lost = false;
  const messages = request.messages.map((message) =>
    withOrigins(message, target, isNative, () => {
      lost = true;
    }),
  );
  if (lost) dropped.push({ what: "thinking", why: "another model wrote it" });
  const options = optionsFor(at, request, wishes, target);
  const { metadata, ...rest } = request;
  const kept = at === "anthropic" ? metadata : sessionOf(metadata);
  return {
    kind: "request",
    served: {
      ...served,
      dropped,
      request: {
        ...rest,
        model: model.id,
        provider: target.provider,
        messages,
        ...(kept === undefined ? {} : { metadata: kept }),
        ...(options === undefined ? {} : { providerOptions: { [target.provider]: options } }),
      },
    },
  };
}

const fieldOf = (feature: Feature, format: ServedFormat): string => FIELDS[feature]?.[format.name] ?? feature;

function sessionOf(metadata: Request["metadata"]): Request["metadata"] {
  const session = metadata?.["session_id"];
  return session === undefined ? undefined : { session_id: session };
}

/** The features that a request uses, in the order of the table. */
function featuresOf(request: Request, wishes: Wishes): readonly Feature[] {
  const used = new Set<Feature>();
  const add = (feature: Feature, isUsed: boolean): void => {
    if (isUsed) used.add(feature);
  };
  for (const message of request.messages) {
    add("message_name", message.name !== undefined);
    for (const part of message.content) addPart(part, add);
  }
  const { tools = [], toolChoice, responseFormat, stopSequences = [], metadata } = request;
  add("tools", tools.length > 0);
  add(
    "custom_tool",
    tools.some(({ type }) => type === "custom"),
  );
  add(
    "custom_tool_grammar",
    tools.some(({ type, format }) => type === "custom" && format !== undefined),
  );
  add(
    "cache_control",
    tools.some(({ cacheControl }) => cacheControl !== undefined),
  );
  add("tool_choice", toolChoice?.mode === "required" || toolChoice?.mode === "named");
  add("structured_output", responseFormat !== undefined && responseFormat.type !== "text");
  add("stop_sequences", stopSequences.length > 0);
  add("user_id", metadata?.["user_id"] !== undefined);
  add("parallel_tool_calls", wishes.parallelCalls === false && tools.length > 0);
  add("thinking_budget", wishes.thinkingBudget !== undefined);
  add("top_k", wishes.topK !== undefined);
  add("seed", wishes.seed !== undefined);
  add("frequency_penalty", wishes.frequencyPenalty !== undefined);
  add("presence_penalty", wishes.presencePenalty !== undefined);
  add("verbosity", wishes.verbosity !== undefined);
  return FATES.map(({ what }) => what).filter((what) => used.has(what));
}

function addPart(part: ContentPart, add: (feature: Feature, isUsed: boolean) => void): void {
  if ("cacheControl" in part) add("cache_control", part.cacheControl !== undefined);
  switch (part.kind) {
    case "image":
      add(part.image.url === undefined ? "image" : "image_url", true);
      break;
    case "document":
      add(part.document.url === undefined ? "document" : "document_url", true);
      break;
    case "audio":
      add("audio", true);
      break;
    case "tool_result":
      add("tool_result_error", part.toolResult.isError);
      for (const { url } of part.toolResult.images ?? []) add(url === undefined ? "image" : "image_url", true);
      break;
    default:
  }
}

const hasImages = ({ content }: Message): boolean =>
  content.some(
    (part) => part.kind === "image" || (part.kind === "tool_result" && part.toolResult.images !== undefined),
  );

/**
 * Signatures go back only to where they came from. One that a client got from the vendor itself does not say that: a
 * provider of the client's own format accepts it as its own, elsewhere it is lost.
 */
function withOrigins(message: Message, target: Target, isNative: boolean, lose: () => void): Message {
  if (message.role !== "assistant") return message;
  const content = message.content.flatMap((part): ContentPart[] => {
    if (part.kind !== "thinking" && part.kind !== "redacted_thinking") return [part];
    const { origin } = part.thinking;
    if (origin === undefined && isNative) return [stampOrigin(part, target)];
    if (origin?.provider === target.provider && origin.model === target.model.id) return [part];
    lose();
    return [];
  });
  return content.length === message.content.length && content.every((part, at) => part === message.content[at])
    ? message
    : { ...message, content };
}

const stampOrigin = (part: ThinkingPart, { provider, model }: Target): ThinkingPart => ({
  ...part,
  thinking: { ...part.thinking, origin: { provider, model: model.id } },
});

/** Parameters in the provider's own terms. */
function optionsFor(at: ProviderFormat, request: Request, wishes: Wishes, target: Target): JsonObject | undefined {
  const isCarried = (feature: Feature): boolean => fateOf(feature, at) === "carried";
  const numbers: JsonObject = {};
  const names = NUMBER_NAMES[at];
  for (const [feature, value] of [
    ["top_k", wishes.topK],
    ["seed", wishes.seed],
    ["frequency_penalty", wishes.frequencyPenalty],
    ["presence_penalty", wishes.presencePenalty],
  ] as const)
    if (value !== undefined && isCarried(feature)) numbers[names?.[feature] ?? feature] = value;
  const options: JsonObject = inside(at, numbers);
  if (wishes.verbosity !== undefined && isCarried("verbosity")) options["text"] = { verbosity: wishes.verbosity };
  if (wishes.parallelCalls === false && (request.tools ?? []).length > 0 && isCarried("parallel_tool_calls"))
    Object.assign(options, oneCallAtATime(at, request));
  if (wishes.thinkingBudget !== undefined && isCarried("thinking_budget") && target.model.thinking?.mode === "budget")
    options["thinking"] = { type: "enabled", budget_tokens: wishes.thinkingBudget };
  return Object.keys(options).length === 0 ? undefined : options;
}

const NUMBER_NAMES: Readonly<Partial<Record<ProviderFormat, Readonly<Partial<Record<Feature, string>>>>>> = {
  gemini: { top_k: "topK", frequency_penalty: "frequencyPenalty", presence_penalty: "presencePenalty" },
};

function inside(at: ProviderFormat, numbers: JsonObject): JsonObject {
  if (Object.keys(numbers).length === 0) return {};
  if (at === "gemini") return { generationConfig: numbers };
  return at === "ollama" ? { options: numbers } : numbers;
}

function oneCallAtATime(at: ProviderFormat, { toolChoice, responseFormat }: Request): JsonObject {
  if (at !== "anthropic") return { parallel_tool_calls: false };
  // There, a schema for the answer becomes a forced call of its own.
  if (toolChoice?.mode === "none" || (responseFormat !== undefined && responseFormat.type !== "text")) return {};
  const single = { disable_parallel_tool_use: true };
  if (toolChoice?.mode === "named") return { tool_choice: { type: "tool", name: toolChoice.toolName, ...single } };
  return { tool_choice: { type: toolChoice?.mode === "required" ? "any" : "auto", ...single } };
}

/** The header with what was omitted from the request. */
export function warningHeaders(dropped: readonly Dropped[]): Readonly<Record<string, string>> {
  const words = [...new Set(dropped.map(({ what }) => what))].filter((word) => /^[a-z_]+$/.test(word));
  return words.length === 0 ? {} : { "x-lathe-dropped": words.join(", ") };
}
