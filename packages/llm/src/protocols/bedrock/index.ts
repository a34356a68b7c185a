// Bedrock Converse as a Protocol.

import type { Protocol } from "../../types/protocol.ts";
import { BedrockDecoder } from "./decode.ts";
import { encodeBedrock } from "./encode.ts";

export const bedrockConverse: Protocol = {
  name: "bedrock-converse-stream",
  framing: { kind: "aws-event-stream" },
  toolChoiceModes: ["auto", "none", "required", "named"],
  media: { maxImageBytes: 3.75 * 1024 * 1024 },
  encode: encodeBedrock,
  decoder: (context) => new BedrockDecoder(context),
};
