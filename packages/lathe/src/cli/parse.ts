// argv to options. Knows the table, not what the options mean.

import { usageError } from "./exit.ts";
import { nearest } from "./nearest.ts";
import { type CliOptions, OPTIONS, type OptionSpec } from "./option-table.ts";

export interface ParsedArgs {
  readonly options: CliOptions;
  /** What is not an option: the prompt, `@file` arguments. */
  readonly words: readonly string[];
}

const specs: Readonly<Record<string, OptionSpec>> = OPTIONS;

export function parseArgs(argv: readonly string[]): ParsedArgs {
  const options: Record<string, unknown> = {};
  const words: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? "";
    if (word === "--") {
      words.push(...argv.slice(i + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      words.push(word);
      continue;
    }
    const { name, inline } = optionName(word);
    const spec = specs[name];
    if (!spec) throw unknownOption(word);
    if (spec.kind === "flag") {
      if (inline !== undefined) throw usageError(`--${name} takes no value.`);
      options[name] = true;
      continue;
    }
    const next = inline ?? argv[i + 1];
    const hasNext = next !== undefined && (inline !== undefined || !next.startsWith("-") || next === "-");
    if (spec.kind === "optional") {
      options[name] = hasNext ? next : true;
      if (hasNext && inline === undefined) i++;
      continue;
    }
    // `-p` alone means: the words are the prompt.
    if (!hasNext && name === "print") {
      options[name] = (options[name] as string[] | undefined) ?? [];
      continue;
    }
    if (!hasNext) throw usageError(`--${name} needs a value: --${name} <${spec.value ?? "value"}>.`);
    if (inline === undefined) i++;
    checkChoice(name, spec, next);
    if (spec.kind === "list") options[name] = [...((options[name] as string[] | undefined) ?? []), next];
    else options[name] = next;
  }
  return { options: options as CliOptions, words };
}

function optionName(word: string): { name: string; inline?: string } {
  if (word.startsWith("--")) {
    const equals = word.indexOf("=");
    return equals < 0 ? { name: word.slice(2) } : { name: word.slice(2, equals), inline: word.slice(equals + 1) };
  }
  const entry = Object.entries(specs).find(([, spec]) => spec.short === word[1]);
  if (!entry) throw unknownOption(word);
  return word.length > 2 ? { name: entry[0], inline: word.slice(2) } : { name: entry[0] };
}

function unknownOption(word: string): Error {
  const guess = nearest(word.replace(/^-+/, "").split("=")[0] ?? "", Object.keys(specs));
  return usageError(`Unknown option ${word}.${guess ? ` Did you mean --${guess}?` : ""} See lathe --help.`);
}

function checkChoice(name: string, spec: OptionSpec, value: string): void {
  if (!spec.choices || spec.choices.includes(value)) return;
  throw usageError(`--${name} must be one of ${spec.choices.join(", ")}, not "${value}".`);
}
