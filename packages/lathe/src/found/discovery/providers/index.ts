// Every provider. Among those of the same priority, the first wins.

import type { Provider } from "../search.ts";
import { agents } from "./agents.ts";
import { claude } from "./claude.ts";
import { claudePlugins } from "./claude-plugins.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { continueDev } from "./continue.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";
import { github } from "./github.ts";
import { lspJson, mcpJson, vscode } from "./mcp-files.ts";
import { native } from "./native.ts";
import { opencode } from "./opencode.ts";
import { plugins } from "./plugins.ts";
import { windsurf } from "./windsurf.ts";

export const PROVIDERS: readonly Provider[] = [
  native,
  plugins,
  claude,
  codex,
  agents,
  claudePlugins,
  gemini,
  opencode,
  cursor,
  windsurf,
  cline,
  continueDev,
  github,
  vscode,
  mcpJson,
  lspJson,
];
