// `lathe <command> --help`.

import { SUBCOMMANDS, type Subcommand } from "../options/option-table.ts";

/** What may follow the name, and what it means; the first line of each page is the command's line of `lathe --help`. */
const FORMS: Readonly<Record<Subcommand, readonly (readonly [string, string])[]>> = {
  config: [
    ["list", "every setting, its value, where that comes from and what it means"],
    ["get <key>", "one value"],
    ["set <key> <value>", "write it to your own file; lists as a,b and maps as name=1,other=2"],
    ["unset <key>", "take it out of your own file"],
    ["path", "where that file is"],
  ],
  models: [
    ["", "all models"],
    ["<pattern>", "those that fit: part of a name, provider/*, *sonnet*"],
    ["… --json", "as JSON"],
  ],
  login: [
    ["<provider>", "sign in where the provider offers it, else ask for a key; a key may be piped in"],
    ["<provider> --key", "ask for a key in any case"],
  ],
  logout: [["<provider>", "forget what is stored for it"]],
  auth: [["status [provider]", "the source of each credential, never the credential"]],
  trust: [
    ["[folder]", "let the .lathe/ folder and .env of this folder count; this directory when none is named"],
    ["--list", "folders that are trusted"],
    ["--remove [folder]", "no longer trust it"],
  ],
  sessions: [
    ["list [--all] [-n N] [--json]", "sessions of this directory, or of all; N 0 shows every one"],
    ["show <id|path> [--full]", "the transcript as text"],
    ["search <words> [-n N] [--json]", "full-text search over all sessions"],
    ["rename <id|path> <title>", "give a session a title"],
    ["rm <id|path>…", "remove sessions with their artifacts and subagents"],
    ["export <id|path> [--out file]", "the transcript as one HTML file"],
    ["doctor [id|path] [--gc]", "check session files; --gc removes blobs nobody names"],
    ["stats [--json]", "sessions, messages, tokens and cost by model and day"],
  ],
  prompt: [["[options] [prompt…]", "takes the options of a run; nothing is sent, and with --model no key is needed"]],
  tool: [
    ["<name> '<json>'", "one call with these arguments; - reads them from stdin"],
    ["<name> --describe", "its description and schema, as the model sees them"],
  ],
  replay: [["<dir>", "a folder that lathe --record <dir> has made"]],
  doctor: [["", "one line for each thing a run depends on; for session files: lathe sessions doctor"]],
  demo: [["", "a copy of the sample project is mended by the practice model"]],
  completions: [
    ["bash", 'in ~/.bashrc: eval "$(lathe completions bash)"'],
    ["zsh", 'in ~/.zshrc, after compinit: eval "$(lathe completions zsh)"'],
    ["fish", "in config.fish: lathe completions fish | source"],
  ],
};

/** Words that the command goes on with. */
export const verbsOf = (command: Subcommand): string[] =>
  FORMS[command].flatMap(([form]) => /^[a-z|]+/.exec(form)?.[0].split("|") ?? []);

export function usageOf(command: Subcommand): string {
  const forms = FORMS[command];
  const width = Math.max(...forms.map(([form]) => form.length)) + 2;
  const rows = forms.map(([form, meaning]) => `  lathe ${command} ${form.padEnd(width)}${meaning}`);
  return `lathe ${command}: ${SUBCOMMANDS[command]}\n\n${rows.join("\n")}\n`;
}
