// A conversation over a scripted model server, with the slash commands that every host has.

import { realpathSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defaultDeps } from "@lathe/llm";
import { type RecordedRequest, startModelServer, type Turn, turn } from "@lathe/testkit";
import { trustFolder } from "../src/config/trust/trust.ts";
import { openWorkspace } from "../src/config/workspace/workspace.ts";
import { builtinCommands } from "../src/conversation/commands/builtin.ts";
import type { CommandView } from "../src/conversation/commands/command-view.ts";
import { Conversation } from "../src/conversation/conversation.ts";
import type { ConversationParts } from "../src/conversation/conversation-parts.ts";
import type { AdditionEntry } from "../src/conversation/session-contract.ts";
import { sessionRequest } from "../src/conversation/session-request.ts";
import { Run } from "../src/hosts/run.ts";
import { homePaths } from "../src/platform/home/paths.ts";
import { newJournal } from "../src/sessions/journals/journal-files.ts";

/** A summary that passes the checks. */
export const NOTES = "## Goal\nShip it.\n\n## Done\nThe first half.\n\n## Next steps\nThe second half.";

/** A briefing that passes the checks. */
export const briefing = (next: string): string => `## Goal\nShip it.\n\n## Done\nNothing.\n\n## Next steps\n${next}`;

export type Talk = Awaited<ReturnType<typeof conversation>>;

export async function conversation(
  settings: Record<string, unknown> = {},
  {
    model = "anthropic/claude-sonnet-4-5",
    parts = {},
    env: more = {},
    files = {},
    cwd = ".",
    additions = [],
    trusted = [],
  }: {
    /** Files below the root, which is also the user's home. */
    readonly files?: Readonly<Record<string, string>>;
    /** Relative to the root. */
    readonly cwd?: string;
    /** Files of the working directory that the user has trusted. */
    readonly trusted?: readonly string[];
    readonly additions?: readonly AdditionEntry[];
    readonly model?: string;
    readonly parts?: Partial<ConversationParts>;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
) {
  let answering: ((request: RecordedRequest) => Turn) | undefined;
  const server = await startModelServer({
    script: (request) => answering?.(request) ?? turn.error(400, { message: "The script has no turn left." }),
  });
  const root = realpathSync(await mkdtemp(join(tmpdir(), "lathe-compaction-")));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const env = {
    PATH: process.env["PATH"],
    LATHE_HOME: join(root, ".lathe-home"),
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: server.baseUrl("anthropic"),
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: server.baseUrl("openai"),
    ...more,
  };
  if (trusted.length > 0) await trustFolder(homePaths(env, root).trust, join(root, cwd), new Date(0), trusted);
  const { stdin, stdout, stderr } = process;
  const machine = {
    env,
    cwd: join(root, cwd),
    userHome: root,
    pid: process.pid,
    host: hostname(),
    deps: defaultDeps({ env }),
  };
  const options = { model };
  const run = new Run({ ...machine, stdin, stdout, stderr, terminal: stdout });
  const opened = await openWorkspace(run.machine, options);
  const workspace = run.at({ ...opened, settings: { ...opened.settings, ...settings } });
  const warnings: string[] = [];
  const starts: { readonly reason: string }[] = [];
  const ends: object[] = [];
  let tail = "";
  const commands = builtinCommands();
  const talk = await Conversation.start(
    {
      ...parts,
      workspace,
      requestFor: async (journal) => ({ ...(await sessionRequest(workspace, options, journal)), additions }),
      onSession: (open, arrival) => {
        parts.onSession?.(open, arrival);
        commands.setSessionCommands(open.parts.commands());
      },
      onEvent: (session, event) => {
        parts.onEvent?.(session, event);
        if (event.kind === "tool_call_output_delta") tail += event.data.delta;
        if (event.kind === "warning") warnings.push(event.data.message);
        if (event.kind === "compaction_start") starts.push(event.data);
        if (event.kind === "compaction_end") ends.push(event.data);
      },
    },
    newJournal(workspace),
  );
  const lines: string[] = [];
  const replies: string[] = [];
  const view: CommandView & { columns?: number } = {
    line: (text: string) => lines.push(text),
    ask: async () => replies.shift(),
    showPast: async () => {},
    prefill: () => {},
    leave: () => {},
  };
  const say = async (line: string) => {
    const command = commands.parse(line);
    if (command) return commands.run(talk, command, view);
    await talk.submit(line);
  };
  const lastSent = (): string => JSON.stringify(server.requests.at(-1)?.body);
  return {
    root,
    server,
    settings: workspace.settings as Record<string, unknown>,
    talk,
    say,
    view,
    lines,
    warnings,
    starts,
    ends,
    lastSent,
    /** The answer to the next question of a command. */
    reply: (text: string) => void replies.push(text),
    /** Answers requests when no turn was pushed. */
    answer: (script: (request: RecordedRequest) => Turn) => {
      answering = script;
    },
    /** Output of running calls. */
    tail: () => tail,
  };
}
