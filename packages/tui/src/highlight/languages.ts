// The languages that code can be highlighted in. A language is loaded when its first code appears; until then the code
// is plain.

import type { HLJSApi, LanguageFn } from "highlight.js";
import { LineEmitter } from "./line-emitter.ts";

type Load = () => Promise<{ default: LanguageFn }>;

const LOADERS: Readonly<Record<string, Load>> = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  clojure: () => import("highlight.js/lib/languages/clojure"),
  cmake: () => import("highlight.js/lib/languages/cmake"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  dart: () => import("highlight.js/lib/languages/dart"),
  diff: () => import("highlight.js/lib/languages/diff"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  elixir: () => import("highlight.js/lib/languages/elixir"),
  erlang: () => import("highlight.js/lib/languages/erlang"),
  go: () => import("highlight.js/lib/languages/go"),
  graphql: () => import("highlight.js/lib/languages/graphql"),
  haskell: () => import("highlight.js/lib/languages/haskell"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  julia: () => import("highlight.js/lib/languages/julia"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  latex: () => import("highlight.js/lib/languages/latex"),
  less: () => import("highlight.js/lib/languages/less"),
  lua: () => import("highlight.js/lib/languages/lua"),
  makefile: () => import("highlight.js/lib/languages/makefile"),
  markdown: () => import("highlight.js/lib/languages/markdown"),
  nix: () => import("highlight.js/lib/languages/nix"),
  objectivec: () => import("highlight.js/lib/languages/objectivec"),
  ocaml: () => import("highlight.js/lib/languages/ocaml"),
  perl: () => import("highlight.js/lib/languages/perl"),
  php: () => import("highlight.js/lib/languages/php"),
  powershell: () => import("highlight.js/lib/languages/powershell"),
  protobuf: () => import("highlight.js/lib/languages/protobuf"),
  python: () => import("highlight.js/lib/languages/python"),
  r: () => import("highlight.js/lib/languages/r"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  scala: () => import("highlight.js/lib/languages/scala"),
  scss: () => import("highlight.js/lib/languages/scss"),
  shell: () => import("highlight.js/lib/languages/shell"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  vim: () => import("highlight.js/lib/languages/vim"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};

/** Short names and file extensions that users and models write. */
const ALIASES: Readonly<Record<string, string>> = {
  "c++": "cpp",
  "c#": "csharp",
  cc: "cpp",
  cjs: "javascript",
  clj: "clojure",
  conf: "ini",
  console: "shell",
  cs: "csharp",
  cts: "typescript",
  docker: "dockerfile",
  ex: "elixir",
  exs: "elixir",
  gql: "graphql",
  golang: "go",
  h: "cpp",
  hpp: "cpp",
  hs: "haskell",
  htm: "xml",
  html: "xml",
  jl: "julia",
  js: "javascript",
  json5: "json",
  jsonc: "json",
  jsonl: "json",
  jsx: "javascript",
  kt: "kotlin",
  make: "makefile",
  md: "markdown",
  mjs: "javascript",
  ml: "ocaml",
  mts: "typescript",
  objc: "objectivec",
  patch: "diff",
  pl: "perl",
  proto: "protobuf",
  ps1: "powershell",
  py: "python",
  python3: "python",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  "shell-session": "shell",
  svelte: "xml",
  svg: "xml",
  tex: "latex",
  toml: "ini",
  ts: "typescript",
  tsx: "typescript",
  vue: "xml",
  yml: "yaml",
  zsh: "bash",
};

/** Languages that embed others, which must be loaded, too. */
const EMBEDS: Readonly<Record<string, readonly string[]>> = {
  xml: ["javascript", "css"],
  markdown: ["xml"],
  php: ["xml"],
  shell: ["bash"],
};

let core: HLJSApi | undefined;
const loading = new Map<string, Promise<void>>();
const failed = new Set<string>();

/** Our name of a language, from the word after a fence or a file extension; undefined if unknown. */
export function languageOf(word: string): string | undefined {
  const lower = word.toLowerCase();
  const name = Object.hasOwn(ALIASES, lower) ? (ALIASES[lower] as string) : lower;
  return Object.hasOwn(LOADERS, name) ? name : undefined;
}

/** The highlighter, if it has loaded the language. */
export const loadedFor = (language: string): HLJSApi | undefined =>
  core?.getLanguage(language) === undefined ? undefined : core;

export const isLoading = (language: string): boolean =>
  loading.has(language) && !failed.has(language) && loadedFor(language) === undefined;

function withSpans(highlighter: HLJSApi): HLJSApi {
  highlighter.configure({ __emitter: LineEmitter });
  return highlighter;
}

/**
 * Resolves when the language can be used. If it cannot be loaded, code stays plain: missing colours are never an error.
 */
export function loadLanguage(language: string): Promise<void> {
  const known = loading.get(language);
  if (known !== undefined) return known;
  const load = LOADERS[language];
  if (load === undefined) return Promise.resolve();
  const promise = Promise.all([
    import("highlight.js/lib/core"),
    load(),
    ...(EMBEDS[language] ?? []).map((embedded) => loadLanguage(embedded)),
  ]).then(
    ([module, definition]) => {
      core ??= withSpans(module.default.newInstance());
      core.registerLanguage(language, definition.default);
    },
    () => {
      failed.add(language);
    },
  );
  loading.set(language, promise);
  return promise;
}
