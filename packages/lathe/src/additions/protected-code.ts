// Files of the project that hooks, servers, tools and extensions run, however deep: whoever changes one decides what runs next, outside
// of any sandbox and without a question. So a change to one is asked about.

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
      // The name of a hook is its whole command.
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
