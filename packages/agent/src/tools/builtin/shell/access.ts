// What a shell text will access, according to its parse: every command that it runs, and every file that it is known to
// write or read.

import { posix } from "node:path";
import type { ShellAnalysis, ShellPart } from "../../../contract/shell.ts";
import type { Access, CallScope, ToolServices } from "../../../contract/tool.ts";
import { isCredentialFile } from "../../../policy/permissions/sensitive-paths.ts";
import { climbsLater, pathCandidates } from "../../../policy/shell/path-candidates.ts";
import { diskFacts, isGit, programOf } from "./disk-facts.ts";
import { expandGlob } from "./expand-globs.ts";
import { withFoundFiles } from "./found-names.ts";
import { hasPreparedCommands } from "./git-repositories.ts";
import { keysInTrees } from "./keys-in-trees.ts";
import { linksInside } from "./links-inside.ts";

/** What a command is judged with. */
export interface AccessScope extends Pick<CallScope, "env" | "paths"> {
  readonly services?: Pick<ToolServices, "isFolderTrusted"> | undefined;
  /** See ShellContext; the environment's own value when absent. */
  readonly exported?: ReadonlySet<string> | undefined;
}

/** Loaded with the first command, so that a host that runs none does not pay for it. */
export const loadAnalysis = () => import("../../../policy/shell/analyse.ts");

/** Targets of redirects that store nothing. */
const NO_FILE = /^\/dev\/(null|stdout|stderr|tty|fd\/\d+)$/;

/** Analyses the text on its own, then again if the disk tells us more about its parts. */
async function analysisOf(
  command: string,
  cwd: string,
  { env, services, exported }: AccessScope,
): Promise<ShellAnalysis> {
  const { shellAnalyser } = await loadAnalysis();
  const analyse = await shellAnalyser(command);
  const isTrusted = services?.isFolderTrusted?.() ?? false;
  const context = { isTrusted, cwd, home: env.home, root: env.workingDirectory(), exported: exported ?? env.exported };
  const first = analyse(context);
  const told = await diskFacts(first, env, isTrusted);
  if (told === undefined) return first;
  const { steered, ...onDisk } = told;
  // Names that the text itself creates did not exist when we looked.
  const makesNames = first.parts.some(({ writes }) => writes.some((path) => /(?:^|\/)-|[^\w./@~+-]/.test(path)));
  const facts = makesNames ? { ...onDisk, plainNames: undefined, plainFound: undefined } : onDisk;
  const second = analyse({ ...context, ...facts });
  // Facts about other folders hold only if the text changes nothing before git runs.
  const here = [...facts.sameRepository].filter((folder) => folder === cwd);
  const isSame = here.length === facts.sameRepository.size || second.parts.every(({ isReadOnly }) => isReadOnly);
  const last = isSame ? second : analyse({ ...context, ...facts, sameRepository: new Set(here) });
  return withSteered(last, steered);
}

/** A program must be asked about if the folder contains something that changes what the program does. */
function withSteered(analysis: ShellAnalysis, steered: ReadonlyMap<string, string>): ShellAnalysis {
  const parts = analysis.parts.map((part) => {
    const strange = steered.get(programOf(part));
    return strange === undefined ? part : { ...part, strange, isHarmless: false, isReadOnly: false };
  });
  return { ...analysis, parts };
}

