// `lathe prompt`: the system prompt, tools and first turn that would be sent, with token counts per part. Sends
// nothing.

import { contextLedger } from "@lathe/agent/context";
import type { Message, Request } from "@lathe/llm";
import { additionsOf } from "../../additions/list.ts";
import { type ContextReport, reportOn } from "../../conversation/context-report.ts";
import { withSession } from "../../conversation/open-session.ts";
import { sessionRequest } from "../../conversation/session-request.ts";
import { promptsOf } from "../../hosts/headless/prompts.ts";
import { readPiped } from "../../hosts/headless/stdin.ts";
import { Run } from "../../hosts/run.ts";
import { fixedAnswers } from "../../models/practice/fixed-answers.ts";
import { parseArgs } from "../../platform/options/parse.ts";
import { withProvider } from "../../platform/options/provider.ts";
import { EXIT, usageError } from "../../platform/usage/exit.ts";
import { memoryJournal } from "../../sessions/journals/journal-files.ts";
import { contextTable } from "../../sessions/tables/context-table.ts";
import type { Command } from "./command.ts";

export const promptCommand: Command = async (argv, machine) => {
  const args = withProvider(parseArgs(argv, machine.userHome));
  if (args.options.mode !== undefined && args.options.mode !== "text")
    throw usageError("lathe prompt prints text only. Leave out --json and --mode.");
  const run = new Run(machine);
  const workspace = await run.open(args.options);
  let seen: { readonly request: Request; readonly context: ContextReport } | undefined;
  const asked = await sessionRequest(workspace, args.options, memoryJournal(workspace));
  const request = {
    ...asked,
    additions: additionsOf(run),
    adapter: fixedAnswers(asked.model.provider, [{ text: "ok" }]),
  };
  await withSession(workspace, request, async ({ session, compaction }) => {
    session.use({
      name: "prompt",
      async beforeRequest(info, { journal }) {
        const { promptParts } = await session.prefix();
        const ledger = contextLedger({ info, segments: [], promptParts, journal });
        seen ??= { request: info.request, context: reportOn(ledger, compaction.settings) };
        return undefined;
      },
    });
    const [prompt = "(your prompt)"] = await promptsOf(args, { machine }, await readPiped(machine));
    await session.submit(prompt);
  });
  if (seen) machine.stdout.write(render(seen.request, seen.context));
  return EXIT.done;
};

function render(request: Request, context: ContextReport): string {
  const tools = request.tools ?? [];
  const system = request.messages
    .filter((message) => message.role === "system")
    .map(promptText)
    .join("\n\n");
  const rest = request.messages.filter((message) => message.role !== "system");
  const shown = [
    `# System prompt\n\n${system}`,
    `# Tools\n\n${tools.map((tool) => `## ${tool.name}\n\n${tool.description}\n\n${JSON.stringify(tool.parameters)}`).join("\n\n")}`,
    ...rest.map((message) => `# ${message.role === "user" ? "User" : message.role}\n\n${promptText(message)}`),
  ];
  const counts = contextTable(context, { all: true });
  return `${shown.join("\n\n")}\n\n# Tokens (about)\n\n${counts}`;
}

/** Parts other than text are named: an image is also part of the request. */
const promptText = ({ content }: Message): string =>
  content.map((part) => (part.kind === "text" ? part.text : `[${part.kind}]`)).join("\n");
