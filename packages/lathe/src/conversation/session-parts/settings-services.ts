// Services that tools find in their context because of settings.

import { isTrusted } from "../../config/trust/trust.ts";
import { bashSettings } from "../../config/workspace/bash-settings.ts";
import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export function settingsServicesPart({ workspace }: Pick<SessionBase, "workspace">): SessionPart {
  const { settings, env } = workspace;
  const services = {
    structure: { maxFiles: settings["ast.maxFiles"] },
    searchContext: { before: settings["search.contextBefore"], after: settings["search.contextAfter"] },
    reading: {
      defaultLimit: settings["read.defaultLimit"],
      summarize: settings["read.summarize.enabled"],
      // Only edits by line use the header with the content's hash.
      hashLines: settings.readHashLines && ["", "hashline"].includes(settings.editVariant),
      lineNumbers: settings.readLineNumbers,
    },
    images: {
      inspects: settings["inspect_image.enabled"],
      autoResize: settings["images.autoResize"],
      blocks: settings["images.blockImages"],
    },
    ...(settings["renderMermaid.enabled"] ? { diagrams: true as const } : {}),
    bashSettings: bashSettings(settings, env),
    isFolderTrusted: () => isTrusted(workspace.paths.trust, workspace.cwd, workspace.machine.userHome),
  };
  return { name: "settings", services };
}
