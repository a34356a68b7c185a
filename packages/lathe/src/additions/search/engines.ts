// The engine behind each row, by its name.

import type { SearchEngineId } from "../../config/credentials/search-engines.ts";
import type { Engine } from "./engine.ts";
import { duckduckgo } from "./engines/duckduckgo.ts";
import { zai } from "./engines/mcp.ts";
import { anthropic, codex, gemini, perplexity } from "./engines/models.ts";
import { brave, exa, jina, kagi, kimi, parallel, searxng, synthetic, tavily } from "./engines/plain.ts";

export const ENGINES: Readonly<Record<SearchEngineId, Engine>> = {
  tavily,
  perplexity,
  brave,
  jina,
  kimi,
  anthropic,
  gemini,
  codex,
  zai,
  exa,
  parallel,
  kagi,
  synthetic,
  searxng,
  duckduckgo,
};
