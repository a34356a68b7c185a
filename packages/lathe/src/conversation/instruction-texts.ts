// Reads the instruction files again to judge a web address: addresses that the user's files and trusted folders name
// may be read. Files that this session wrote, or that are newer than it, do not count.

import { join } from "node:path";
import type { ExecutionEnvironment } from "@lathe/agent";
import { FolderDocs, type InstructionDoc, pathDown, repositoryRoot } from "@lathe/agent/context";
import { isTrusted } from "../config/trust/trust.ts";
import type { IsWritten } from "../found/permissions/shown-addresses.ts";
import { promptFiles } from "./prompt-files.ts";
import type { SessionRequest } from "./session-contract.ts";
import type { SessionWorkspace } from "./session-workspace.ts";

export interface InstructionSources {
  readonly workspace: SessionWorkspace;
  readonly request: SessionRequest;
  readonly env: () => ExecutionEnvironment;
  /** Names of files besides AGENTS.md that the model's family reads. */
  readonly families: () => readonly string[];
}

/** `folder` is relative to the root of the project; absent: the files of the prompt. */
export async function instructionTexts(
  { workspace, request, env, families }: InstructionSources,
  folder: string | undefined,
  isWritten: IsWritten,
): Promise<readonly string[]> {
  const {
    userDocs = [],
    projectDocs = [],
    customPrompt,
    userInstructions,
  } = folder === undefined
    ? await promptFiles(
        workspace,
        request,
        async () => [],
        () => {},
      )
    : {};
  const own = [...userDocs.map(({ text }) => text), customPrompt ?? "", userInstructions ?? ""];
  if (!isTrusted(workspace.paths.trust, workspace.cwd, workspace.machine.userHome)) return own;
  const place = env();
  const cwd = place.resolve(place.workingDirectory());
  const root = (await repositoryRoot(place, cwd)) ?? cwd;
  const reader = await FolderDocs.of(place, root);
  const found: InstructionDoc[] = [];
  for (const each of folder === undefined ? pathDown(root, cwd) : [join(root, folder)])
    found.push(...(await reader.in(each, families())));
  const since = Date.parse(request.opened.journal.header.timestamp);
  const isOlder = async ({ path }: InstructionDoc): Promise<boolean> => {
    const stat = await place.stat(join(root, path)).catch(() => undefined);
    return stat !== undefined && stat.mtimeMs <= since && !isWritten(stat.realPath);
  };
  const docs = [...projectDocs, ...found];
  const older = await Promise.all(docs.map(isOlder));
  return [...own, ...docs.filter((_doc, at) => older[at]).map(({ text }) => text)];
}
