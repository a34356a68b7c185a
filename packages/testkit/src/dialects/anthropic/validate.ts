// What Anthropic's Messages API refuses: parameters, tools, cache markers. Messages are checked in messages.ts.

import {
  type Checked,
  duplicate,
  type Fields,
  isFields,
  objects,
  refuse,
  string,
  unknownField,
  validatorOf,
} from "../refuse.ts";
import { checkMessages } from "./messages.ts";

const FIELDS = [
  ...[
    "model",
    "messages",
    "max_tokens",
    "system",
    "metadata",
    "stop_sequences",
    "stream",
    "temperature",
    "top_k",
    "top_p",
  ],
  ...[
    "tools",
    "tool_choice",
    "thinking",
    "container",
    "service_tier",
    "output_config",
    "cache_control",
    "inference_geo",
  ],
  ...["speed", "diagnostics", "user_profile_id", "workspace_id"],
];
/** Only accepted with an `anthropic-beta` header. */
const BETA_FIELDS = ["context_management", "mcp_servers", "output_format", "fallbacks", "compaction", "thread"];
const COUNT_FIELDS = [
  "model",
  "messages",
  "system",
  "tools",
  "tool_choice",
  "thinking",
  "output_config",
  "cache_control",
];
const TOOL_FIELDS = [
  ...["name", "description", "input_schema", "cache_control", "type", "strict", "eager_input_streaming"],
  ...["defer_loading", "allowed_callers", "input_examples"],
];
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const MAX_MARKERS = 4;
const MIN_BUDGET = 1024;

export const validate = validatorOf((checked) => {
  const { request, body } = checked;
  if (request.headers["anthropic-version"] === undefined) refuse("anthropic-version: header is required");
  checkFields(checked);
  checkParameters(body, request.route?.operation === "count");
  checkTools(body);
  checkThinking(body);
  checkSystem(body);
  checkMessages(body);
  checkMarkers(body);
});

function checkFields({ request, body, options }: Checked): void {
  const known = request.route?.operation === "count" ? COUNT_FIELDS : FIELDS;
  const beta = request.headers["anthropic-beta"] === undefined ? [] : BETA_FIELDS;
  const extra = unknownField(body, [...known, ...beta, ...options.allowFields]);
  if (extra) refuse(`${extra}: Extra inputs are not permitted`);
}

function checkParameters(body: Fields, counting: boolean): void {
  if (typeof body["model"] !== "string" || body["model"] === "") refuse("model: Field required");
  if (!Array.isArray(body["messages"])) refuse("messages: Field required");
  if (counting) return;
  const max = body["max_tokens"];
  if (max === undefined) refuse("max_tokens: Field required");
  if (!Number.isInteger(max) || (max as number) < 1) refuse("max_tokens: Input should be an integer of at least 1");
  const temperature = body["temperature"];
  if (temperature !== undefined && !(typeof temperature === "number" && temperature >= 0 && temperature <= 1)) {
    refuse("temperature: range: 0..1");
  }
  const metadata = body["metadata"];
  const extra = isFields(metadata) && unknownField(metadata, ["user_id"]);
  if (extra) refuse(`metadata.${extra}: Extra inputs are not permitted`);
  const stops = body["stop_sequences"];
  if (Array.isArray(stops) && stops.some((stop) => string(stop).trim() === "")) {
    refuse("stop_sequences: each stop sequence must contain non-whitespace");
  }
}

function checkTools(body: Fields): void {
  const tools = objects(body["tools"]);
  for (const [i, tool] of tools.entries()) {
    const custom = tool["type"] === undefined || tool["type"] === "custom";
    if (!custom) continue;
    const extra = unknownField(tool, TOOL_FIELDS);
    if (extra) refuse(`tools.${i}.custom.${extra}: Extra inputs are not permitted`);
    if (!TOOL_NAME.test(string(tool["name"]))) {
      refuse(`tools.${i}.custom.name: String should match pattern '${TOOL_NAME.source}'`);
    }
    const schema = tool["input_schema"];
    if (!isFields(schema)) refuse(`tools.${i}.custom.input_schema: Field required`);
    if (schema["type"] !== "object") refuse(`tools.${i}.custom.input_schema.type: Input should be 'object'`);
  }
  if (duplicate(tools.map((tool) => string(tool["name"])))) refuse("tools: Tool names must be unique.");
  checkToolChoice(body["tool_choice"], tools);
}

