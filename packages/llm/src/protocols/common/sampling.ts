// Temperature and topP, or neither if the model refuses them.

import type { EncodeInput } from "../../types/protocol.ts";
import type { Request } from "../../types/request.ts";
import type { Warning } from "../../types/response.ts";

export function samplingOf(
  { request, model }: EncodeInput,
  reasons: boolean,
  warnings: Warning[],
): Pick<Request, "temperature" | "topP"> {
  const { temperature, topP } = request;
  if (model.sampling === undefined || (model.sampling === "without-reasoning" && !reasons)) {
    return { ...(temperature === undefined ? {} : { temperature }), ...(topP === undefined ? {} : { topP }) };
  }
  const reason =
    model.sampling === "never" ? `${model.id} does not accept it` : `${model.id} does not accept it while it reasons`;
  for (const [name, value] of Object.entries({ temperature, topP })) {
    if (value !== undefined)
      warnings.push({ message: `${name} was not sent: ${reason}`, code: "unsupported_parameter" });
  }
  return {};
}
