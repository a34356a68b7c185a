// Languages whose structure can be searched: which files are theirs, and where their grammar comes from.

/** A language as people name it. */
export interface CodeLanguage {
  readonly name: string;
  readonly label: string;
  /** The grammar of each kind of file, by the end of its name. */
  readonly grammars: Readonly<Record<string, string>>;
  /** Its package; absent for those that are inside @ast-grep/napi. */
  readonly package?: string;
  /** Files of data are in every project: they are looked at only when the call asks for their language. */
  readonly isData?: true;
}

function row(name: string, label: string, extensions: string, more: Partial<CodeLanguage> = {}): CodeLanguage {
  const grammars = Object.fromEntries(extensions.split(" ").map((extension) => [extension, name]));
  return { name, label, grammars, package: `@ast-grep/lang-${name}`, ...more };
}

const inside = (name: string, label: string, grammars: CodeLanguage["grammars"]): CodeLanguage => ({
  name,
  label,
  grammars,
});

export const CODE_LANGUAGES: readonly CodeLanguage[] = [
  inside("typescript", "TypeScript", { ts: "TypeScript", mts: "TypeScript", cts: "TypeScript", tsx: "Tsx" }),
  inside("javascript", "JavaScript", { js: "JavaScript", mjs: "JavaScript", cjs: "JavaScript", jsx: "JavaScript" }),
  inside("html", "HTML", { html: "Html", htm: "Html" }),
  inside("css", "CSS", { css: "Css" }),
  row("python", "Python", "py pyi"),
  row("go", "Go", "go"),
  row("rust", "Rust", "rs"),
  row("bash", "Bash", "sh bash"),
  row("c", "C", "c h"),
  row("cpp", "C++", "cc cpp cxx hh hpp hxx"),
  row("java", "Java", "java"),
  row("ruby", "Ruby", "rb"),
  row("php", "PHP", "php"),
  row("kotlin", "Kotlin", "kt kts"),
  row("swift", "Swift", "swift"),
  row("scala", "Scala", "scala"),
  row("csharp", "C#", "cs"),
  row("lua", "Lua", "lua"),
  row("elixir", "Elixir", "ex exs"),
  row("haskell", "Haskell", "hs"),
  row("dart", "Dart", "dart"),
  row("sql", "SQL", "sql"),
  row("json", "JSON", "json", { isData: true }),
  row("yaml", "YAML", "yml yaml", { isData: true }),
  row("toml", "TOML", "toml", { isData: true }),
  row("markdown", "Markdown", "md", { isData: true }),
];

const extensionOf = (path: string): string => /\.(\w+)$/.exec(path)?.[1] ?? "";

export const languageOf = (path: string): CodeLanguage | undefined => {
  const extension = extensionOf(path);
  return CODE_LANGUAGES.find(({ grammars }) => Object.hasOwn(grammars, extension));
};

/** Of a file that has another name than its language gives: the first. */
export const grammarOf = (path: string, { grammars }: CodeLanguage): string =>
  grammars[extensionOf(path)] ?? (Object.values(grammars)[0] as string);

/** By its name, or by the end of a file's name. */
export function languageNamed(word: string): CodeLanguage | undefined {
  const wanted = word.toLowerCase().replace(/^\./, "");
  return CODE_LANGUAGES.find(({ name, grammars }) => name === wanted || Object.hasOwn(grammars, wanted));
}
