// Chat Completions as a Protocol, for OpenAI-compatible servers.

import type { Protocol } from "../../types/protocol.ts";
import { ChatDecoder } from "./decode.ts";
import { encodeChat } from "./encode.ts";

export const openaiChat: Protocol = {
  name: "openai-completions",
  framing: { kind: "sse" },
  toolChoiceModes: ["auto", "none", "required", "named"],
  encode: encodeChat,
  decoder: (context) => new ChatDecoder(context),
};
