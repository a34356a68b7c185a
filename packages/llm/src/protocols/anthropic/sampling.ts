// Temperature and topP for Claude, at Anthropic and on Bedrock: only one of the two, and with thinking hardly any.

import type { EncodeInput } from "../../types/protocol.ts";
import type { Request } from "../../types/request.ts";
import type { Warning } from "../../types/response.ts";
import { samplingOf } from "../common/sampling.ts";

export function claudeSampling(
  input: EncodeInput,
  thinkingOn: boolean,
  warnings: Warning[],
): Pick<Request, "temperature" | "topP"> {
  const drop = (name: string, reason: string): undefined => {
    warnings.push({ message: `${name} was not sent: ${reason}`, code: "unsupported_parameter" });
  };
  let { temperature, topP } = samplingOf(input, thinkingOn, warnings);
  if (thinkingOn && temperature !== undefined)
    temperature = drop("temperature", "not supported together with thinking");
  if (topP !== undefined && temperature !== undefined) topP = drop("topP", "not supported together with temperature");
  if (topP !== undefined && thinkingOn && topP < 0.95)
    topP = drop("topP", "below 0.95 not supported together with thinking");
  return { temperature, topP };
}
