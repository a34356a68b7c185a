// Searches files for code structures: finds candidates, reads them through the environment, and has them parsed in the
// parser process.

import { missingPackage } from "../../base/optional-package.ts";
import { type CallScope, ToolFailure } from "../../contract/tool.ts";
import { EnvError } from "../../world/env/types.ts";
import { forEachBounded } from "../edit/bounded-concurrency.ts";
import { DocumentError, documentText } from "../edit/document.ts";
import { ParserFailure, runParser } from "../parser/run-parser.ts";
import type {
  StructureAnswer,
  StructureInput,
  StructureMatch,
  StructureRule,
} from "../parser/tasks/structure/types.ts";
import { type CandidateFile, type Candidates, findCandidates } from "./candidates.ts";
import { CODE_LANGUAGES, type CodeLanguage, grammarOf, languageNamed } from "./languages.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    /** If set, structural searches are available. */
    readonly structure?: StructureOptions;
  }
}

/** Limits of structural searches. */
export interface StructureOptions {
  /** Maximum number of files that one call parses. */
  readonly maxFiles: number;
}

/** A tree takes a hundred times the memory of its text. */
const MOST_BYTES = 1 << 20;
const FILES_AT_ONCE = 50;
const DEFAULT_FILES = 1000;
const MOST_MS = 60_000;
const NAMED_FILES = 5;
const PACKAGES = Object.fromEntries(
  CODE_LANGUAGES.flatMap(({ name, package: from }) => (from === undefined ? [] : [[name, from]])),
);

export interface StructureQuery {
  readonly rules: readonly StructureRule[];
  readonly paths: readonly string[];
  readonly language?: CodeLanguage | undefined;
  /** Maximum number of matches returned. */
  readonly most: number;
}

export interface StructureFile extends CandidateFile {
  readonly text: string;
  readonly matches: readonly StructureMatch[];
  readonly isBroken: boolean;
}

export interface StructureResult {
  /** Files with matches, in path order. */
  readonly files: readonly StructureFile[];
  /** Number of all matches, including those not returned. */
  readonly total: number;
  readonly totalFiles: number;
  /** Number of files that were parsed. */
  readonly searched: number;
  readonly isCapped: boolean;
  readonly missingPaths: readonly string[];
  /** What could not be searched, one sentence each. */
  readonly notes: readonly string[];
}

