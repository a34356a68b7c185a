// Protects the project files that hooks, servers, tools and extensions run, directly or indirectly: whoever changes one
// decides what runs next, outside any sandbox and without approval. So changes to them need approval.

import { realpathSync } from "node:fs";
import type { AdditionMaker } from "../conversation/session-contract.ts";
import { Reader } from "../found/discovery/reader.ts";
import { codeFilesOf } from "../found/discovery/trusted-items.ts";

const CODE_KINDS = ["hook", "mcp-server", "lsp-server", "tool", "extension"] as const;

export const protectedCode: AdditionMaker = async (workspace) => {
  const discovery = await workspace.discovery();
  const reader = new Reader();
  const found = await Promise.all(CODE_KINDS.map((kind) => discovery.of(kind)));
  const runs = found.flatMap(({ active }) =>
    active.map((item) => ({
      // A hook's name is its whole command.
      runner: item.kind === "hook" ? "a hook" : `the ${item.kind.replace(/^(?:mcp|lsp)-/, "")} ${item.name}`,
      files: codeFilesOf(item, discovery.place, reader).filter((path) => reader.isFile(path)),
    })),
  );
  return {
    name: "protected code",
    opened: ({ permissions }) => {
      for (const { files, runner } of runs)
        permissions.protect(
          files.map((path) => realpathSync.native(path)),
          runner,
        );
    },
  };
};
