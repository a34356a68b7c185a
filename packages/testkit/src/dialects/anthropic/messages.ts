// What Anthropic refuses in a conversation: roles, blocks, the pairing of calls and results, thinking in a tool loop.

import { signatureFits } from "../../resolve.ts";
import { duplicate, type Fields, isFields, objects, refuse, string, unknownField } from "../refuse.ts";

const BLOCK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["type", "text", "cache_control", "citations"],
  image: ["type", "source", "cache_control", "transformations"],
  document: ["type", "source", "title", "context", "citations", "cache_control"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
  tool_use: ["type", "id", "name", "input", "cache_control", "caller", "toolset_name"],
  tool_result: ["type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"],
};
/** Blocks of server-side tools; their contents are not checked here. */
const SERVER_BLOCK = /^(search_result|server_tool_use|container_upload|.*_tool_result)$/;
const USER_BLOCKS = ["text", "image", "document", "tool_result", "search_result", "container_upload"];
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const ID = /^[a-zA-Z0-9_-]+$/;
/** Models from 4.6 on only answer if the last message is the user's. */
const NO_PREFILL = /claude-[a-z]+-(4-[6-9]|[5-9])/;

export function checkMessages(body: Fields): void {
  const messages = objects(body["messages"]);
  if (messages.length === 0) refuse("messages: at least one message is required");
  for (const [i, message] of messages.entries()) checkMessage(message, i, i === messages.length - 1);
  checkRoles(messages, string(body["model"]));
  checkPairs(messages);
  const usesTools = messages.some((message) =>
    blocksOf(message).some((block) => /^tool_(use|result)$/.test(kind(block))),
  );
  if (usesTools && objects(body["tools"]).length === 0) {
    refuse("tools: Field required when the messages hold `tool_use` or `tool_result` blocks");
  }
  const thinking = body["thinking"];
  if (isFields(thinking) && thinking["type"] === "enabled") checkToolLoop(messages);
}

const kind = (block: Fields): string => string(block["type"]);

function blocksOf(message: Fields | undefined): readonly Fields[] {
  return objects(message?.["content"]);
}

function checkMessage(message: Fields, index: number, last: boolean): void {
  const at = `messages.${index}`;
  const extra = unknownField(message, ["role", "content"]);
  if (extra) refuse(`${at}.${extra}: Extra inputs are not permitted`);
  const content = message["content"];
  const empty = content === "" || (Array.isArray(content) && content.length === 0);
  if (empty && !(last && message["role"] === "assistant")) {
    refuse(`${at}: all messages must have non-empty content except for the optional final assistant message`);
  }
  if (typeof content !== "string" && !Array.isArray(content)) refuse(`${at}.content: Field required`);
  const final = blocksOf(message).at(-1);
  if (message["role"] === "assistant" && final && kind(final).endsWith("thinking")) {
    refuse(`${at}: The final block in an assistant message cannot be \`${kind(final)}\`.`);
  }
  for (const [j, block] of blocksOf(message).entries())
    checkBlock(block, `${at}.content.${j}`, string(message["role"]));
}

function checkRoles(messages: readonly Fields[], model: string): void {
  for (const [i, { role }] of messages.entries()) {
    if (role === "system") refuse('messages: Unexpected role "system". Use the top-level `system` parameter.');
    if (role !== "user" && role !== "assistant") refuse(`messages.${i}.role: Input should be 'user' or 'assistant'`);
    if (i > 0 && messages[i - 1]!["role"] === role) {
      refuse(
        `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`,
      );
    }
  }
  if (messages[0]!["role"] !== "user") refuse('messages: first message must use the "user" role');
  const final = messages.at(-1)!;
  if (final["role"] !== "assistant") return;
  if (NO_PREFILL.test(model)) {
    refuse("This model does not support assistant message prefill. The conversation must end with a user message.");
  }
  const content = final["content"];
  const tail = typeof content === "string" ? content : string(blocksOf(final).at(-1)?.["text"]);
  if (/\s$/.test(tail)) refuse("messages: final assistant content cannot end with trailing whitespace");
}

