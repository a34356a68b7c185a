// Which files may contain a match: those of a language that contain the longest word of a pattern. ripgrep searches for
// it where the files are.

import { type CallScope, ToolFailure } from "../../contract/tool.ts";
import { type Place, placesOf } from "../search/places.ts";
import { CODE_LANGUAGES, type CodeLanguage, languageOf } from "./languages.ts";

export interface CandidateQuery {
  readonly paths: readonly string[];
  /** Only files of this language. */
  readonly language?: CodeLanguage | undefined;
  readonly patterns: readonly string[];
  /** Maximum number of files. */
  readonly most: number;
}

export interface CandidateFile {
  /** The path as in results. */
  readonly path: string;
  readonly language: CodeLanguage;
}

export interface Candidates {
  readonly files: readonly CandidateFile[];
  /** There are more than `most`. */
  readonly isCapped: boolean;
  /** Paths that lead nowhere. */
  readonly missing: readonly string[];
}

export async function findCandidates(query: CandidateQuery, scope: CallScope): Promise<Candidates> {
  const { places, missing } = await placesOf(query.paths, scope);
  const files = new Map<string, CandidateFile>();
  let isCapped = false;
  for (const place of places) {
    const { found, isCut } = await candidatesIn(place, query, scope);
    isCapped ||= isCut;
    for (const file of found) files.set(file.path, file);
  }
  const all = [...files.values()];
  return { files: all.slice(0, query.most), isCapped: isCapped || all.length > query.most, missing };
}

async function candidatesIn(
  place: Place,
  { language, patterns, most }: CandidateQuery,
  { env, signal }: CallScope,
): Promise<{ found: readonly CandidateFile[]; isCut: boolean }> {
  if (place.kind === "address" || place.kind === "parts" || ("format" in place && place.format))
    throw new ToolFailure(`${nameOf(place)} has no structure to search: name code files, directories or globs.`);
  if (place.kind === "file" && place.within)
    throw new ToolFailure(`${place.root}: name the whole file, without lines.`);
  const isFile = place.kind === "file";
  const mine = (path: string): CodeLanguage | undefined => {
    const own = languageOf(path);
    if (language) return own === language || isFile ? language : undefined;
    return own?.isData && !isFile ? undefined : own;
  };
  if (isFile && !mine(place.root))
    throw new ToolFailure(`${place.root}: the language of this file is not known. Name it with \`lang\`.`);
  const root = env.resolve(place.root);
  const isIgnored = (path: string): boolean =>
    path.slice(root.length).includes("/node_modules/") &&
    !(place.kind === "tree" && place.glob?.includes("node_modules"));
  const { files, truncated } = await env.grep(wordsOf(patterns), place.root, {
    globFilter: place.kind === "tree" ? (place.glob ?? globOf(language)) : undefined,
    leaveOut: (path) => !mine(path) || isIgnored(path),
    mode: "files_with_matches",
    hidden: true,
    maxResults: most,
    signal,
  });
  // A file that is named explicitly is included, so that the search reports if it cannot be searched.
  const named = isFile && files.length === 0 ? [{ path: root.replace(`${env.workingDirectory()}/`, "") }] : files;
  const found = named.flatMap(({ path }) => {
    const own = mine(path);
    return own ? { path, language: own } : [];
  });
  return { found, isCut: truncated };
}

const nameOf = (place: Place): string =>
  place.kind === "address" ? place.url : place.kind === "parts" ? place.target.path : place.root;

function globOf(language: CodeLanguage | undefined): string {
  const languages = language ? [language] : CODE_LANGUAGES.filter(({ isData }) => !isData);
  return `*.{${languages.flatMap(({ grammars }) => Object.keys(grammars)).join(",")},}`;
}

/** Every match contains every word of a pattern, except words in comments. Without patterns: any file. */
function wordsOf(patterns: readonly string[]): string {
  const longest = patterns.map((pattern) => {
    if (/\/[/*]|#|--/.test(pattern)) return "";
    const words = pattern.replace(/\$+[A-Z_0-9]*/g, " ").match(/[A-Za-z0-9_]+/g) ?? [];
    return words.reduce((best, word) => (word.length > best.length ? word : best), "");
  });
  return longest.length === 0 || longest.includes("") ? "^" : longest.join("|");
}