/** `check`: validates the files before any is read. */
export async function runStructure(
  query: StructureQuery,
  scope: CallScope,
  check: (candidates: Candidates) => void = () => {},
): Promise<StructureResult> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), MOST_MS);
  try {
    return await searchAll(query, { ...scope, signal: AbortSignal.any([scope.signal, late.signal]) }, check);
  } catch (error) {
    if (late.signal.aborted && !scope.signal.aborted)
      throw new ToolFailure(`The search took longer than ${MOST_MS / 1000} s and was ended. Name narrower paths.`);
    if (error instanceof ParserFailure) throw new ToolFailure(`The search failed: ${error.why}.`);
    throw error instanceof EnvError ? new ToolFailure(error.message) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** Undefined if no language is named; throws if the name is unknown. */
export function namedLanguage(word: string | undefined): CodeLanguage | undefined {
  const language = word === undefined ? undefined : languageNamed(word);
  if (word === undefined || language) return language;
  throw new ToolFailure(
    `No language is called ${word}. There are: ${CODE_LANGUAGES.map(({ name }) => name).join(", ")}.`,
  );
}

export function refuseEmptyPattern(pattern: string): void {
  if (pattern.trim() === "") throw new ToolFailure("The pattern must not be empty.");
  if (/^\$\$?[A-Z_][A-Z0-9_]*$/.test(pattern.trim()))
    throw new ToolFailure(`${pattern.trim()} alone matches every piece of code. Write more of the code around it.`);
}

async function searchAll(
  query: StructureQuery,
  scope: CallScope,
  check: (candidates: Candidates) => void,
): Promise<StructureResult> {
  const { rules, paths, language } = query;
  const most = scope.services.structure?.maxFiles ?? DEFAULT_FILES;
  const patterns = rules.map(({ pattern }) => pattern);
  const candidates = await findCandidates({ paths, language, patterns, most }, scope);
  check(candidates);
  const search = new StructureSearch(query, scope);
  let parsing = Promise.resolve();
  for (let at = 0; at < candidates.files.length; at += FILES_AT_ONCE) {
    // The next files are read while these are parsed.
    const texts = await search.read(candidates.files.slice(at, at + FILES_AT_ONCE));
    await parsing;
    parsing = search.parse(texts);
    parsing.catch(() => {});
  }
  await parsing;
  if (candidates.files.length === 0) await search.tryPatterns();
  return { ...search.result(), isCapped: candidates.isCapped, missingPaths: candidates.missing };
}

type ReadFile = CandidateFile & { readonly text: string };

/** A running search. */
class StructureSearch {
  readonly #query: StructureQuery;
  readonly #scope: CallScope;
  readonly #files: StructureFile[] = [];
  readonly #unread: string[] = [];
  /** Languages that could not be searched, with the reason and the number of files. */
  readonly #unfit = new Map<CodeLanguage, { why: string; files: number }>();
  #total = 0;
  #totalFiles = 0;
  #searched = 0;
  #given = 0;

  constructor(query: StructureQuery, scope: CallScope) {
    this.#query = query;
    this.#scope = scope;
  }

  /** If no file contains the words of a pattern, the pattern may still be invalid in the languages present. */
  async tryPatterns(): Promise<void> {
    const { paths, language } = this.#query;
    const { files } = await findCandidates({ paths, language, patterns: [], most: FILES_AT_ONCE }, this.#scope);
    await this.parse(files.map((file) => ({ ...file, text: "" })));
    if (this.#searched > 0) this.#unfit.clear();
  }

  async read(files: readonly CandidateFile[]): Promise<ReadFile[]> {
    const texts: (ReadFile | undefined)[] = [];
    await forEachBounded([...files.entries()], async ([index, file]) => {
      this.#scope.signal.throwIfAborted();
      const text = await this.#textOf(file.path);
      if (text === undefined) this.#unread.push(file.path);
      else texts[index] = { ...file, text };
    });
    return texts.filter((one) => one !== undefined);
  }

  /** Undefined if it is too large, not text, or gone. */
  async #textOf(path: string): Promise<string | undefined> {
    const { env } = this.#scope;
    try {
      const stat = await env.stat(path);
      if (stat?.kind !== "file" || stat.size > MOST_BYTES) return undefined;
      return documentText(await env.readBytes(stat.realPath, undefined, { ifFile: stat.file }));
    } catch (error) {
      if (error instanceof DocumentError || error instanceof EnvError) return undefined;
      throw error;
    }
  }

  async parse(files: readonly ReadFile[]): Promise<void> {
    if (files.length === 0) return;
    const input: StructureInput = {
      rules: this.#query.rules,
      files: files.map(({ path, language, text }) => ({ grammar: grammarOf(path, language), text })),
      most: Math.max(0, this.#query.most - this.#given),
      packages: PACKAGES,
    };
    const options = { scope: this.#scope, path: "code", timeoutMs: MOST_MS };
    const answer = await runParser<StructureAnswer>("structure", input, options);
    for (const [index, file] of files.entries()) {
      const why = whyUnfit(file, answer);
      if (why !== undefined) {
        this.#unfit.set(file.language, { why, files: (this.#unfit.get(file.language)?.files ?? 0) + 1 });
        continue;
      }
      this.#searched++;
      const { matches, total, isBroken } = answer.files[index]!;
      if (total === 0) continue;
      this.#total += total;
      this.#totalFiles++;
      this.#given += matches.length;
      if (matches.length > 0) this.#files.push({ ...file, matches, isBroken });
    }
  }

  result(): Omit<StructureResult, "isCapped" | "missingPaths"> {
    const unfit = [...this.#unfit].map(([{ label }, { why, files }]) => ({ label, why, files }));
    if (this.#searched === 0 && unfit[0]) throw new ToolFailure(`${unfit.map(({ why }) => why).join(". ")}.`);
    const notes = unfit.map(
      ({ label, why, files }) => `${files} ${files === 1 ? "file" : "files"} of ${label} not searched: ${why}`,
    );
    const unread = this.#unread.toSorted();
    const names = unread.slice(0, NAMED_FILES).join(", ");
    const more = unread.length > NAMED_FILES ? ` and ${unread.length - NAMED_FILES} more` : "";
    if (unread.length > 0)
      notes.push(`Not searched, because it is not text of at most ${MOST_BYTES >> 20} MB: ${names}${more}`);
    return {
      files: this.#files,
      total: this.#total,
      totalFiles: this.#totalFiles,
      searched: this.#searched,
      notes,
    };
  }
}

function whyUnfit({ path, language }: CandidateFile, { problems, missing }: StructureAnswer): string | undefined {
  const grammar = grammarOf(path, language);
  if (missing.includes(grammar)) return missingPackage(`${language.label} files`, language.package ?? "@ast-grep/napi");
  const problem = problems.find((one) => one.grammar === grammar);
  return problem && `The pattern ${problem.pattern} does not parse as ${language.label}: ${problem.why}`;
}
