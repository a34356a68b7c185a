// Reads models.yml: the user's own and, in a trusted folder, the project's. A broken file is reported in one line and
// ignored, so that the built-in models keep working.

import { readFile } from "node:fs/promises";
import { type ConfigProblem, checkRegistryConfig, type JsonValue, type RegistryConfig } from "@lathe/llm";
import { placeText } from "@lathe/llm/schema";
import type { ReadYaml } from "../platform/home/yaml.ts";
import { nearest } from "../platform/usage/nearest.ts";
import { ROLES } from "./roles.ts";

export interface ModelsFile {
  readonly file: string;
  /** Commands that print keys are only accepted from the user's own file. */
  readonly own: boolean;
}

export interface ReadModels {
  readonly config: RegistryConfig;
  /** The configuration in the user's own files. */
  readonly own: RegistryConfig;
  /** One line for each file that was ignored. */
  readonly problems: readonly string[];
}

/** Later files win: they replace a provider of the same name as a whole. */
export async function readModelsFiles(files: readonly ModelsFile[]): Promise<ReadModels> {
  const problems: string[] = [];
  let config: RegistryConfig = {};
  let own: RegistryConfig = {};
  for (const source of files) {
    const read = await readOne(source);
    if (read === undefined) continue;
    if (typeof read === "string") problems.push(`${read}. The file is ignored; the built-in models still work.`);
    else config = mergeConfigs(config, read);
    if (source.own) own = config;
  }
  return { config, own, problems };
}

async function readOne({ file, own }: ModelsFile): Promise<RegistryConfig | string | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? undefined : `${file}: cannot be read (${code})`;
  }
  const { isProblem, readYaml } = await import("../platform/home/yaml.ts");
  const read = readYaml(text);
  if (isProblem(read)) return `${file}:${read.line}: ${read.message}`;
  const value = withoutEmpty(read.value) as JsonValue;
  const wrong = checkRegistryConfig(value);
  const [first, ...others] = wrong.length > 0 ? wrong : refusedIn(value as RegistryConfig, own);
  if (first === undefined) return value as RegistryConfig;
  const more = others.length > 0 ? ` (and ${others.length} more)` : "";
  return `${file}:${await lineOf(read, first)}: ${first.message}${more}`;
}

/** A section that is still empty, for example because everything in it is commented out, counts as absent. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value ?? {};
  return Object.fromEntries(Object.entries(value).filter(([, section]) => section !== null));
}

/** Entries with valid syntax that mean nothing here or are not allowed in this file. */
function refusedIn(config: RegistryConfig, own: boolean): ConfigProblem[] {
  return [...refusedProviders(config, own), ...misspeltRoles(config)];
}

/** Any word may be a type of agent. One that resembles a role but is none would have no effect. */
function misspeltRoles({ profiles = {}, modelBindings = {} }: RegistryConfig): ConfigProblem[] {
  const maps = [
    ...Object.entries(profiles).map(
      ([name, preset]) => [["profiles", name, "model_mapping"], preset.model_mapping] as const,
    ),
    [["modelBindings", "modelRoles"], modelBindings.modelRoles ?? {}] as const,
  ];
  return maps.flatMap(([path, map]) =>
    Object.keys(map).flatMap((role) => {
      const meant = (ROLES as readonly string[]).includes(role) ? undefined : nearest(role, ROLES);
      return meant === undefined ? [] : [problemAt([...path, role], `is an unknown role; did you mean ${meant}?`)];
    }),
  );
}

function refusedProviders({ providers = {} }: RegistryConfig, own: boolean): ConfigProblem[] {
  return Object.entries(providers).flatMap(([id, { apiKey }]) => {
    const path = ["providers", id];
    if (RESERVED.includes(id)) return [problemAt(path, "is a name that Lathe reserves; choose another")];
    if (/[/:\s]/.test(id))
      return [problemAt(path, "is not a provider's name: it cannot contain / : or spaces; choose another")];
    if (own || !apiKey?.startsWith("!")) return [];
    return [problemAt([...path, "apiKey"], "is a command, which is allowed only in your own models.yml")];
  });
}

const problemAt = (path: ConfigProblem["path"], what: string): ConfigProblem => ({
  path,
  message: `${placeText(path)} ${what}`,
});

/** `practice/basic` is built in, `lathe/smol` is a role, `preset/pro` a preset. */
const RESERVED = ["practice", "lathe", "preset"];

function mergeConfigs(base: RegistryConfig, top: RegistryConfig): RegistryConfig {
  return {
    ...base,
    ...top,
    providers: { ...base.providers, ...top.providers },
    equivalence: {
      overrides: { ...base.equivalence?.overrides, ...top.equivalence?.overrides },
      exclude: [...(base.equivalence?.exclude ?? []), ...(top.equivalence?.exclude ?? [])],
    },
    profiles: { ...base.profiles, ...top.profiles },
    modelBindings: {
      modelRoles: { ...base.modelBindings?.modelRoles, ...top.modelBindings?.modelRoles },
      agentModelOverrides: {
        ...base.modelBindings?.agentModelOverrides,
        ...top.modelBindings?.agentModelOverrides,
      },
    },
  };
}

/** Line of the deepest part of the problem's path that exists in the file. */
async function lineOf({ document, lineAt }: ReadYaml, { path }: ConfigProblem): Promise<number> {
  const { isMap, isSeq } = await import("yaml");
  let node: unknown = document.contents;
  let line = 1;
  for (const step of path) {
    const pair = isMap(node) ? node.items.find(({ key }) => String(key) === String(step)) : undefined;
    node = isSeq(node) ? node.items[Number(step)] : pair?.value;
    const found = lineAt(pair?.key ?? node);
    if (found === undefined) return line;
    line = found;
  }
  return line;
}