function checkToolChoice(choice: unknown, tools: readonly Fields[]): void {
  if (choice === undefined) return;
  if (!isFields(choice) || !["auto", "any", "tool", "none"].includes(string(choice["type"]))) {
    refuse("tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'");
  }
  if (tools.length === 0) refuse("tool_choice: may only be specified while providing tools");
  if (choice["type"] === "tool" && !tools.some((tool) => tool["name"] === choice["name"])) {
    refuse(`tool_choice: Tool '${string(choice["name"])}' not found in provided tools`);
  }
}

function checkThinking(body: Fields): void {
  const thinking = body["thinking"];
  if (!isFields(thinking) || thinking["type"] === "disabled") return;
  if (thinking["type"] === "enabled") {
    const budget = thinking["budget_tokens"];
    if (typeof budget !== "number") refuse("thinking.enabled.budget_tokens: Field required");
    if (budget < MIN_BUDGET) refuse("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
    if (typeof body["max_tokens"] === "number" && budget >= body["max_tokens"]) {
      refuse("`max_tokens` must be greater than `thinking.budget_tokens`");
    }
  }
  const temperature = body["temperature"];
  if (temperature !== undefined && temperature !== 1) {
    refuse("`temperature` may only be set to 1 when thinking is enabled");
  }
  const choice = body["tool_choice"];
  if (isFields(choice) && ["any", "tool"].includes(string(choice["type"]))) {
    refuse("Thinking may not be enabled when tool_choice forces tool use.");
  }
}

function checkSystem(body: Fields): void {
  const system = body["system"];
  if (system === undefined || typeof system === "string") return;
  if (!Array.isArray(system)) refuse("system: Input should be a valid string or list");
  for (const [i, block] of objects(system).entries()) {
    if (block["type"] !== "text") refuse(`system.${i}.type: Input should be 'text'`);
    const extra = unknownField(block, ["type", "text", "cache_control", "citations"]);
    if (extra) refuse(`system.${i}.${extra}: Extra inputs are not permitted`);
    if (string(block["text"]) === "") refuse("system: text content blocks must be non-empty");
  }
}

/** Everything that may carry a marker, in the order of the prompt: tools, system, messages, nested results. */
function markerHolders(body: Fields): Fields[] {
  const blocks = objects(body["messages"]).flatMap((message) =>
    objects(message["content"]).flatMap((block) => [block, ...objects(block["content"])]),
  );
  return [...objects(body["tools"]), ...objects(body["system"]), ...blocks];
}

function checkMarkers(body: Fields): void {
  const markers = markerHolders(body).flatMap((item) =>
    isFields(item["cache_control"]) ? [item["cache_control"]] : [],
  );
  const automatic = isFields(body["cache_control"]) ? 1 : 0;
  const count = markers.length + automatic;
  if (count > MAX_MARKERS) {
    refuse(`A maximum of ${MAX_MARKERS} blocks with cache_control may be provided. Found ${count}.`);
  }
  for (const marker of markers) {
    const extra = unknownField(marker, ["type", "ttl"]);
    if (marker["type"] !== "ephemeral" || extra) refuse("cache_control: Input should be of type 'ephemeral'");
    if (marker["ttl"] !== undefined && !["5m", "1h"].includes(string(marker["ttl"]))) {
      refuse("cache_control.ephemeral.ttl: Input should be '5m' or '1h'");
    }
  }
  const firstShort = markers.findIndex((marker) => marker["ttl"] !== "1h");
  if (firstShort >= 0 && markers.slice(firstShort).some((marker) => marker["ttl"] === "1h")) {
    refuse("cache_control: a ttl='1h' block must not come after a ttl='5m' block");
  }
}
