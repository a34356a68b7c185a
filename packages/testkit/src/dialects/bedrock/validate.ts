// What Bedrock's Converse API refuses: parameters, content blocks, the pairing of calls and results.

import { signatureFits } from "../../resolve.ts";
import { duplicate, type Fields, isFields, objects, refuse, string, unknownField, validatorOf } from "../refuse.ts";

const FIELDS = [
  ...["messages", "system", "inferenceConfig", "toolConfig", "guardrailConfig", "additionalModelRequestFields"],
  ...["promptVariables", "additionalModelResponseFieldPaths", "requestMetadata", "performanceConfig", "serviceTier"],
  "outputConfig",
];
const BLOCK_KINDS = [
  ...["text", "image", "document", "video", "audio", "toolUse", "toolResult", "guardContent", "cachePoint"],
  ...["reasoningContent", "citationsContent", "searchResult"],
];
const INFERENCE_FIELDS = ["maxTokens", "temperature", "topP", "stopSequences"];
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_CACHE_POINTS = 4;

export const validate = validatorOf(({ request, body, options }) => {
  if (request.route?.operation === "count") return;
  const extra = unknownField(body, [...FIELDS, ...options.allowFields]);
  if (extra) refuse(`Malformed input request: #: extraneous key [${extra}] is not permitted`);
  const inference = body["inferenceConfig"];
  if (isFields(inference)) {
    const unknown = unknownField(inference, INFERENCE_FIELDS);
    if (unknown) refuse(`Malformed input request: #/inferenceConfig: extraneous key [${unknown}] is not permitted`);
  }
  const messages = objects(body["messages"]);
  if (messages.length === 0) refuse("A conversation must hold at least one message.");
  checkTools(body, messages);
  for (const [i, block] of objects(body["system"]).entries()) checkBlock(block, `system.${i}`);
  checkRoles(messages);
  for (const [i, message] of messages.entries()) checkMessage(message, `messages.${i}`);
  checkPairs(messages);
  checkCachePoints(body, messages);
});

function blocksOf(message: Fields | undefined): readonly Fields[] {
  return objects(message?.["content"]);
}

function inner(message: Fields | undefined, kind: "toolUse" | "toolResult"): Fields[] {
  return blocksOf(message).flatMap((block) => (isFields(block[kind]) ? [block[kind]] : []));
}

const idOf = (value: Fields): string => string(value["toolUseId"]);

function checkTools(body: Fields, messages: readonly Fields[]): void {
  const config = body["toolConfig"];
  const tools = isFields(config) ? objects(config["tools"]) : [];
  if (isFields(config) && tools.length === 0) refuse("The toolConfig.tools field must hold at least one tool.");
  const used = messages.some((message) => inner(message, "toolUse").length + inner(message, "toolResult").length > 0);
  if (used && tools.length === 0) {
    refuse("The toolConfig field must be defined when using toolUse and toolResult content blocks.");
  }
  const specs = tools.flatMap((tool) => (isFields(tool["toolSpec"]) ? [tool["toolSpec"]] : []));
  for (const spec of specs) {
    const schema = spec["inputSchema"];
    if (!NAME.test(string(spec["name"]))) refuse(`Value at 'toolConfig.tools.toolSpec.name' must match ${NAME.source}`);
    if (!isFields(schema) || !isFields(schema["json"]))
      refuse("toolConfig.tools.toolSpec.inputSchema.json is required");
  }
  const twice = duplicate(specs.map((spec) => string(spec["name"])));
  if (twice) refuse(`The tool ${twice} is already defined at toolConfig.tools.`);
}

function checkRoles(messages: readonly Fields[]): void {
  if (messages[0]!["role"] !== "user") refuse("A conversation must start with a user message.");
  for (const [i, { role }] of messages.entries()) {
    if (role !== "user" && role !== "assistant") refuse(`Value at 'messages.${i}.role' must be user or assistant`);
    if (messages[i - 1]?.["role"] === role) refuse("A conversation must alternate between user and assistant roles.");
  }
}

