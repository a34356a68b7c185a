// What the Gemini API refuses: fields its protocol does not know, tools, parameters. Contents are checked in contents.ts.

import { duplicate, type Fields, isFields, objects, refuse, string, validatorOf } from "../refuse.ts";
import { checkContents } from "./contents.ts";
import { field, generation, knownFields } from "./json.ts";
import { checkSchema } from "./schema.ts";

const FIELDS = [
  ...["contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings", "cachedContent"],
  ...["labels", "model", "serviceTier", "store", "modelArmorConfig"],
];
const GENERATION_FIELDS = [
  ...["temperature", "topP", "topK", "candidateCount", "maxOutputTokens", "stopSequences", "responseMimeType"],
  ...["responseSchema", "responseJsonSchema", "presencePenalty", "frequencyPenalty", "seed", "responseLogprobs"],
  ...["logprobs", "responseModalities", "speechConfig", "thinkingConfig", "mediaResolution", "imageConfig"],
  ...["enableEnhancedCivicAnswers", "audioTimestamp", "routingConfig", "responseFormat"],
];
const TOOL_FIELDS = [
  ...["functionDeclarations", "googleSearch", "googleSearchRetrieval", "codeExecution", "urlContext", "fileSearch"],
  ...["googleMaps", "computerUse", "retrieval", "enterpriseWebSearch", "mcpServers"],
];
const DECLARATION_FIELDS = [
  ...["name", "description", "parameters", "parametersJsonSchema", "response", "responseJsonSchema", "behavior"],
];
const FUNCTION_NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

export const validate = validatorOf(({ request, body, options }) => {
  if (request.route?.operation === "count") {
    const inner = field(body, "generateContentRequest");
    checkContents(isFields(inner) ? inner : body, request.model ?? "");
    return;
  }
  knownFields(body, [...FIELDS, ...options.allowFields], "");
  checkGeneration(field(body, "generationConfig"), request.model ?? "");
  const declarations = checkTools(field(body, "tools"));
  checkToolConfig(field(body, "toolConfig"), declarations);
  const system = field(body, "systemInstruction");
  if (isFields(system) && objects(system["parts"]).length === 0) {
    refuse("* GenerateContentRequest.system_instruction.parts: must not be empty.");
  }
  checkContents(body, request.model ?? "");
});

function checkGeneration(config: unknown, model: string): void {
  if (!isFields(config)) return;
  knownFields(config, GENERATION_FIELDS, "generation_config");
  const schema = field(config, "responseSchema");
  if (schema !== undefined) checkSchema(schema, "generation_config.response_schema");
  if (schema !== undefined && field(config, "responseMimeType") !== "application/json") {
    refuse("Response schema is only supported with the response mime type 'application/json'.");
  }
  const thinking = field(config, "thinkingConfig");
  if (!isFields(thinking)) return;
  knownFields(thinking, ["includeThoughts", "thinkingBudget", "thinkingLevel"], "generation_config.thinking_config");
  const level = field(thinking, "thinkingLevel");
  if (level !== undefined && field(thinking, "thinkingBudget") !== undefined) {
    refuse("You can only set one of thinking budget and thinking level.");
  }
  if (level !== undefined && generation(model) < 3) refuse("Thinking level is not supported for this model.");
}

/** Names of all declared functions. */
function checkTools(tools: unknown): string[] {
  const names = objects(tools).flatMap((tool, i) => {
    knownFields(tool, TOOL_FIELDS, `tools[${i}]`);
    return objects(field(tool, "functionDeclarations")).map((declaration, j) =>
      checkDeclaration(declaration, `tools[${i}].function_declarations[${j}]`),
    );
  });
  const twice = duplicate(names);
  if (twice) refuse(`Duplicate function declaration found: ${twice}`);
  return names;
}

function checkDeclaration(declaration: Fields, at: string): string {
  knownFields(declaration, DECLARATION_FIELDS, at);
  const name = string(declaration["name"]);
  if (!FUNCTION_NAME.test(name)) {
    refuse(
      `* GenerateContentRequest.${at}.name: Invalid function name. It must start with a letter or an underscore and hold at most 64 letters, digits, underscores, dots, colons or dashes.`,
    );
  }
  const parameters = declaration["parameters"];
  if (parameters !== undefined && field(declaration, "parametersJsonSchema") !== undefined) {
    refuse(`* GenerateContentRequest.${at}: parameters and parameters_json_schema are mutually exclusive.`);
  }
  if (parameters !== undefined) checkSchema(parameters, `${at}.parameters`);
  return name;
}

function checkToolConfig(config: unknown, declared: readonly string[]): void {
  if (!isFields(config)) return;
  const calling = field(config, "functionCallingConfig");
  if (!isFields(calling)) return;
  const at = "tool_config.function_calling_config";
  knownFields(calling, ["mode", "allowedFunctionNames", "streamFunctionCallArguments"], at);
  const mode = string(calling["mode"]).toUpperCase();
  if (!["", "MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"].includes(mode)) {
    refuse(`Invalid value at '${at}.mode', "${mode}"`);
  }
  const allowed = field(calling, "allowedFunctionNames");
  if (!Array.isArray(allowed) || allowed.length === 0) return;
  if (mode !== "ANY" && mode !== "VALIDATED") {
    refuse("Function calling mode must be ANY or VALIDATED when allowed_function_names is set.");
  }
  const unknown = allowed.find((name) => !declared.includes(string(name)));
  if (unknown !== undefined) refuse(`allowed_function_names: function '${string(unknown)}' is not declared.`);
}
