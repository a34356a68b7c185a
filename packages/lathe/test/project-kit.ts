// A conversation in its own project, with everything that files may add to a session, over a scripted model server.

import { realpathSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SessionEvent } from "@lathe/agent";
import { defaultDeps } from "@lathe/llm";
import { startModelServer, type Turn, turn } from "@lathe/testkit";
import { additionsOf } from "../src/additions/list.ts";
import { openWorkspace } from "../src/config/workspace/workspace.ts";
import { builtinCommands } from "../src/conversation/commands/builtin.ts";
import { Conversation } from "../src/conversation/conversation.ts";
import { expandInput } from "../src/conversation/expand-input.ts";
import { sessionRequest } from "../src/conversation/session-request.ts";
import { Run } from "../src/hosts/run.ts";
import { existingJournal, newJournal } from "../src/sessions/journals/journal-files.ts";
import { viewInto } from "./command-lines.ts";

export type Project = Awaited<ReturnType<typeof project>>;

/** `files` are paths below a folder with `project`, the working directory, and `home`, the user's home. */
export async function project(
  files: Readonly<Record<string, string>>,
  { settings = {}, model = "anthropic/claude-sonnet-4-5" }: { settings?: Record<string, unknown>; model?: string } = {},
) {
  const server = await startModelServer({});
  const root = realpathSync(await mkdtemp(join(tmpdir(), "lathe-project-")));
  const cwd = join(root, "project");
  const userHome = join(root, "home");
  await mkdir(join(cwd, ".git"), { recursive: true });
  await mkdir(userHome);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const env = {
    PATH: process.env["PATH"],
    HOME: userHome,
    LATHE_HOME: join(userHome, ".lathe"),
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: server.baseUrl("anthropic"),
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: server.baseUrl("openai"),
  };
  const { stdin, stdout, stderr } = process;
  const machine = { env, cwd, userHome, pid: process.pid, host: hostname(), deps: defaultDeps({ env }) };
  const options = { model, "permission-mode": "full" } as const;
  const run = new Run({ ...machine, stdin, stdout, stderr, terminal: stdout });
  const opened = await openWorkspace(run.machine, options);
  const workspace = run.at({ ...opened, settings: { ...opened.settings, ...settings } });
  const events: SessionEvent[] = [];
  const commands = builtinCommands();
  const start = (resumed?: string): Promise<Conversation> =>
    Conversation.start(
      {
        workspace,
        requestFor: async (journal) => ({
          ...(await sessionRequest(workspace, options, journal)),
          additions: additionsOf(run),
        }),
        onSession: (open) => commands.setSessionCommands(open.parts.commands()),
        onEvent: (_session, event) => events.push(event),
      },
      resumed === undefined ? newJournal(workspace) : existingJournal(workspace, resumed),
    );
  let talk = await start();
  const lines: string[] = [];
  const view = viewInto(lines);
  return {
    root,
    cwd,
    server,
    events,
    commands,
    lines,
    workspace,
    get talk() {
      return talk;
    },
    of: <K extends SessionEvent["kind"]>(kind: K) =>
      events.filter((event) => event.kind === kind) as Extract<SessionEvent, { kind: K }>[],
    warnings: () => events.flatMap((event) => (event.kind === "warning" ? [event.data.message] : [])),
    /** Runs a command or sends text, as a host does. */
    say: async (line: string, ...answers: readonly Turn[]) => {
      server.push(...answers);
      await commands.ready;
      const command = commands.parse(line);
      if (command) return commands.run(talk, command, view);
      const content = await expandInput(line, talk.open, { commands: commands.list() });
      return content === undefined ? undefined : talk.submit(content);
    },
    /** The last message sent to the model in the user's name. */
    lastSaid: () => server.requests.at(-1)!.view.messages.findLast(({ role }) => role === "user")!.text,
    system: () => server.requests.at(-1)!.view.system,
    read: (path: string) => turn.calls([{ name: "read_file", args: { file_path: path }, id: "toolu_read" }]),
    reopen: async () => {
      const { path } = talk.open.journal;
      await talk.close();
      talk = await start(path);
    },
    [Symbol.asyncDispose]: async () => {
      await talk.close();
      await server.close();
      await rm(root, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
