// models.yml: the user's own and, in a trusted folder, the project's. Read only when there; a broken one is reported in one
// line and left out, so that the built-in models keep working.

import { readFile } from "node:fs/promises";
import { checkRegistryConfig, type JsonValue, type RegistryConfig } from "@lathe/llm";
import type { Document, LineCounter, Node } from "yaml";

export interface ModelsFile {
  readonly file: string;
  /** Commands for keys are taken from the user's own file only. */
  readonly own: boolean;
}

export interface ReadModels {
  readonly config: RegistryConfig;
  /** One line for each file that was left out. */
  readonly problems: readonly string[];
}

/** Later files win: a provider of the same name is replaced as a whole. */
export async function readModelsFiles(files: readonly ModelsFile[]): Promise<ReadModels> {
  const problems: string[] = [];
  let config: RegistryConfig = {};
  for (const source of files) {
    const read = await readOne(source);
    if (read === undefined) continue;
    if (typeof read === "string") problems.push(`${read}. The file is left out; the built-in models work.`);
    else config = merged(config, read);
  }
  return { config, problems };
}

async function readOne({ file, own }: ModelsFile): Promise<RegistryConfig | string | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? undefined : `${file}: cannot be read (${code})`;
  }
  const { LineCounter, parseDocument } = await import("yaml");
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const broken = document.errors[0];
  if (broken) return `${file}:${broken.linePos?.[0].line ?? 1}: not valid YAML: ${broken.message.split("\n")[0]}`;
  const value = (document.toJS() ?? {}) as JsonValue;
  const wrong = checkRegistryConfig(value);
  const [first, ...others] = wrong.length > 0 || own ? wrong : commandsIn(value as RegistryConfig);
  if (first === undefined) return value as RegistryConfig;
  const more = others.length > 0 ? ` (and ${others.length} more)` : "";
  return `${file}:${await lineOf(document, counter, first)}: ${first}${more}`;
}

function commandsIn({ providers = {} }: RegistryConfig): string[] {
  return Object.entries(providers).flatMap(([id, { apiKey }]) =>
    apiKey?.startsWith("!") ? [`providers.${id}.apiKey: a command counts only in your own models.yml`] : [],
  );
}

function merged(base: RegistryConfig, top: RegistryConfig): RegistryConfig {
  return {
    ...base,
    ...top,
    providers: { ...base.providers, ...top.providers },
    equivalence: {
      overrides: { ...base.equivalence?.overrides, ...top.equivalence?.overrides },
      exclude: [...(base.equivalence?.exclude ?? []), ...(top.equivalence?.exclude ?? [])],
    },
  };
}

/** Line of the deepest part of a problem's path (`providers.acme.models[0].api: …`) that is in the file. */
async function lineOf(document: Document, counter: LineCounter, problem: string): Promise<number> {
  const { isMap, isSeq } = await import("yaml");
  let node: unknown = document.contents;
  let line = 1;
  let path = problem;
  for (;;) {
    if (isMap(node)) {
      // Names may hold dots (llama.cpp): the longest key that the path goes on with.
      const pairs = node.items.filter(({ key }) => path.startsWith(String(key)) && /^[.[:]/.test(rest(path, key)));
      const pair = pairs.sort((a, b) => String(b.key).length - String(a.key).length)[0];
      if (!pair) return line;
      line = lineAt(counter, pair.key as Node) ?? line;
      path = rest(path, pair.key).replace(/^\./, "");
      node = pair.value;
      continue;
    }
    const index = isSeq(node) ? /^\[(\d+)\]\.?/.exec(path) : null;
    if (!isSeq(node) || !index) return line;
    node = node.items[Number(index[1])];
    line = lineAt(counter, node as Node) ?? line;
    path = path.slice(index[0].length);
  }
}

const rest = (path: string, key: unknown): string => path.slice(String(key).length);

function lineAt(counter: LineCounter, node: Node | undefined): number | undefined {
  return node?.range ? counter.linePos(node.range[0]).line : undefined;
}