/** The real paths of folders that a part searches, including links on the way, because rules may name either. */
async function treesBehindLinks(
  { trees, cwd }: ShellPart,
  start: string,
  { env, paths }: AccessScope,
): Promise<string[]> {
  const named = trees.map((tree) =>
    posix.resolve(cwd ?? start, env.home ? tree.replace(/^~(?=\/|$)/, env.home) : tree),
  );
  const found = await Promise.all(named.map((path) => (/[*?[{]/.test(path) ? expandGlob(path, env) : [path])));
  const real = await Promise.all(
    found.flatMap((one) => one ?? []).map(async (path) => (await paths.locate(path)).real),
  );
  return real.filter((path) => !named.includes(path));
}

/** What a part reaches through links. */
interface BehindLinks {
  readonly files: readonly { readonly kind: "read" | "write"; readonly path: string }[];
  /** Folders that it searches because a link leads there. */
  readonly trees: readonly string[];
  /** It searches at least one folder, so it may follow links. */
  readonly hasFolder: boolean;
}

/**
 * What links lead to: those in folders that a part searches, in trees that it copies, and links that it copies.
 * Undefined if there are too many files to look at.
 */
async function behindLinks(
  { trees: all, reads, writes, cwd, isHarmless, followsLinks, copiesLinks, found: handed = [] }: ShellPart,
  start: string,
  { env }: AccessScope,
): Promise<BehindLinks | undefined> {
  // Files passed on from another command are examined one by one.
  const trees = all.filter((tree) => !handed.some(({ roots }) => roots.includes(tree)));
  const searched = followsLinks ? trees.map((path) => ({ kind: "read" as const, path, isFollowed: true })) : [];
  // A link that is created counts as its target: another command may be waiting to write there.
  const made = copiesLinks ? reads.map((path) => ({ kind: "write" as const, path, isCopied: true })) : [];
  const filled = trees.length > 0 ? writes.map((path) => ({ kind: "write" as const, path })) : [];
  const files: { readonly kind: "read" | "write"; readonly path: string }[] = [];
  const entered: string[] = [];
  let hasFolder = cwd === undefined || handed.length > 0;
  for (const { kind, path, ...walk } of isHarmless ? [...searched, ...made, ...filled] : []) {
    const absolute = posix.resolve(cwd ?? start, env.home ? path.replace(/^~(?=\/|$)/, env.home) : path);
    const meant = /[*?[{]/.test(path) ? await expandGlob(absolute, env) : [absolute];
    if (!meant) return undefined;
    for (const folder of meant) {
      const links = await linksInside(folder, env, walk);
      if (!links) return undefined;
      hasFolder ||= (await env.stat(folder))?.kind === "directory";
      for (const { kind: target, realPath } of links)
        if (kind === "read" && target === "directory") entered.push(realPath);
        else files.push({ kind, path: realPath });
    }
  }
  return { files, trees: entered, hasFolder };
}

/** The most words of a command that are looked up on the disk. */
const MOST_WORDS = 100;

/** Words of an ordinary program that lead elsewhere through a link. */
async function linksAmong(
  { words, unknown, isHarmless, cwd }: ShellPart,
  start: string,
  { env, paths }: AccessScope,
): Promise<Pick<ShellPart, "links">> {
  if (isHarmless) return {};
  const known = words.slice(0, MOST_WORDS).filter((_, at) => at > 0 && !unknown.includes(at));
  const texts = [...new Set(known.flatMap(pathCandidates))].filter((text) => !climbsLater(text) && text.length < 1000);
  const looked = await Promise.all(
    texts.map(async (text) => {
      const path = posix.resolve(cwd ?? start, env.home ? text.replace(/^~(?=\/|$)/, env.home) : text);
      return { text, named: path, path: (await paths.locate(path)).real };
    }),
  );
  const links = looked.filter(({ named, path }) => named !== path).map(({ text, path }) => ({ text, path }));
  return links.length > 0 ? { links } : {};
}

/** What running this text in `cwd` would access. */
export async function commandAccess(command: string, cwd: string, scope: AccessScope): Promise<Access[]> {
  const { env, paths } = scope;
  const analysis = await analysisOf(command, cwd, scope);
  const handed = await Promise.all(analysis.parts.map((part) => withFoundFiles(part, cwd, scope)));
  const behind = await Promise.all(analysis.parts.map((part) => behindLinks(part, cwd, scope)));
  const access: Access[] = await Promise.all(
    handed.map(async ({ part }, index) => {
      const { trees = [], hasFolder = true } = behind[index] ?? {};
      // For rules, the command's directory is where links lead; its words are read relative to the directory as
      // written.
      const isMoved = part.cwd !== undefined && part.cwd !== cwd;
      return {
        kind: "exec" as const,
        command: part.text,
        cwd: isMoved ? (await paths.locate(part.cwd)).real : cwd,
        part: {
          ...part,
          trees: [...part.trees, ...(await treesBehindLinks(part, cwd, scope)), ...trees],
          ...(await keysInTrees(part, cwd, env)),
          followsLinks: part.followsLinks && hasFolder,
          ...(await linksAmong(part, cwd, scope)),
        },
      };
    }),
  );
  const doubts = [analysis.doubt ?? (access.length === 0 ? "It runs no command that can be judged." : [])].flat();
  for (const { words, cwd: place } of analysis.parts.filter(isGit))
    if (words[1] === "rebase" && (await hasPreparedCommands(place ?? cwd, env)))
      doubts.push("the rebase in progress runs commands");
  const files = new Map<string, Access>();
  const places = { userHome: env.home ?? "/", latheHome: "/" };
  for (const file of handed.flatMap((one) => one.files)) files.set(`${file.kind} ${file.path}`, file);
  for (const [index, part] of analysis.parts.entries()) {
    const reached = behind[index];
    if (!reached) doubts.push("it follows links, and there are too many files to look at");
    const named = [
      ...part.writes.map((path) => ({ kind: "write" as const, path })),
      // A star also covers what a sequence such as {1..9} expands to.
      ...part.reads.map((path) => ({ kind: "read" as const, path: path.replace(/\{[^{},]*\.\.[^{},]*\}/g, "*") })),
      ...(reached?.files ?? []),
    ];
    for (const { kind, path } of named) {
      const absolute = posix.resolve(part.cwd ?? cwd, env.home ? path.replace(/^~(?=\/|$)/, env.home) : path);
      const isGlob = /[*?[{]/.test(path);
      if (NO_FILE.test(absolute)) continue;
      const meant = isGlob ? await expandGlob(absolute, env) : [absolute];
      if (meant === undefined) doubts.push(`it ${kind}s ${path}, and it is not clear which files those are`);
      const located = await Promise.all((meant ?? []).map((one) => paths.locate(one)));
      for (const { absolute: own, real } of located) {
        // Each file that is copied or moved gets its own name in the target folder.
        for (const folder of kind === "read" && isGlob ? part.writes.filter((one) => !/[*?[{]/.test(one)) : []) {
          const target = (await paths.locate(posix.resolve(part.cwd ?? cwd, folder, posix.basename(own)))).real;
          files.set(`write ${target}`, { kind: "write", path: target });
        }
        // Files that a glob reads are judged by the glob; only link targets and files with keys are added.
        if (kind === "read" && isGlob && own === real && !isCredentialFile(real, places)) continue;
        files.set(`${kind} ${real}`, { kind, path: real });
      }
    }
  }
  const [doubt] = doubts;
  if (doubt !== undefined) access.push({ kind: "exec", command, cwd, doubt });
  return [...access, ...files.values()];
}
