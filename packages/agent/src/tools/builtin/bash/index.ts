// `bash`: commands in a shell that lasts between calls (decision 0225).

import { messageOf } from "@lathe/llm";
import { object } from "@lathe/llm/schema";
import { type Access, type ToolContext, type ToolDef, ToolFailure, type ToolResult } from "../../../contract/tool.ts";
import { loadGrammar } from "../../../policy/shell/grammar.ts";
import { isHarmlessAssignment, sensitiveName } from "../../../policy/shell/variables.ts";
import {
  COMMAND_ENV,
  type CommandOutcome,
  environmentNote,
  outputNote,
  refuseEmpty,
  runCommand,
  wentToBackground,
  wholeOutputNote,
} from "../../run/run-command.ts";
import { changedNote } from "../../run/shown-changes.ts";
import { SHELL_OUTPUT } from "../output.ts";
import { loadAnalysis } from "../shell/access.ts";
import { shellCard } from "../shell/card.ts";
import { commandPreview, commandResult, detachedResult, endedLine, startedJob } from "../shell/result.ts";
import { lastingAccess } from "./access.ts";
import description from "./description.md";
import { scriptOf, shownLines, type WantedLines } from "./fixups.ts";
import { interceptScript } from "./intercept.ts";
import {
  type BashArgs,
  LONGEST_S,
  type PlannedCommand,
  params,
  planCommand,
  prefixCommand,
  refuseBadNames,
  settingsOf,
  shellOf,
} from "./plan.ts";
import { runInTerminal } from "./terminal.ts";

export const bashTool: ToolDef<BashArgs> = {
  name: "bash",
  label: "Run",
  description: description.trim(),
  schema: object(params),
  tier: "exec",
  replay: "never",
  feature: "bash",
  timeoutMs: 0,
  // Each command starts with the state that the previous one left.
  exclusive: true,
  output: SHELL_OUTPUT,
  prepare: () => Promise.all([loadGrammar(), loadAnalysis()]),
  summary: ({ command }) => command,
  card: ({ command, cwd }, result) =>
    shellCard(cwd === undefined || /^\.?\/?$/.test(cwd) ? command : `in ${cwd}: ${command}`, result),
  async access(args, scope): Promise<readonly Access[]> {
    const { command, cwd } = planCommand(args, scope);
    const changes = shellOf(scope).changed;
    const access = await lastingAccess(command, (await scope.paths.locate(cwd)).real, scope, changes);
    const given = Object.entries(args.env ?? {}).filter(([name, value]) => !isHarmlessAssignment(name, value));
    const steering = given.flatMap(([name]) => sensitiveName(name) ?? [])[0];
    const unknown = given[0] && { isHarmless: false, isReadOnly: false, strange: given[0][0] };
    const wantsOut = args.outside_sandbox === true && scope.env.isSandboxed === true;
    return access.map((item) => {
      if (item.kind !== "exec") return item;
      const doubt = steering === undefined ? unknown : askAbout(steering);
      const part = item.part && { ...item.part, ...doubt };
      return { ...item, ...(part ? { part } : {}), ...(wantsOut ? { outside: true as const } : {}) };
    });
  },
  async preview(args, scope) {
    const { command, cwd } = planCommand(args, scope);
    const { real } = await scope.paths.locate(cwd);
    const isOutside = args.outside_sandbox === true && scope.env.isSandboxed === true;
    return commandPreview(command, { directory: real, isOutside }, ["command", "cwd", "outside_sandbox"], scope.env);
  },
  async execute(args, context) {
    const { command } = args;
    refuseEmpty(command);
    refuseBadNames(args.env ?? {});
    const settings = settingsOf(context);
    const script = scriptOf(command);
    const refusal =
      settings.intercepts && script
        ? interceptScript(script, (tool) => context.services.offersTool?.(tool) ?? false)
        : undefined;
    if (refusal !== undefined) throw new ToolFailure(`Blocked: ${refusal}\nOriginal command: ${command}`);
    const plan = planCommand(args, context);
    await shellOf(context).checkDirectory(plan.cwd, context.env);
    if (args.pty && settings.pty) return runInTerminal(args, plan, context);
    return args.async ? startJob(args, plan, context) : run(args, plan, context);
  },
};

const askAbout = (doubt: string) => ({ doubt, isHarmless: false, isReadOnly: false });

