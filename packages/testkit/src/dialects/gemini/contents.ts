// What the Gemini API refuses in a conversation: parts, the order of call and response turns, missing thought signatures.

import { callText, signatureFits } from "../../resolve.ts";
import { type Fields, isFields, objects, refuse, string } from "../refuse.ts";
import { field, generation, knownFields } from "./json.ts";

const DATA_FIELDS = [
  ...["text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult"],
  ...["toolCall", "toolResponse"],
];
const PART_FIELDS = [...DATA_FIELDS, "thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"];
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

export function checkContents(body: Fields, model: string): void {
  const contents = objects(body["contents"]);
  if (contents.length === 0) refuse("* GenerateContentRequest.contents: contents is not specified");
  for (const [i, content] of contents.entries()) checkContent(content, `contents[${i}]`);
  checkTurns(contents);
  if (generation(model) >= 3) checkSignatures(contents);
}

function partsOf(content: Fields | undefined): readonly Fields[] {
  return objects(content?.["parts"]);
}

function inner(content: Fields | undefined, name: "functionCall" | "functionResponse"): Fields[] {
  return partsOf(content).flatMap((part) => {
    const value = field(part, name);
    return isFields(value) ? [value] : [];
  });
}

function checkContent(content: Fields, at: string): void {
  knownFields(content, ["role", "parts"], at);
  const role = content["role"];
  if (role !== undefined && !["user", "model", "function"].includes(string(role))) {
    refuse("Please use a valid role: user, model.");
  }
  if (partsOf(content).length === 0) {
    refuse(`* GenerateContentRequest.${at}.parts: contents.parts must not be empty.`);
  }
  for (const [i, part] of partsOf(content).entries()) checkPart(part, `${at}.parts[${i}]`);
}

function checkPart(part: Fields, at: string): void {
  knownFields(part, PART_FIELDS, at);
  const data = DATA_FIELDS.filter((name) => field(part, name) !== undefined);
  const signature = field(part, "thoughtSignature");
  const blank = data.length === 0 || (part["text"] === "" && signature === undefined);
  if (blank) {
    refuse(`* GenerateContentRequest.${at}.data: required oneof field 'data' must have one initialized field`);
  }
  if (data.length > 1)
    refuse(`Invalid value at '${at}' (oneof), oneof field 'data' is already set. Cannot set '${data[1]}'`);
  if (signature !== undefined && !BASE64.test(string(signature))) {
    refuse(`Invalid value at '${at}.thought_signature' (TYPE_BYTES), Base64 decoding failed`);
  }
  const call = field(part, "functionCall");
  if (isFields(call) && !signatureFits(string(signature), callText(string(call["name"]), call["args"]))) {
    refuse(`Thought signature of ${at} is not valid: it belongs to another part.`);
  }
  const inline = field(part, "inlineData");
  if (isFields(inline) && string(field(inline, "mimeType")) === "") {
    refuse(`* GenerateContentRequest.${at}.inline_data.mime_type: must not be empty`);
  }
  checkFunctionPart(call, "args", `${at}.function_call`);
  const response = field(part, "functionResponse");
  checkFunctionPart(response, "response", `${at}.function_response`);
  if (isFields(response)) checkResponseMedia(response, `${at}.function_response`);
}

function checkFunctionPart(value: unknown, payload: "args" | "response", at: string): void {
  if (!isFields(value)) return;
  if (string(value["name"]) === "") refuse(`* GenerateContentRequest.${at}.name: Name cannot be empty.`);
  const known =
    payload === "args" ? ["id", "name", "args"] : ["id", "name", "response", "parts", "scheduling", "willContinue"];
  knownFields(value, known, at);
  const payloadValue = value[payload];
  const optional = payload === "args" && payloadValue === undefined;
  if (!optional && !isFields(payloadValue)) refuse(`Invalid value at '${at}.${payload}' (Struct): expected an object.`);
}

function checkResponseMedia(response: Fields, at: string): void {
  for (const [i, part] of partsOf(response).entries()) {
    knownFields(part, ["inlineData", "fileData"], `${at}.parts[${i}]`);
    const inline = field(part, "inlineData");
    if (!isFields(inline)) refuse(`* GenerateContentRequest.${at}.parts[${i}].data: required`);
    else if (!/^(?:image\/(?:png|jpeg|webp)|application\/pdf|text\/plain)$/.test(string(field(inline, "mimeType"))))
      refuse(`Unsupported MIME type in ${at}.parts[${i}].inline_data.`);
  }
}

function checkTurns(contents: readonly Fields[]): void {
  for (const [i, content] of contents.entries()) {
    const calls = inner(content, "functionCall");
    const responses = inner(content, "functionResponse");
    const before = contents[i - 1];
    if (calls.length > 0) {
      if (content["role"] !== "model") refuse("Function call parts belong into a model turn.");
      if (i === 0 || before?.["role"] === "model") {
        refuse("A function call turn must come immediately after a user turn or after a function response turn.");
      }
      checkAnswers(calls, inner(contents[i + 1], "functionResponse"));
    }
    if (responses.length > 0 && inner(before, "functionCall").length === 0) {
      refuse("A function response turn must come immediately after a function call turn.");
    }
  }
}

function checkAnswers(calls: readonly Fields[], responses: readonly Fields[]): void {
  if (calls.length !== responses.length) {
    refuse(
      "The number of function response parts must be equal to the number of function call parts of the function call turn.",
    );
  }
  const names = (list: readonly Fields[]) =>
    list
      .map((item) => string(item["name"]))
      .sort()
      .join(" ");
  if (names(calls) !== names(responses))
    refuse("Function response names must match the names of the function call turn.");
  const ids = calls.map((item) => item["id"]);
  const stray = responses.find((item) => item["id"] !== undefined && !ids.includes(item["id"]));
  if (stray) refuse(`Function response id '${string(stray["id"])}' matches no function call of the preceding turn.`);
}

/** Only checked in the current turn: from the last user content that is not a function response. */
function checkSignatures(contents: readonly Fields[]): void {
  const start = contents.findLastIndex(
    (content) => content["role"] !== "model" && inner(content, "functionResponse").length === 0,
  );
  for (const [i, content] of contents.entries()) {
    if (i <= start) continue;
    const position = partsOf(content).findIndex((part) => field(part, "functionCall") !== undefined);
    if (position < 0) continue;
    const first = partsOf(content)[position]!;
    if (string(field(first, "thoughtSignature")) !== "") continue;
    const call = field(first, "functionCall");
    refuse(
      `Function call is missing a thought_signature in functionCall parts. Function call \`default_api:${isFields(call) ? string(call["name"]) : ""}\`, position ${position + 1}.`,
    );
  }
}