function checkBlock(block: Fields, at: string, role: string): void {
  const type = kind(block);
  const known = Object.hasOwn(BLOCK_FIELDS, type) ? BLOCK_FIELDS[type] : undefined;
  if (!known) {
    if (!SERVER_BLOCK.test(type)) refuse(`${at}: Input tag '${type}' does not match any of the expected tags`);
    return;
  }
  if (role === "user" && !USER_BLOCKS.includes(type))
    refuse(`${at}: \`${type}\` blocks can only be in assistant messages`);
  if (role === "assistant" && ["image", "document", "tool_result"].includes(type)) {
    refuse(`${at}: \`${type}\` blocks can only be in \`user\` messages`);
  }
  const extra = unknownField(block, known);
  if (extra) refuse(`${at}.${type}.${extra}: Extra inputs are not permitted`);
  BLOCK_CHECKS[type]?.(block, at);
}

const BLOCK_CHECKS: Readonly<Record<string, (block: Fields, at: string) => void>> = {
  text(block, at) {
    if (typeof block["text"] !== "string") refuse(`${at}.text.text: Field required`);
    if (block["text"] === "") refuse("messages: text content blocks must be non-empty");
    if (block["text"].trim() === "") refuse("messages: text content blocks must contain non-whitespace text");
  },
  image(block, at) {
    const source = isFields(block["source"]) ? block["source"] : refuse(`${at}.image.source: Field required`);
    if (source["type"] !== "base64") return;
    if (!IMAGE_TYPES.includes(string(source["media_type"]))) {
      refuse(`${at}.image.source.base64.media_type: Input should be one of ${IMAGE_TYPES.join(", ")}`);
    }
    if (string(source["data"]) === "") refuse(`${at}.image.source.base64: image cannot be empty`);
  },
  thinking(block, at) {
    if (typeof block["thinking"] !== "string") refuse(`${at}.thinking.thinking: Field required`);
    if (typeof block["signature"] !== "string") refuse(`${at}.thinking.signature: Field required`);
    const fits = block["signature"] !== "" && signatureFits(block["signature"], block["thinking"]);
    if (!fits) refuse(`${at}: Invalid \`signature\` in \`thinking\` block`);
  },
  redacted_thinking(block, at) {
    if (string(block["data"]) === "") refuse(`${at}: Invalid \`data\` in \`redacted_thinking\` block`);
  },
  tool_use(block, at) {
    if (!ID.test(string(block["id"]))) refuse(`${at}.tool_use.id: String should match pattern '${ID.source}'`);
    if (string(block["name"]) === "") refuse(`${at}.tool_use.name: Field required`);
    if (!isFields(block["input"])) refuse(`${at}.tool_use.input: Input should be a valid dictionary`);
  },
  tool_result(block, at) {
    const inner = objects(block["content"]);
    for (const [i, item] of inner.entries()) checkBlock(item, `${at}.tool_result.content.${i}`, "result");
    if (block["is_error"] === true && inner.some((item) => kind(item) !== "text")) {
      refuse(`${at}.tool_result: all content must be type "text" if "is_error" is true`);
    }
  },
};

function checkPairs(messages: readonly Fields[]): void {
  const calls = (message: Fields | undefined) =>
    blocksOf(message).flatMap((block) => (kind(block) === "tool_use" ? [string(block["id"])] : []));
  if (duplicate(messages.flatMap(calls))) refuse("messages: `tool_use` ids must be unique");
  for (const [i, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const open = calls(messages[i - 1]);
    const results = blocks
      .filter((block) => kind(block) === "tool_result")
      .map((block) => string(block["tool_use_id"]));
    const stray = results.findIndex((id) => !open.includes(id));
    if (stray >= 0) {
      refuse(
        `messages.${i}.content.${stray}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${results[stray]}`,
      );
    }
    const twice = duplicate(results);
    if (twice)
      refuse(`messages.${i}: each tool_use must have a single result. Found multiple \`tool_result\` blocks: ${twice}`);
    const leading = blocks.findIndex((block) => kind(block) !== "tool_result");
    const inFront = leading < 0 ? results.length : leading;
    const missing = open.filter((id) => !results.slice(0, inFront).includes(id));
    if (missing.length > 0) {
      refuse(
        `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}`,
      );
    }
  }
  const unanswered = calls(messages.at(-1));
  if (unanswered.length > 0) {
    refuse(
      `messages.${messages.length - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${unanswered.join(", ")}`,
    );
  }
}

/** While calls are being answered, the assistant message that made them must still begin with its thinking. */
function checkToolLoop(messages: readonly Fields[]): void {
  const final = messages.at(-1);
  if (!blocksOf(final).some((block) => kind(block) === "tool_result")) return;
  const index = messages.length - 2;
  const first = blocksOf(messages[index])[0];
  if (first && /thinking$/.test(kind(first))) return;
  refuse(
    `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first ? kind(first) : "text"}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block`,
  );
}
