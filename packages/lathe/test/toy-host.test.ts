// The smallest possible host over the conversation, and two of them in one process.

import { realpathSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { defaultDeps } from "@lathe/llm";
import { type ModelServer, startModelServer, turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { builtinCommands } from "../src/conversation/commands/builtin.ts";
import { Conversation } from "../src/conversation/conversation.ts";
import { sessionRequest } from "../src/conversation/session-request.ts";
import { Run } from "../src/hosts/run.ts";
import { newJournal } from "../src/sessions/journals/journal-files.ts";

// ---- the host, 40 lines ----
async function toyHost(server: ModelServer, answer: "allow" | "always" | "deny") {
  const root = realpathSync(await mkdtemp(join(tmpdir(), "lathe-toy-")));
  const env = {
    PATH: process.env["PATH"],
    LATHE_HOME: join(root, ".lathe-home"),
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: server.baseUrl("anthropic"),
  };
  const { stdin, stdout, stderr } = process;
  const machine = { env, cwd: root, userHome: root, pid: process.pid, host: hostname(), deps: defaultDeps({ env }) };
  const options = { model: "anthropic/claude-sonnet-4-5" };
  const workspace = await new Run({ ...machine, stdin, stdout, stderr, terminal: stdout }).open(options);
  const log: string[] = [];
  const conversation = await Conversation.start(
    {
      workspace,
      requestFor: (opened) => sessionRequest(workspace, options, opened),
      person: {
        approve: async ({ tool_name, preview }) => {
          log.push(`${tool_name}? ${preview.map(({ text }) => text).join(" | ")}`);
          return answer === "always"
            ? { decision: "allow", remember: "tool", by: "toy" }
            : { decision: answer, by: "toy" };
        },
      },
      onSession: ({ session }) => log.push(`session ${session.usage.turns}`),
    },
    newJournal(workspace),
  );
  const commands = builtinCommands();
  const view = {
    line: (text: string) => log.push(text),
    ask: async () => undefined,
    showPast: async () => {},
    prefill: (text: string) => log.push(`edit: ${text}`),
    leave: () => {},
  };
  const say = async (line: string) => {
    const command = commands.parse(line);
    if (command) return commands.run(conversation, command, view);
    log.push((await conversation.submit(line)).text);
  };
  return { root, log, say, conversation };
}
// ---- end of the host ----

it("asks, answers, replaces the session and runs commands", async () => {
  await using server = await startModelServer({});
  const shell = (command: string) => turn.calls([{ name: "shell", args: { command } }]);
  server.push(shell("X=1 env echo one > a.txt"), turn.text("wrote it"), turn.text("in the new one"));
  const { root, log, say, conversation } = await toyHost(server, "allow");
  await say("write it");
  await say("/new");
  await say("and now?");
  await say("/permissions ask");
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\n");
  expect(log).toEqual([
    "session 0",
    `shell? in ${root} | │ X=1 env echo one > a.txt`,
    "wrote it",
    "session 0",
    "New session.",
    "in the new one",
    "Permissions: ask",
  ]);
  await expect(say("/permision")).rejects.toThrow("There is no /permision. Did you mean /permissions?");
  expect(await builtinCommands().completions(conversation, "/per")).toEqual(["/permissions"]);
  expect(await builtinCommands().completions(conversation, "/permissions re")).toEqual(["/permissions read-only"]);
  await conversation.close();
});

it("'always' covers this tool inside the project, and nothing else", async () => {
  await using server = await startModelServer({});
  const write = (path: string) => turn.calls([{ name: "write_file", args: { file_path: path, content: "x\n" } }]);
  const { root, log, say, conversation } = await toyHost(server, "always");
  const outside = `${root}-outside`;
  server.push(write(`${outside}/x`), write("inside.txt"), write(`${outside}/y`), turn.text("done"));
  conversation.setPermissionMode("ask");
  await say("go");
  expect(log.filter((line) => line.startsWith("write_file?")).map((line) => line.split(" | ")[0])).toEqual([
    `write_file? create ${outside}/x`,
    `write_file? create ${outside}/y`,
  ]);
  await conversation.close();
});

it("two conversations with workspaces of their own live in one process", async () => {
  await using server = await startModelServer({
    script: ({ view: { messages } }) => turn.text(`you said ${messages.at(-1)?.text}`),
  });
  const [one, two] = await Promise.all([toyHost(server, "deny"), toyHost(server, "deny")]);
  await Promise.all([one.say("first"), two.say("second")]);
  expect([one.log.at(-1), two.log.at(-1)]).toEqual([
    expect.stringContaining("first"),
    expect.stringContaining("second"),
  ]);
  expect(one.conversation.session.journal.header.cwd).not.toBe(two.conversation.session.journal.header.cwd);
  await Promise.all([one.conversation.close(), two.conversation.close()]);
});
