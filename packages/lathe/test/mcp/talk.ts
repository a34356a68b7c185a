// A conversation over a scripted model, with configured MCP servers.

import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { ExecutionEnvironment, Question, SessionEvent } from "@lathe/agent";
import { defaultDeps, type JsonObject } from "@lathe/llm";
import { type RecordedRequest, startModelServer, type Turn, turn } from "@lathe/testkit";
import { additionsOf } from "../../src/additions/list.ts";
import { openWorkspace } from "../../src/config/workspace/workspace.ts";
import { builtinCommands } from "../../src/conversation/commands/builtin.ts";
import { Conversation } from "../../src/conversation/conversation.ts";
import { expandInput } from "../../src/conversation/expand-input.ts";
import { sessionRequest } from "../../src/conversation/session-request.ts";
import { Run } from "../../src/hosts/run.ts";
import { existingJournal, newJournal } from "../../src/sessions/journals/journal-files.ts";
import { viewInto } from "../command-lines.ts";

export interface TalkOptions {
  /** The home of an earlier conversation, with what it left. */
  readonly root?: string;
  readonly session?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** No user: the first request waits for the servers. */
  readonly headless?: boolean;
  /** The user's answers, one per question. */
  readonly answer?: (question: Question) => string;
  /** Creates the session's environment; by default this machine. */
  readonly environment?: () => ExecutionEnvironment;
}

export type Talk = Awaited<ReturnType<typeof talkWith>>;

export async function talkWith(mcpServers: JsonObject, options: TalkOptions = {}) {
  const root = options.root ?? realpathSync(mkdtempSync(join(tmpdir(), "lathe-mcp-talk-")));
  const latheHome = join(root, "home", ".lathe");
  mkdirSync(latheHome, { recursive: true });
  mkdirSync(join(root, "project"), { recursive: true });
  const configure = (servers: JsonObject): void =>
    writeFileSync(join(latheHome, "mcp.json"), JSON.stringify({ mcpServers: servers }));
  configure(mcpServers);
  let answering: ((request: RecordedRequest) => Turn) | undefined;
  const model = await startModelServer({
    script: (request) => answering?.(request) ?? turn.error(400, { message: "The script has no turn left." }),
  });
  const env = {
    PATH: process.env["PATH"],
    LATHE_HOME: latheHome,
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: model.baseUrl("anthropic"),
    ...options.env,
  };
  const machine = {
    env,
    cwd: join(root, "project"),
    userHome: join(root, "home"),
    pid: process.pid,
    host: hostname(),
    deps: defaultDeps({ env }),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    terminal: process.stdout,
  };
  const choice = { model: "anthropic/claude-sonnet-4-5", "permission-mode": "full" };
  const run = new Run(machine);
  const opened = await openWorkspace(machine, choice);
  const workspace = run.at({ ...opened, settings: { ...opened.settings, ...options.settings } });
  const events: SessionEvent[] = [];
  const commands = builtinCommands();
  const { answer, environment } = options;
  const talk = await Conversation.start(
    {
      workspace,
      requestFor: async (journal) => ({
        ...(await sessionRequest(workspace, choice, journal)),
        additions: additionsOf(run),
        ...(options.headless ? { promptFollows: true } : {}),
        ...(environment ? { environment } : {}),
      }),
      ...(answer
        ? { person: { answer: async (questions) => questions.map((one) => ({ id: one.id, selected: [answer(one)] })) } }
        : {}),
      onEvent: (_session, event) => events.push(event),
      onSession: (open) => {
        const setCommands = (): void => commands.setSessionCommands(open.parts.commands());
        open.parts.onCommands = setCommands;
        setCommands();
      },
    },
    options.session === undefined ? newJournal(workspace) : existingJournal(workspace, options.session),
  );
  const lines: string[] = [];
  const view = viewInto(lines);
  return {
    root,
    talk,
    model,
    lines,
    events,
    configure,
    warnings: () => events.flatMap((event) => (event.kind === "warning" ? [event.data.message] : [])),
    prefixChanges: () => events.flatMap((event) => (event.kind === "prefix_changed" ? [event.data.reason] : [])),
    /** Runs the input against these answers of the model. */
    say: async (line: string, ...script: Turn[]) => {
      model.push(...script);
      await commands.ready;
      const command = commands.parse(line);
      if (command) await commands.run(talk, command, view);
      else await talk.submit((await expandInput(line, talk.open, { commands: commands.list() })) ?? line);
    },
    /** Answers requests when no turn was pushed. */
    answer: (script: ((request: RecordedRequest) => Turn) | undefined) => {
      answering = script;
    },
    /** Names of the tools that a request offered, without the built-in ones. */
    offeredTools: (request = -1) =>
      toolsIn(model.requests.at(request)?.body).filter((name) => /^(mcp__|search_tool)/.test(name)),
    /** Text of the last result that the model got. */
    lastResult: () => lastResult(model.requests.at(-1)?.body),
    file: () => talk.open.journal.path as string,
    close: async () => {
      await talk.close();
      await model.close();
    },
  };
}

export const toolsIn = (body: unknown): string[] =>
  ((body as { tools?: { name: string }[] } | undefined)?.tools ?? []).map(({ name }) => name);

function lastResult(body: unknown): string {
  const { messages } = body as { messages: { content: { type: string; content?: unknown }[] }[] };
  const results = messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.filter(({ type }) => type === "tool_result") : [],
  );
  return JSON.stringify(results.at(-1)?.content);
}
