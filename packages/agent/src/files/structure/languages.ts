// Languages whose structure can be searched: their files, and the source of their grammar.

/** A language by its common name. */
export interface CodeLanguage {
  readonly name: string;
  readonly label: string;
  /** The grammar of each kind of file, by file extension. */
  readonly grammars: Readonly<Record<string, string>>;
  /** The package of the grammar; absent for grammars that are part of @ast-grep/napi. */
  readonly package?: string;
  /** Every project has data files, so they are searched only if the call asks for their language. */
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

/** For a file whose name is not typical of the language, the first grammar. */
export const grammarOf = (path: string, { grammars }: CodeLanguage): string =>
  grammars[extensionOf(path)] ?? (Object.values(grammars)[0] as string);

/** By language name, or by file extension. */
export function languageNamed(word: string): CodeLanguage | undefined {
  const wanted = word.toLowerCase().replace(/^\./, "");
  return CODE_LANGUAGES.find(({ name, grammars }) => name === wanted || Object.hasOwn(grammars, wanted));
}
