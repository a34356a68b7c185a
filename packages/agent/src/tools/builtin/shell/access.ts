// What a shell text will touch, from its parse: every command that it runs, and every file that the parse knows it writes or reads.

import { posix } from "node:path";
import type { ShellAnalysis, ShellPart } from "../../../contract/shell.ts";
import type { Access, CallScope, ToolServices } from "../../../contract/tool.ts";
import { diskFacts, isGit, programOf } from "./disk-facts.ts";
import { expandGlob } from "./expand-globs.ts";
import { withFoundFiles } from "./found-names.ts";
import { hasPreparedCommands } from "./git-repositories.ts";
import { linksInside } from "./links-inside.ts";

/** What a command is judged with. */
export interface AccessScope extends Pick<CallScope, "env" | "paths"> {
  readonly services?: Pick<ToolServices, "isFolderTrusted"> | undefined;
  /** See ShellContext; what the environment says when absent. */
  readonly exported?: ReadonlySet<string> | undefined;
}

/** Loaded with the first command: a host that runs none does not pay for it. */
export const loadAnalysis = () => import("../../../policy/shell/analyse.ts");

/** Where output goes that is not kept. */
const NO_FILE = /^\/dev\/(null|stdout|stderr|tty|fd\/\d+)$/;

/** The text as it is judged: once by itself, and again where the disk tells more about its parts. */
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
  // Names that the text itself makes were not there to be looked at.
  const makesNames = first.parts.some(({ writes }) => writes.some((path) => /(?:^|\/)-|[^\w./@~+-]/.test(path)));
  const facts = makesNames ? { ...onDisk, plainNames: undefined, plainFound: undefined } : onDisk;
  const second = analyse({ ...context, ...facts });
  // What the disk says of other folders holds for a text that itself changes nothing before git runs.
  const here = [...facts.sameRepository].filter((folder) => folder === cwd);
  const isSame = here.length === facts.sameRepository.size || second.parts.every(({ isReadOnly }) => isReadOnly);
  const last = isSame ? second : analyse({ ...context, ...facts, sameRepository: new Set(here) });
  return withSteered(last, steered);
}

/** A program is a question where the folder holds what makes it do other things than its words say. */
function withSteered(analysis: ShellAnalysis, steered: ReadonlyMap<string, string>): ShellAnalysis {
  const parts = analysis.parts.map((part) => {
    const strange = steered.get(programOf(part));
    return strange === undefined ? part : { ...part, strange, isHarmless: false, isReadOnly: false };
  });
  return { ...analysis, parts };
}

/** Where folders that it searches really lie, links on the way to them included: rules speak of both. */
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

/** What it reaches through links: in folders that it searches and follows links in, in those that it copies a tree into, and links that it copies. */
async function filesBehindLinks(
  { trees: all, reads, writes, cwd, isHarmless, followsLinks, copiesLinks, found: handed = [] }: ShellPart,
  start: string,
  { env }: AccessScope,
): Promise<{ readonly kind: "read" | "write"; readonly path: string }[] | undefined> {
  // Files that are handed over are looked at one by one.
  const trees = all.filter((tree) => !handed.some(({ roots }) => roots.includes(tree)));
  const searched = followsLinks ? trees.map((path) => ({ kind: "read" as const, path })) : [];
  // A link that is made counts as what it leads to: another command may be waiting to write there.
  const made = copiesLinks ? reads.map((path) => ({ kind: "write" as const, path })) : [];
  const filled = trees.length > 0 ? writes.map((path) => ({ kind: "write" as const, path })) : [];
  const found: { readonly kind: "read" | "write"; readonly path: string }[] = [];
  for (const { kind, path } of isHarmless ? [...searched, ...made, ...filled] : []) {
    const absolute = posix.resolve(cwd ?? start, path);
    const meant = /[*?[{]/.test(path) ? await expandGlob(absolute, env) : [absolute];
    if (!meant) return undefined;
    for (const folder of meant) {
      const links = await linksInside(folder, env, copiesLinks && reads.includes(path));
      if (!links) return undefined;
      found.push(...links.map(({ realPath }) => ({ kind, path: realPath })));
    }
  }
  return found;
}

/** What running this text in `cwd` would touch. */
export async function commandAccess(command: string, cwd: string, scope: AccessScope): Promise<Access[]> {
  const { env, paths } = scope;
  const analysis = await analysisOf(command, cwd, scope);
  const handed = await Promise.all(analysis.parts.map((part) => withFoundFiles(part, cwd, scope)));
  const access: Access[] = await Promise.all(
    handed.map(async ({ part }) => {
      // Where links lead counts for what may run there; the words of the command are read from where they were written.
      const isMoved = part.cwd !== undefined && part.cwd !== cwd;
      return {
        kind: "exec" as const,
        command: part.text,
        cwd: isMoved ? (await paths.locate(part.cwd)).real : cwd,
        part: { ...part, trees: [...part.trees, ...(await treesBehindLinks(part, cwd, scope))] },
      };
    }),
  );
  const doubts = [analysis.doubt ?? (access.length === 0 ? "It runs no command that can be judged." : [])].flat();
  for (const { words, cwd: place } of analysis.parts.filter(isGit))
    if (words[1] === "rebase" && (await hasPreparedCommands(place ?? cwd, env)))
      doubts.push("the rebase that is under way runs commands");
  const files = new Map<string, Access>();
  for (const file of handed.flatMap((one) => one.files)) files.set(`${file.kind} ${file.path}`, file);
  for (const part of analysis.parts) {
    const behind = await filesBehindLinks(part, cwd, scope);
    if (!behind) doubts.push("it follows links, and there are too many files to look at");
    const named = [
      ...part.writes.map((path) => ({ kind: "write" as const, path })),
      // What a sequence such as {1..9} stands for is among what a star does.
      ...part.reads.map((path) => ({ kind: "read" as const, path: path.replace(/\{[^{},]*\.\.[^{},]*\}/g, "*") })),
      ...(behind ?? []),
    ];
    for (const { kind, path } of named) {
      const absolute = posix.resolve(part.cwd ?? cwd, env.home ? path.replace(/^~(?=\/|$)/, env.home) : path);
      const isGlob = /[*?[{]/.test(path);
      if (NO_FILE.test(absolute)) continue;
      const meant = isGlob ? await expandGlob(absolute, env) : [absolute];
      if (meant === undefined) doubts.push(`it ${kind}s ${path}, and which files that are cannot be told`);
      const located = await Promise.all((meant ?? []).map((one) => paths.locate(one)));
      for (const { absolute: own, real } of located) {
        // Each of what is copied or moved gets its own name in the folder that it goes to.
        for (const folder of kind === "read" && isGlob ? part.writes.filter((one) => !/[*?[{]/.test(one)) : []) {
          const target = (await paths.locate(posix.resolve(part.cwd ?? cwd, folder, posix.basename(own)))).real;
          files.set(`write ${target}`, { kind: "write", path: target });
        }
        // What a glob reads is judged as it is written; only where a link leads is news.
        if (kind === "read" && isGlob && own === real) continue;
        files.set(`${kind} ${real}`, { kind, path: real });
      }
    }
  }
  const [doubt] = doubts;
  if (doubt !== undefined) access.push({ kind: "exec", command, cwd, doubt });
  return [...access, ...files.values()];
}
