// Checks that every protocol makes before anything is sent. Not every caller has types.

import { InvalidRequestError, UnsupportedToolChoiceError } from "../../types/errors.ts";
import type { Protocol } from "../../types/protocol.ts";
import type { Request } from "../../types/request.ts";

export function checkRequest(request: Request, adapter: { readonly name: string; readonly protocol: Protocol }): void {
  const { toolChoice, tools = [], responseFormat } = request;
  const { name: provider, protocol } = adapter;
  if (responseFormat?.type === "json_schema" && !responseFormat.jsonSchema)
    throw new InvalidRequestError('The response format "json_schema" needs a jsonSchema.', { provider });
  if (toolChoice === undefined) return;
  if (!protocol.toolChoiceModes.includes(toolChoice.mode))
    throw new UnsupportedToolChoiceError(`${provider} does not support the tool choice "${toolChoice.mode}".`);
  if (toolChoice.mode === "named" && !tools.some((tool) => tool.name === toolChoice.toolName))
    throw new InvalidRequestError(`The tool choice names "${toolChoice.toolName}", which is not among the tools.`, {
      provider,
    });
}
