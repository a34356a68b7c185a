// Instruction files of folders below the working directory: the model gets them when a call first touches a file there.

import type { ExecutionEnvironment, Middleware } from "@lathe/agent";
import { type DocWarner, FolderDocs, joinDocs, pathDown, repositoryRoot } from "@lathe/agent/context";
import { isInside } from "@lathe/agent/policy";
import { type PathText, pathTexts } from "../path-texts.ts";
import intro from "./intro.md";

/** Folders with other people's instructions, or with none. */
const FOREIGN = /\/(?:node_modules|\.git)(?:\/|$)/;

/** `families`: names of files besides AGENTS.md that the model's family reads. */
export function folderInstructions(env: ExecutionEnvironment, families: readonly string[]): Middleware {
  const folders = new Map<string, Promise<PathText | undefined>>();
  let opened: Promise<{ readonly root: string; readonly docs: FolderDocs }> | undefined;
  // Set at the first touched file; before that there is nothing to warn about, as the prompt's own files were checked
  // at the start.
  let tell: DocWarner | undefined;
  const warn: DocWarner = (warning) => tell?.(warning);
  const open = async () => {
    const cwd = env.resolve(env.workingDirectory());
    const root = (await env.stat((await repositoryRoot(env, cwd)) ?? cwd))?.realPath ?? cwd;
    const docs = await FolderDocs.of(env, root, warn);
    // The prompt already has these; reading them here keeps links to them from being sent again.
    for (const folder of pathDown(root, (await env.stat(cwd))?.realPath ?? cwd)) {
      await docs.in(folder, families);
      folders.set(folder, Promise.resolve(undefined));
    }
    return { root, docs };
  };
  const textOf = async (docs: FolderDocs, root: string, folder: string): Promise<PathText | undefined> => {
    const found = await docs.in(folder, families);
    if (found.length === 0) return undefined;
    const tag = `<instructions folder="${folder.slice(root.length).replace(/^\//, "")}">`;
    return { tag, text: `${tag}\n${joinDocs(found, warn).text}\n</instructions>` };
  };
  return pathTexts({
    name: "folder instructions",
    intro,
    textsFor: async (path, context) => {
      opened ??= open();
      const { root, docs } = await opened;
      tell = (warning) => context.warn(`${warning.path}: ${warning.message}`, "instructions");
      if (!isInside(path, root) || FOREIGN.test(path.slice(root.length))) return [];
      const texts: PathText[] = [];
      // `path` may be a file, which has no instructions, or a folder that was searched, which may.
      for (const folder of pathDown(root, path)) {
        const known = folders.get(folder) ?? textOf(docs, root, folder);
        folders.set(folder, known);
        const text = await known;
        if (text) texts.push(text);
      }
      return texts;
    },
  });
}
