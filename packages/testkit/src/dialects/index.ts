// Every dialect by name.

import type { Dialect } from "../dialect.ts";
import type { DialectName } from "../routes.ts";
import { anthropic } from "./anthropic/render.ts";
import { bedrock } from "./bedrock/render.ts";
import { chat } from "./chat/render.ts";
import { gemini } from "./gemini/render.ts";
import { ollama } from "./ollama/render.ts";
import { responses } from "./responses/render.ts";

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  anthropic,
  responses,
  chat,
  gemini,
  bedrock,
  ollama,
};