function checkMessage(message: Fields, at: string): void {
  const extra = unknownField(message, ["role", "content"]);
  if (extra) refuse(`Malformed input request: #/${at}: extraneous key [${extra}] is not permitted`);
  if (blocksOf(message).length === 0) refuse(`The content field in the Message object at ${at} is empty.`);
  for (const [i, block] of blocksOf(message).entries()) checkBlock(block, `${at}.content.${i}`);
}

function checkBlock(block: Fields, at: string): void {
  const kinds = Object.keys(block);
  if (kinds.length !== 1 || !BLOCK_KINDS.includes(kinds[0]!)) {
    refuse(`The ContentBlock object at ${at} must set exactly one of the following keys: ${BLOCK_KINDS.join(", ")}.`);
  }
  if ("text" in block && string(block["text"]).trim() === "") {
    refuse(`The text field in the ContentBlock object at ${at} is blank.`);
  }
  const use = block["toolUse"];
  if (isFields(use)) {
    if (!NAME.test(idOf(use))) refuse(`Value at '${at}.toolUse.toolUseId' must match ${NAME.source}`);
    if (!NAME.test(string(use["name"]))) refuse(`Value at '${at}.toolUse.name' must match ${NAME.source}`);
    if (!isFields(use["input"]))
      refuse(`The format of the value at ${at}.toolUse.input is invalid. Provide a json object.`);
  }
  const result = block["toolResult"];
  if (isFields(result)) {
    if (!Array.isArray(result["content"])) refuse(`Value at '${at}.toolResult.content' is required`);
    const blank = objects(result["content"]).some((item) => "text" in item && string(item["text"]).trim() === "");
    if (blank) refuse(`The text field in the ToolResultContentBlock object at ${at}.toolResult.content is blank.`);
  }
  const reasoning = block["reasoningContent"];
  if (isFields(reasoning)) checkReasoning(reasoning, at);
}

function checkReasoning(reasoning: Fields, at: string): void {
  const text = reasoning["reasoningText"];
  if (!isFields(text)) return;
  const signature = string(text["signature"]);
  if (signature === "") refuse(`The model returned the following errors: ${at}.thinking.signature: Field required`);
  if (!signatureFits(signature, string(text["text"]))) {
    refuse(`The model returned the following errors: ${at}: Invalid \`signature\` in \`thinking\` block`);
  }
}

function checkPairs(messages: readonly Fields[]): void {
  const twice = duplicate(messages.flatMap((message) => inner(message, "toolUse").map(idOf)));
  if (twice) refuse(`The model returned the following errors: messages: \`tool_use\` ids must be unique: ${twice}`);
  for (const [i, message] of [...messages, undefined].entries()) {
    const calls = inner(messages[i - 1], "toolUse").map(idOf);
    const results = inner(message, "toolResult").map(idOf);
    if (results.length > calls.length) {
      refuse(
        `The number of toolResult blocks at messages.${i}.content exceeds the number of toolUse blocks of previous turn.`,
      );
    }
    const missing = calls.filter((id) => !results.includes(id));
    if (missing.length > 0) {
      refuse(`Expected toolResult blocks at messages.${i}.content for the following Ids: ${missing.join(", ")}`);
    }
    const stray = results.find((id) => !calls.includes(id));
    if (stray) refuse(`The toolResult block at messages.${i}.content has an unexpected toolUseId: ${stray}`);
  }
}

function checkCachePoints(body: Fields, messages: readonly Fields[]): void {
  const config = body["toolConfig"];
  const places = [
    ...(isFields(config) ? objects(config["tools"]) : []),
    ...objects(body["system"]),
    ...messages.flatMap(blocksOf),
  ];
  const count = places.filter((block) => "cachePoint" in block).length;
  if (count > MAX_CACHE_POINTS) refuse(`You have reached the maximum number of cache points: ${MAX_CACHE_POINTS}.`);
}
