// Parses the words of `lathe mcp add`, which has the forms that other agents also have.

import type { JsonObject } from "@lathe/llm";
import { usageError } from "../../platform/usage/exit.ts";

export interface AddedServer {
  readonly isProject: boolean;
  readonly name: string;
  readonly server: JsonObject;
}

const TRANSPORTS = ["stdio", "http", "sse"];

/** The values of the options; the words of the server's command are never among them. */
class Options {
  readonly env: Record<string, string> = {};
  readonly headers: Record<string, string> = {};
  isProject = false;
  transport: string | undefined;

  /** Takes the options at the beginning and returns the rest. */
  take(words: readonly string[]): readonly string[] {
    let at = 0;
    for (; words[at]?.startsWith("-") && words[at] !== "--"; at++) {
      const [option = "", joined] = splitOption(words[at] ?? "");
      const value = (): string | undefined => joined ?? words[++at];
      if (option === "--project") this.isProject = true;
      else if (option === "--sse") this.transport = "sse";
      else if (option === "-e" || option === "--env") Object.assign(this.env, pair(value(), "=", "--env NAME=value"));
      else if (option === "-H" || option === "--header")
        Object.assign(this.headers, pair(value(), ":", "--header 'Name: value'"));
      else if (option === "-t" || option === "--transport") this.transport = choice(value(), TRANSPORTS, "--transport");
      // Claude Code uses "local" for the user's own servers.
      else if (option === "-s" || option === "--scope")
        this.isProject = choice(value(), ["user", "local", "project"], "--scope") === "project";
      else throw usageError(`lathe mcp add does not know ${option}. See: lathe mcp --help`);
    }
    return words.slice(at);
  }
}

/** Options may come before or after the name; everything after `--` and the command belongs to the program. */
export function readAddition(argv: readonly string[]): AddedServer {
  const options = new Options();
  const [name, ...afterName] = options.take(argv).filter((word, i) => !(word === "--" && i === 0));
  const [first, ...args] = options.take(afterName).filter((word, i) => !(word === "--" && i === 0));
  if (name === undefined || first === undefined)
    throw usageError("Give a name, then a command or an address: lathe mcp add <name> <command or address>");
  checkServerName(name);
  const isAddress = /^https?:\/\//.test(first);
  if (!isAddress && /^\w+:\/\//.test(first))
    throw usageError(`${first} is not the address of a server, which begins with http:// or https://.`);
  const rest = isAddress ? options.take(args) : args;
  const { env, headers, isProject, transport } = options;
  if (isAddress && transport === "stdio") throw usageError(`${first} is an address: leave out --transport stdio.`);
  if (!isAddress && (transport ?? "stdio") !== "stdio")
    throw usageError(`--transport ${transport} needs an address that begins with http:// or https://, not ${first}.`);
  if (isAddress && (rest.length > 0 || Object.keys(env).length > 0))
    throw usageError("A server at an address takes --header, but no arguments or variables.");
  if (!isAddress && Object.keys(headers).length > 0) throw usageError("A program takes --env, but no headers.");
  return {
    isProject,
    name,
    server: isAddress
      ? { type: transport ?? "http", url: first, ...(Object.keys(headers).length > 0 ? { headers } : {}) }
      : {
          command: first,
          ...(rest.length > 0 ? { args: [...rest] } : {}),
          ...(Object.keys(env).length > 0 ? { env } : {}),
        },
  };
}

export function checkServerName(name: string): void {
  if (!/^[\w.-]+$/.test(name))
    throw usageError(`"${name}" cannot be a server name. Use letters, digits, _, - and dots.`);
}

/** Splits `--env=A=b`, which means the same as `--env A=b`. */
function splitOption(word: string): readonly [string, string | undefined] {
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function choice(value: string | undefined, known: readonly string[], option: string): string {
  if (value !== undefined && known.includes(value)) return value;
  throw usageError(`${option} is one of ${known.join(", ")}.`);
}

function pair(text: string | undefined, sign: string, form: string): Record<string, string> {
  const cut = text?.indexOf(sign) ?? -1;
  if (text === undefined || cut < 1) throw usageError(`Write it as ${form}.`);
  return { [text.slice(0, cut).trim()]: text.slice(cut + 1).trim() };
}
