// Shapes of those parameters of the Responses API that have several forms.

import { anyObject, exactly, flag, optional, text } from "../../schema/define.ts";
import { Shape } from "../common/read.ts";

const namedChoice = { name: text() };

/** Definitions of tools. */
export const toolShapes = {
  function: new Shape(
    { type: exactly("function"), name: text(), description: optional(text()), parameters: optional(anyObject()) },
    { ignored: ["strict", "defer_loading"] },
  ),
  custom: new Shape(
    { type: exactly("custom"), name: text(), description: optional(text()), format: optional(anyObject()) },
    { ignored: ["defer_loading"] },
  ),
};

/** Choices of one tool. */
export const choiceShapes = {
  function: new Shape({ type: exactly("function"), ...namedChoice }),
  custom: new Shape({ type: exactly("custom"), ...namedChoice }),
};

/** Formats of the answer. */
export const formatShapes = {
  text: new Shape({ type: exactly("text") }),
  json_object: new Shape({ type: exactly("json_object") }),
  json_schema: new Shape(
    {
      type: exactly("json_schema"),
      name: text({ pattern: "^[a-zA-Z0-9_-]{1,64}$" }),
      schema: anyObject(),
      strict: optional(flag()),
    },
    { ignored: ["description"] },
  ),
};
