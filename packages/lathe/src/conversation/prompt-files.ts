// What files of the user and of other agents add to the system prompt (LS-07, EX-12): SYSTEM.md and APPEND_SYSTEM.md,
// instruction files, and sections of the additions. They are read when the prompt is rendered; from then on the journal
// has it.

import { readFile, realpath, stat } from "node:fs/promises";
import { relative } from "node:path";
import { Imports, type InstructionDoc, isImporting, type MoreSurroundings } from "@lathe/agent/context";
import { isCredentialFile } from "@lathe/agent/policy";
import { isAnythingHere } from "../found/discovery/agent-places.ts";
import { filesOfInstruction } from "../found/discovery/instruction-files.ts";
import { type Place, placeOf } from "../found/discovery/place.ts";
import { CHANGED, UNTRUSTED } from "../found/discovery/trusted-items.ts";
import type { DiscoveryWarning, Found, ItemValues, Source } from "../found/discovery/types.ts";
import { onDisk } from "../found/permissions/on-disk.ts";
import { shownPath } from "../platform/home/shown-path.ts";
import type { PromptTexts, SessionRequest, SystemPart } from "./session-contract.ts";
import type { SessionWorkspace } from "./session-workspace.ts";

type Warn = (warning: DiscoveryWarning) => void;

interface FoundDoc {
  readonly source: Source;
  readonly text: string;
}

type Files = Pick<MoreSurroundings, "projectDocs" | "userDocs" | "customPrompt" | "userInstructions">;

export async function promptFiles(
  workspace: SessionWorkspace,
  { systemPrompt, userInstructions }: SessionRequest,
  systemParts: (prompt: PromptTexts) => Promise<readonly SystemPart[]>,
  warn: Warn,
  hasFiles = (): boolean => isAnythingHere(placeOf(workspace)),
): Promise<MoreSurroundings> {
  const found = hasFiles() ? await readPromptFiles(workspace, placeOf(workspace), warn) : {};
  // Options of this run override the files.
  const files: Files = {
    ...found,
    ...(systemPrompt === undefined ? {} : { customPrompt: systemPrompt }),
    ...(userInstructions === undefined ? {} : { userInstructions }),
  };
  const sections = await systemParts({ custom: files.customPrompt, appended: files.userInstructions });
  return {
    ...files,
    ...(sections.length === 0 ? {} : { sections: sections.map(({ name, text }) => ({ name, text })) }),
  };
}

/** The text of TITLE_SYSTEM.md, which replaces the prompt that asks for a title. */
export async function titlePrompt(workspace: SessionWorkspace): Promise<string | undefined> {
  if (!isAnythingHere(placeOf(workspace))) return undefined;
  const { active } = await (await workspace.discovery()).of("system-prompt");
  return active.find(({ name }) => name === "TITLE_SYSTEM.md")?.value.text;
}

async function readPromptFiles(workspace: SessionWorkspace, place: Place, warn: Warn): Promise<Files> {
  const discovery = await workspace.discovery();
  const [prompts, contexts, instructions] = await Promise.all([
    discovery.of("system-prompt"),
    discovery.of("context-file"),
    discovery.of("instruction"),
  ]);
  for (const { warnings } of [prompts, contexts, instructions]) for (const warning of warnings) warn(warning);
  for (const { source, ignored } of prompts.all)
    if (ignored === UNTRUSTED || ignored === CHANGED)
      warn({ path: source.path, message: `${ignored}; it is ignored. To let it take effect: lathe trust` });
  const textOfPrompt = (name: string): string | undefined =>
    prompts.active.find((prompt) => prompt.name === name)?.value.text;
  const custom = textOfPrompt("SYSTEM.md");
  const appended = textOfPrompt("APPEND_SYSTEM.md");
  const docs = [
    // Instructions for some files only are sent with the first such file.
    ...instructions.active
      .filter(({ value }) => filesOfInstruction(value) === undefined)
      .map((item) => ({ ...item, text: item.value.body })),
    ...contexts.active.filter((item) => !isReadOnTheWay(item)).map((item) => ({ ...item, text: item.value.text })),
  ].filter(({ text }) => text !== "");
  return {
    ...(custom === undefined ? {} : { customPrompt: custom }),
    ...(appended === undefined ? {} : { userInstructions: appended }),
    projectDocs: docsOf(
      docs.filter(({ source }) => source.level === "project"),
      place,
    ),
    userDocs: await withImports(
      docs.filter(({ source }) => source.level !== "project"),
      place,
      warn,
    ),
  };
}

/** The user's own files may import from the home folder, which also holds keys, so imports of those are refused. */
async function withImports(found: readonly FoundDoc[], place: Place, warn: Warn): Promise<InstructionDoc[]> {
  const docs = docsOf(found, place);
  const importing = found.filter(({ source, text }) => text.includes("@") && isImporting(source.path));
  if (importing.length === 0) return docs;
  const { userHome, latheHome, root } = place;
  const places = { userHome, latheHome, onDisk: onDisk({ userHome, latheHome }) };
  const seen = new Set(await Promise.all(found.map(({ source }) => realpath(source.path))));
  const imported: InstructionDoc[] = [];
  for (const { source, text } of importing) {
    const rules = {
      within: [userHome, root],
      home: userHome,
      holdsKeys: (path: string) => isCredentialFile(path, places),
      displayPath: (path: string) => shownPath(path, userHome),
      warn,
    };
    imported.push(...(await new Imports(LOCAL_FILES, rules, seen).of(source.path, text)));
  }
  return [...imported, ...docs];
}

const LOCAL_FILES = {
  readFile: (path: string) => readFile(path, "utf8"),
  stat: async (path: string) => {
    const found = await stat(path);
    return { kind: found.isFile() ? "file" : "other", size: found.size, realPath: await realpath(path) } as const;
  },
};

/** The session itself reads AGENTS.md and the family's file in every folder from the root down. */
const isReadOnTheWay = ({ source, value }: Found<ItemValues["context-file"]>): boolean =>
  value.family !== undefined || (source.provider === "agents" && source.level === "project");

/** The item with the highest priority comes last. Text that two agents' files share is sent once. */
function docsOf(found: readonly FoundDoc[], place: Place): InstructionDoc[] {
  const seen = new Set<string>();
  const docs: InstructionDoc[] = [];
  for (const { source, text } of found) {
    if (seen.has(text)) continue;
    seen.add(text);
    docs.unshift({ path: pathFor(source, place), text });
  }
  return docs;
}

/**
 * Not an absolute path: the first message names the folder, and the prompt stays the same for a copy of the project
 * elsewhere.
 */
const pathFor = ({ level, path }: Source, { root, userHome }: Place): string =>
  level === "project" ? relative(root, path) : shownPath(path, userHome);
