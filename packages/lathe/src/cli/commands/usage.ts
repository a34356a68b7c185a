// `lathe <command> --help`.

import { SUBCOMMANDS, type Subcommand } from "../../platform/options/option-table.ts";
import { listing, type Named, roomOf } from "../../sessions/tables/listing.ts";

/**
 * The forms of each command and their meanings; the first line of each page is the command's line in `lathe --help`.
 */
const FORMS: Readonly<Record<Subcommand, readonly (readonly [string, string])[]>> = {
  acp: [
    ["[options]", "speak the Agent Client Protocol over stdin and stdout; the editor starts this"],
    ["login [provider]", "sign in, in the terminal that an editor opens for it"],
  ],
  config: [
    ["list", "every setting with its value, source and meaning"],
    ["get <key>", "one value"],
    ["set <key> <value>", "write it to your settings file; lists as a,b and maps as name=1,other=2"],
    ["unset <key>", "remove it from your settings file"],
    ["path", "print the path of that file"],
  ],
  models: [
    ["", "all models"],
    ["<pattern>", "only those that match: part of a name, provider/*, *sonnet*"],
    ["presets", "presets for --mpreset: models for all jobs at once"],
    ["… --usable", "only models that have a credential or need none"],
    ["… --json", "as JSON"],
  ],
  setup: [
    ["provider --preset <name>", "write an entry for minimax, minimax-cn or glm to models.yml; no key is written"],
    [
      "coordinator --root <dir>",
      "print the entry with which a bot starts lathe mcp-serve coordinator; also: setup hermes",
    ],
    [
      "… --mutation <kinds>",
      "what the bot may change: sessions, questions, reports, or all; without it, it only reads",
    ],
    ["… --profile <name> --repo <name>", "its namespace; --root may be given several times"],
    ["… --worktree-name <name>", "all sessions in this isolated copy, instead of one copy each"],
    ["… --session-command <command>", 'how sessions are started; "lathe --worktree" if not given'],
    ["… --profile-dir <dir> --install", "write the entry to config.yaml of the bot's profile, instead of printing it"],
    ["… --smoke", "check what the server would offer; writes nothing"],
    ["… --json", "as JSON"],
  ],
  login: [
    ["<provider>", "sign in if the provider offers it, otherwise ask for a key; a key may be piped in"],
    ["<provider> --key", "always ask for a key; without a terminal: lathe login <provider> < key.txt"],
    ["… --account <name>", "one of several accounts of this provider"],
  ],
  logout: [
    ["<provider>", "delete its stored credential"],
    ["<provider> --account <name>", "of one account; --all: of all of them"],
  ],
  auth: [
    ["status [provider]", "where each credential comes from, never the credential itself"],
    ["… --usage", "also ask the vendors how much of each account is used up"],
    ["… --json", "as JSON"],
  ],
  ext: [
    ["[list]", "every extension, custom tool and module hook, and whether it is on"],
    ["enable <name>", "turn one on"],
    ["disable <name>", "turn one off"],
    ["new <name> [--user]", "create one in .lathe/extensions of this folder, or of your home with --user"],
  ],
  trust: [
    ["[folder]", "let this folder's settings, .env, hooks, servers and extensions take effect (default: .)"],
    ["--list", "list trusted folders"],
    ["--remove [folder]", "stop trusting it"],
  ],
  plugin: [
    [
      "add <source>",
      "show what it contains, then install it: a folder, git URL, owner/repository, npm:<package>, <plugin>@<marketplace>",
    ],
    ["list", "list the installed plugins"],
    ["show <name>", "show what it contains"],
    ["enable <name>, disable <name>", "takes effect in new sessions"],
    ["update <name>", "fetch it again"],
    ["remove <name>", "delete it"],
    ["marketplace add <source>", "a folder or repository that lists plugins; also: list, remove <name>"],
    ["… --yes", "do not ask"],
  ],
  migrate: [
    ["", "show what would be imported; writes nothing"],
    ["--apply", "import it, and keep a copy of every file that changes"],
    ["--from <agent>", "claude-code, codex, gemini, opencode, pi or all"],
    ["--scope <scope>", "user (your own files) or project (those of this repository)"],
    ["--force", "replace entries of the same name"],
    ["--json", "as JSON"],
  ],
  discover: [
    ["", "everything: where it comes from, and why something is shadowed or ignored"],
    ["<kind>", "one kind: skill, command, rule, mcp-server, hook, …"],
    ["providers", "the agents whose files Lathe looks for, by priority"],
    ["… --json", "as JSON"],
  ],
  team: [
    ["<task> [-n 2]", "in a session of lathe --tmux: workers in their own panes, whose work is merged here"],
    ["<task> <task>…", "one worker for each task"],
    ["… --dry-run", "show the plan, start nothing"],
    ["--status, --stop", "show the team's state; end it, and keep its work as patches"],
    ["… --json", "the state as one JSON object"],
  ],
  workflow: [
    ["list [--json]", "available workflows, and how to start each"],
    ["show <name>", "its states, the moves between them and what each needs, and its text"],
    [
      "status [session] [--json]",
      "a session's state, and what it waits for (default: the last session of this folder)",
    ],
  ],
  agents: [
    ["list [--json]", "available agents, where they come from, and ignored files"],
    ["show <name>", "the file of an agent"],
    ["check [file]", "check this file, or all files found"],
    ["new <name> [--user]", "create one for this project, or with --user for all projects"],
  ],
  review: [
    ["", "uncommitted changes; if there are none, the branch against its upstream or main"],
    ["main...HEAD", "a range of commits"],
    ["HEAD~3", "everything since that commit, uncommitted changes included; a branch or tag likewise"],
    ["<commit>", "one commit, by its hash; by any other name: HEAD^!"],
    ["… --json", "findings, what was left out and why, tokens and cost as one JSON object"],
    ["… --max-cost 1", "options of a run work here too: --model, --max-time, --no-session"],
  ],
  commit: [
    ["", "propose a message for the staged changes, and commit when you agree"],
    ["--all", "everything that has changed, new files included"],
    ["--split", "propose several commits when the change has several purposes"],
    ["--yes", "commit without asking"],
    ["--dry-run", "only print the proposal"],
    ["--context <text>", "what the model should know about the change"],
    ["--no-verify", "skip git's hooks, as git commit --no-verify does"],
    ["--continue, --abort", "after an interruption, make the remaining commits, or undo those that were made"],
    ["… --json", "proposal, commits, tokens and cost as one JSON object"],
    ["… --model <model>, --max-cost 1", "options of a run work here too: --max-time, --no-session"],
  ],
  memory: [
    ["list [-n N] [--json]", "notes of this project, newest first; -n 0 shows all"],
    ["show <id>", "a note, where it comes from, and the files it is based on"],
    ["search <words> [--json]", "notes with any of these words, best first"],
    ["view", "what a new session sees, and what it does not see because it is stale"],
    ["forget <id>…", "delete notes"],
    ["rebuild [--model m] [--max-cost 1]", "read past sessions of this directory now, and summarize all notes"],
    ["clear [--all]", "delete all notes of this project, or of all projects; does not ask"],
  ],
  goal: [
    ["<text> --until '<command>'", "work until the command passes, a limit ends the run, or it stops making progress"],
    ["… --max-cost 1", "options of a run work here too: --model, --max-time, --worktree, --json"],
  ],
  mcp: [
    ["list [--json]", "configured servers, and why one has no effect"],
    ["add [options] <name> <command> [args…]", "a program that Lathe starts; everything after the name belongs to it"],
    ["add [options] <name> <https://…>", "a server over HTTP; --transport sse for the older protocol"],
    [
      "add -e K=V -H 'K: V' …",
      "environment variables and headers (--env, --header); variables and !commands in values are expanded at start",
    ],
    ["add --project …", "write to this project's .lathe/mcp.json instead of your own"],
    ["add-json <name> '<json>'", "add an entry from a server's documentation"],
    ["get <name> [--json]", "show its entry, without the values of variables and headers"],
    ["test [name]", "connect and list the tools"],
    ["remove [--project] <name>", "remove it from the file"],
    ["login <name>, logout <name>", "sign in to a server, or delete the sign-in"],
  ],
  "mcp-serve": [
    [
      "coordinator",
      "an MCP server on stdin and stdout that runs sessions for a bot; LATHE_COORDINATOR_MCP_… says what it may do",
    ],
    ["coordinator --check [--json]", "show what it offers, and check its variables; starts nothing"],
  ],
  coordinator: [
    ["[status]", "sessions, turns, questions and last events of the namespace that the variables name"],
    ["sessions, session <id>", "whether they are running, and what they work on"],
    ["turn <id>, tail <session>", "a turn with its answer; the end of the transcript"],
    ["questions, artifacts <session>", "questions that wait for an answer; what a session has produced"],
    ["tools", "the tools of lathe mcp-serve coordinator"],
    ["… --json", "as JSON"],
  ],
  policy: [
    ["test [--json] -- '<command>'", "how this command would be judged here, with the reason for each part of it"],
    ["test --allow R --ask R --deny R -- …", "the same with only these rules; each may be repeated"],
    ["explain", "the mode, the rules and remembered answers, and where each comes from"],
    ["suggest <session> [--json]", "rules that would have avoided questions in that session"],
    ["forget", "ask again about what you allowed in this project"],
  ],
  sessions: [
    ["list [--all] [-n N] [--json]", "sessions of this directory, or of all; -n 0 shows every session"],
    ["list --tmux [--json]", "sessions in tmux that Lathe started"],
    ["show <id|path> [--full]", "the transcript as text"],
    ["show <id|path> --agent <name>", "the transcript of one of its agents"],
    ["show <id|path> --audit [--json]", "what was decided about every call, by whom and why"],
    ["search <words> [-n N] [--json]", "full-text search over all sessions"],
    ["tree <id|path> [--filter F] [--json]", "every branch; F: default, no-tools, user-only, labeled-only, all"],
    ["tree <id|path> --go <entry>", "continue from there next time"],
    ["branch <id|path> <entry>", "a new session that ends before one of your messages"],
    ["label <id|path> [<entry> <name>]", "label an entry, or list the labels; <entry> --clear removes one"],
    ["move <id|path> <folder>", "move it to another folder"],
    ["rename <id|path> <title>", "give a session a title"],
    ["rm <id|path>…", "remove sessions with their artifacts and subagents"],
    ["export <id|path> [--out file]", "the transcript as one HTML file"],
    ["doctor [id|path] [--gc]", "check session files; --gc removes unreferenced blobs"],
  ],
  attach: [
    ["[id]", "a session of /serve, lathe serve or an editor on this machine; its id may be shortened"],
    ["<url>", "a session of another server; the token is LATHE_SERVE_TOKEN, otherwise Lathe asks for a one-time code"],
  ],
  serve: [
    ["[--root dir]…", "serve sessions of these folders (default: .) at http://127.0.0.1:4096"],
    ["--port n", "another port; 0 lets the system choose"],
    [
      "--host address --tls-cert file --tls-key file",
      "listen on another address than this machine's own, over TLS only",
    ],
    ["--idle 10m", "close a session that was not used for this long; it is reopened on use"],
    ["link [--url address]", "print another link for a browser: works once, for 10 minutes"],
    ["token list [--json]", "tokens of programs and of signed-in browsers"],
    ["token add <name> [--scope read,prompt]", "print a new token; scopes: read, prompt, approve, admin"],
    ["token add … --days 30 --session <id>", "when it expires, and the only session it is valid for"],
    ["token revoke <name|id>", "it stops working at once"],
  ],
  share: [
    ["<id|path>", "write it as one encrypted HTML file, and print the file and the link that opens it"],
    ["… --out <file>", "write it there instead of lathe-share-<id>.html"],
    ["… --base-url <url>", "print the link for a file that you will upload to this https folder"],
    ["<id|path> --live", "print a link with which one browser can follow the session at lathe serve, read-only"],
    ["… --for <24h>, --url <url>", "how long a live link lasts, and the address of the server"],
  ],
  "auth-broker": [
    ["serve [--bind 127.0.0.1:8765]", "keep tokens fresh and serve them to clients, until Ctrl+C"],
    ["serve … --tls-cert file --tls-key file", "at another address than this machine's own, over TLS only"],
    ["token [--regenerate] [--json]", "the token that clients send; a new one replaces the old one at once"],
    ["login [provider] [--account name]", "sign in, or store a key from stdin, where the broker is"],
    ["login <provider> --via user@host [--dry-run]", "the same on another machine, over ssh; your browser is used"],
    ["logout [provider] [--account name]", "delete a provider's credentials"],
    ["list [--json]", "credentials with their state; never a secret"],
    [
      "import <file|folder> [--provider id]",
      "tokens of other programs: claude, codex, gemini, antigravity, gemini-cli",
    ],
    ["import … --include-disabled, --dry-run, --json", "include disabled ones; only show what would be imported"],
    ["migrate --from-local", "upload the keys of this machine to the broker that you use"],
    ["migrate … --include-oauth, --include-env", "include sign-ins, and keys in variables; also --dry-run, --json"],
    ["status [--json]", "whether a broker answers, and problems with its credentials"],
  ],
  "auth-gateway": [
    ["serve [--bind 127.0.0.1:4000]", "answer clients of OpenAI's and Anthropic's APIs with your models, until Ctrl+C"],
    ["serve … --tls-cert file --tls-key file", "at another address than this machine's own, over TLS only"],
    ["serve --no-auth", "without keys, for this machine only"],
    ["run [--budget 2] -- <command>", "run a command with its own key, which is revoked when the command ends"],
    ["run … --name job --url address", "the key's name, and the gateway's address as the command sees it"],
    ["token [--regenerate] [--json]", "the operator's own token; clients get keys"],
    ["key add <name> [--budget 20/month]", "print a new key; a budget in US dollars: per day, per month or in total"],
    [
      "key add|run … --models a,b --rpm n --expires 30d",
      "which models, how many requests per minute, and for how long",
    ],
    ["key list [--json]", "keys, what they may do and what they have spent"],
    ["key revoke <name|id>", "it stops working at once"],
    ["status [--url address] [--json]", "whether a gateway answers, and its keys and providers"],
    ["check [--strict] [--json]", "whether your credentials work; --strict tries each with a tiny request"],
  ],
  stats: [
    ["", "tokens and cost of all sessions, by day, model, project and agent"],
    ["--by key", "usage of the clients of lathe auth-gateway, by key"],
    ["--days N", "only the last N days, today included"],
    ["… --json", "as JSON"],
  ],
  rewind: [
    ["", "messages of this directory's last session that you can rewind to"],
    ["<entry>", "go back to before that message, or to the end of another entry: conversation and files"],
    ["--undo", "the same for the last message"],
    ["--redo", "undo the last rewind"],
    ["… --files | --conversation", "only one of them"],
    ["… --force", "also files that were changed outside the session"],
    ["… --session <id|path>", "another session of this directory"],
  ],
  worktree: [
    ["[list]", "isolated copies with changes that were not applied"],
    ["land <id>", "merge the changes into your files"],
    ["branch <id>", "commit them to the branch lathe/task/<id>; your files stay as they are"],
    ["patch <id>", "write them to a file for git apply"],
    ["discard <id>", "remove the isolated copy with all its changes"],
  ],
  prompt: [["[options] [prompt…]", "takes the same options as a run; sends nothing and, with --model, needs no key"]],
  map: [
    ["", "classes, functions and types of this folder that most other code refers to"],
    ["<path>", "the same for one folder or file, and what it uses from elsewhere"],
    ["… --tokens N", "approximate length of the map; 2000 if not given"],
  ],
  tool: [
    ["<name> '<json>'", "run it with these arguments; - reads them from stdin"],
    ["<name> --describe", "its description and schema, as the model sees them"],
  ],
  replay: [["<dir>", "a folder made by lathe --record <dir>"]],
  doctor: [["", "check everything that a run needs; for session files: lathe sessions doctor"]],
  update: [
    ["", "look for a newer version, show the command that installs it, and ask before running it"],
    ["--check", "only look for one"],
    ["--yes", "do not ask"],
  ],
  demo: [["", "the practice model fixes a copy of the sample project"]],
  completions: [
    ["bash", 'in ~/.bashrc: eval "$(lathe completions bash)"'],
    ["zsh", 'in ~/.zshrc, after compinit: eval "$(lathe completions zsh)"'],
    ["fish", "in config.fish: lathe completions fish | source"],
  ],
};

/** The verbs of the command. */
export const verbsOf = (command: Subcommand): string[] => [
  ...new Set(
    FORMS[command].flatMap(([form]) =>
      form.split(", ").flatMap((part) => /^[a-z][a-z|-]*/.exec(part)?.[0].split("|") ?? []),
    ),
  ),
];

export function usageOf(command: Subcommand, stdout: Parameters<typeof roomOf>[0]): string {
  const columns = roomOf(stdout);
  const forms = FORMS[command].map(([form, meaning]): Named => [`lathe ${command} ${form}`.trimEnd(), meaning]);
  const width = Math.max(...forms.map(([form]) => form.length)) + 2;
  const wide = forms.map(([form, meaning]) => `  ${form.padEnd(width)}${meaning}`);
  const title = listing([["", `lathe ${command}: ${SUBCOMMANDS[command]}`]], columns)
    .trim()
    .replace(/\n +/g, "\n");
  if (wide.every((row) => row.length <= columns)) return `${title}\n\n${wide.join("\n")}\n`;
  return `${title}\n\n${listing(forms, columns - 2).replace(/^/gm, "  ")}\n`;
}
