// What Ollama refuses: mostly values that do not fit its Go types. Unknown fields are accepted.

import { isFields, objects, refuse, string, validatorOf } from "../refuse.ts";

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export const validate = validatorOf(({ body }) => {
  if (string(body["model"]) === "") refuse("model is required");
  for (const message of objects(body["messages"])) {
    const role = string(message["role"]);
    if (!["system", "user", "assistant", "tool"].includes(role)) refuse(`invalid role: "${role}"`);
    if (message["content"] !== undefined && typeof message["content"] !== "string") {
      refuse("json: cannot unmarshal value into Go struct field ChatRequest.messages.content of type string");
    }
    const images = Array.isArray(message["images"]) ? message["images"] : [];
    if (images.some((image) => !BASE64.test(string(image)))) refuse("illegal base64 data at input byte 0");
    for (const call of objects(message["tool_calls"])) {
      const target = call["function"];
      if (!isFields(target) || !isFields(target["arguments"])) {
        refuse("json: cannot unmarshal value into Go struct field .arguments of type api.ToolCallFunctionArguments");
      }
    }
  }
});
