// Ollama's own chat API as a Protocol: NDJSON, arguments as objects, no forced tool choice.

import type { Protocol } from "../../types/protocol.ts";
import { OllamaDecoder } from "./decode.ts";
import { encodeOllama } from "./encode.ts";

export const ollamaChat: Protocol = {
  name: "ollama-chat",
  framing: { kind: "ndjson" },
  toolChoiceModes: ["auto", "none"],
  encode: encodeOllama,
  decoder: (context) => new OllamaDecoder(context),
};