async function run(args: BashArgs, plan: PlannedCommand, context: ToolContext): Promise<ToolResult> {
  const { env, services } = context;
  const shell = shellOf(context);
  const settings = settingsOf(context);
  await shell.begin(env, settings);
  const maxMs = Math.min(services.commandTimes?.maxMs ?? LONGEST_S * 1000, LONGEST_S * 1000);
  const timeoutMs = args.timeout === undefined ? undefined : Math.min(Math.max(args.timeout, 1) * 1000, maxMs);
  const given = args.env ?? {};
  // Outside the sandbox, a command uses none of the state that sandboxed commands left.
  const lasting = args.outside_sandbox ? undefined : shell.options(env, { cwd: plan.cwd, variables: given });
  const outcome = await runCommand(prefixCommand(plan.command, settings), context, {
    name: "bash",
    timeoutMs,
    interleaved: true,
    // In that case the whole output is kept anyway, and the requested lines are shown as printed.
    asPrinted: plan.wanted !== undefined,
    env: settings.variables,
    ...(lasting ? { shell: lasting } : { cwd: plan.cwd, env: { ...settings.variables, ...given } }),
    ...(args.outside_sandbox ? { outside: true } : {}),
  });
  if (wentToBackground(outcome)) return detachedResult(args.command, outcome);
  if (outcome.shell) await shell.readEnd(outcome.shell, env, { given: Object.keys(given), returns: plan.returns });
  // A shell with a state reports one, unless the command replaced the shell or set its own EXIT trap over ours.
  const isForgotten = lasting?.state !== undefined && outcome.shell === undefined && !outcome.timedOut;
  return bashResult(args.command, outcome, { wanted: plan.wanted, isForgotten }, context);
}

const UNCHANGED = "[the shell is as it was before this call]";

async function bashResult(
  command: string,
  outcome: CommandOutcome,
  { wanted, isForgotten }: { wanted: WantedLines | undefined; isForgotten: boolean },
  context: Pick<ToolContext, "openArtifact">,
): Promise<ToolResult> {
  const shown = wanted && shownLines(outcome.output, wanted);
  const kept = shown === undefined ? outcome : { ...outcome, ...(await wholeArtifact(outcome, context)) };
  const whole =
    shown === undefined ? wholeOutputNote(kept) : outputNote(kept, `${kept.output.split("\n").length - 1} lines`);
  const more = whole + changedNote(outcome.changed) + environmentNote(outcome);
  const end = (isForgotten ? `${UNCHANGED}\n` : "") + describeEnd(outcome);
  const body = endedLine(shown ?? outcome.output) + more + end;
  return commandResult(command, kept, body === "" ? "(no output)" : body.trimEnd());
}

/** Keeps the output that `head` or `tail` cuts off, unless an artifact has it already. */
async function wholeArtifact(
  outcome: CommandOutcome,
  { openArtifact }: Pick<ToolContext, "openArtifact">,
): Promise<Pick<CommandOutcome, "artifact" | "notKept">> {
  if (outcome.artifact || outcome.notKept !== undefined) return {};
  try {
    const writer = openArtifact("bash");
    writer.write(Buffer.from(outcome.output));
    return { artifact: await writer.close() };
  } catch (error) {
    return { notKept: messageOf(error) };
  }
}

function describeEnd(outcome: CommandOutcome): string {
  if (outcome.timedOut)
    return `Command timed out after ${outcome.timeoutMs / 1000} seconds. The shell is as it was before this call; give a longer timeout if it needs one.`;
  if (outcome.aborted) return `[interrupted after ${outcome.durationMs} ms]`;
  if (outcome.signal) return `[ended by ${outcome.signal}, ${outcome.durationMs} ms]`;
  return outcome.exitCode === 0 ? "" : `Command exited with code ${outcome.exitCode}`;
}

async function startJob(args: BashArgs, plan: PlannedCommand, context: ToolContext): Promise<ToolResult> {
  const { env, services } = context;
  const settings = settingsOf(context);
  const { jobs } = services;
  if (services.background?.onRequest === false || !jobs || !env.startCommand)
    throw new ToolFailure("Jobs are not available here. Run the command without async.");
  const shell = shellOf(context);
  await shell.begin(env, settings);
  const given = args.env ?? {};
  const lasting = args.outside_sandbox ? undefined : shell.options(env, { cwd: plan.cwd, variables: given });
  const job = startedJob(prefixCommand(plan.command, settings), context, jobs, {
    env: { ...COMMAND_ENV, ...settings.variables, ...(lasting ? {} : given) },
    ...(lasting ? { shell: lasting } : { cwd: plan.cwd }),
    ...(args.outside_sandbox ? { outside: true } : {}),
  });
  return {
    content: [{ kind: "text", text: `Started job ${job.id}. It is stopped when the session ends.` }],
    details: { command: args.command, jobId: job.id },
    effects: "done",
  };
}
