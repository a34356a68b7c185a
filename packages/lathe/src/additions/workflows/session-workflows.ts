// The workflows of one session: the user begins them, they are armed again when the session is opened, and they act on
// inputs and calls.

import { join } from "node:path";
import type { CallVerdict, InputContent, InputVerdict, ProposedCall, Question, Session } from "@lathe/agent";
import { renderQuestions, type ToolDef } from "@lathe/agent/contract";
import type { JsonObject } from "@lathe/llm";
import type { GateDialog } from "../../conversation/gates/gate.ts";
import { staysOpenText } from "../../conversation/gates/open-question.ts";
import type { SessionGates } from "../../conversation/gates/session-gates.ts";
import goOn from "../../conversation/go-on.md";
import { saveInProject } from "../../conversation/save-in-project.ts";
import type { GoalKeeper } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { bundledSkill } from "../../found/skills/bundled/index.ts";
import { skillPrompt } from "../../found/skills/skills.ts";
import { CliError, usageError } from "../../platform/usage/exit.ts";
import type { OpenedJournal } from "../../sessions/journals/journal-files.ts";
import { GOAL_FACT, goalIn } from "../goal/goal.ts";
import { deepInterview } from "./deep-interview/definition.ts";
import { refusalInInterview } from "./deep-interview/guard.ts";
import { interviewSteps } from "./deep-interview/steps.ts";
import { interviewTool } from "./deep-interview/tool.ts";
import { ralplan } from "./ralplan/definition.ts";
import { ralplanSteps } from "./ralplan/steps.ts";
import { ralplanTool } from "./ralplan/tool.ts";
import { ultragoal } from "./ultragoal/definition.ts";
import { ultragoalSteps } from "./ultragoal/steps.ts";
import { ultragoalTool } from "./ultragoal/tool.ts";
import { definitionOf, type StepOf, WorkflowWork } from "./work.ts";
import { hasEnded, type WorkflowDefinition, type WorkflowState } from "./workflow.ts";

interface SessionWorkflowsParts {
  readonly workspace: SessionWorkspace;
  readonly opened: OpenedJournal;
  readonly session: Session;
  readonly gates: () => SessionGates;
  readonly beginGoal: GoalKeeper["begin"];
}

/** A workflow's initial data, its gates, and its tool. */
interface WorkflowKind {
  begin(wish: string): JsonObject;
  readonly steps: StepOf;
  tool(): ToolDef;
}

export class SessionWorkflows {
  readonly #parts: SessionWorkflowsParts;
  readonly #work: WorkflowWork;
  readonly #kinds: Readonly<Record<string, WorkflowKind>>;
  /** Tools of workflows that this process has armed. */
  readonly #tools = new Map<string, ToolDef>();

  constructor(parts: SessionWorkflowsParts) {
    this.#parts = parts;
    this.#work = new WorkflowWork(parts.session, parts.gates);
    const interview = interviewSteps(({ title, text }) => this.#save("specs", `# ${title}\n\n${text}\n`));
    const planning = ralplanSteps(async ({ title, adr }, text) => [
      await this.#save("plans", `# ${title}\n\n${text}\n`),
      await this.#save("adr", `# ${title}\n\n${adr.trim()}\n`),
    ]);
    const signOff = ultragoalSteps(({ text, until, parts: list }) => parts.beginGoal({ text, until }, list));
    this.#kinds = {
      [deepInterview.name]: {
        begin: (wish) => ({ wish, asked: [] }),
        steps: interview,
        tool: () => interviewTool(this.#work, interview) as unknown as ToolDef,
      },
      [ralplan.name]: {
        begin: (wish) => ({ wish, round: 1, reviews: {}, objections: [] }),
        steps: planning,
        tool: () => ralplanTool(parts.session, this.#work, planning) as unknown as ToolDef,
      },
      [ultragoal.name]: {
        begin: (wish) => ({ wish }),
        steps: signOff,
        tool: () => ultragoalTool(this.#work, signOff) as unknown as ToolDef,
      },
    };
  }

  /** Begins a workflow and returns the prompt for the model. */
  begin(definition: WorkflowDefinition, wish: string): string {
    if (wish === "") throw usageError(`Say what it is about: /skill:${definition.name} ${definition.arguments}`);
    const running = this.#work.current;
    // If the process ended before the model got anything, the workflow can begin again.
    if (running && !isUntouched(running, definition))
      throw usageError(
        `The workflow ${running.workflow} is at ${running.state}. Finish it, or end it with /workflow stop.`,
      );
    if (definition.name === deepInterview.name) this.#requireQuiet();
    this.#work.begin(definition, this.#kindOf(definition.name).begin(wish));
    this.arm();
    return skillPrompt(bundledSkill(definition.name), wish);
  }

  /**
   * Offers the tool of the branch's current or last workflow. It stays after the end, so that the list of tools does
   * not change.
   */
  arm(): void {
    const name = readOrUndefined(() => this.#work.state)?.workflow;
    if (name === undefined || this.#tools.has(name)) return;
    const tool = this.#kindOf(name).tool();
    this.#tools.set(name, tool);
    this.#parts.session.registerTool(tool);
  }

  async onInput(content: InputContent): Promise<InputVerdict> {
    try {
      const { current } = this.#work;
      if (!current) return undefined;
      this.arm();
      const tell = (told: string): void =>
        void this.#parts.session.appendCustomMessage("workflow", told, { display: false });
      const words = wordsOf(content);
      // These words are Lathe's, not the user's.
      const answer = words === goOn.trim() ? "" : words;
      const problem = await this.#work.settleOpen(this.#kindOf(current.workflow).steps, answer, tell);
      return problem === undefined ? undefined : { reject: problem };
    } catch (error) {
      if (error instanceof CliError) return { reject: error.message };
      throw error;
    }
  }

  beforeCall({ tool, tier, args }: ProposedCall): CallVerdict {
    try {
      const { workflow } = this.#work.current ?? {};
      if (workflow === ultragoal.name && tool.name === "sub_goal" && args["op"] !== "done")
        return { block: "The user signed these parts off. Propose a changed list with `ultragoal`." };
      if (workflow !== deepInterview.name) return undefined;
    } catch (error) {
      // The unreadable workflow may be one that forbids changes.
      return { block: (error as Error).message };
    }
    const refusal = refusalInInterview({ tool, tier }, (one) => this.#isBuiltIn(one));
    return refusal === undefined ? undefined : { block: refusal };
  }

  /** Called when the goal has changed: its last proof completes the workflow. */
  onGoal(): void {
    const goal = goalIn(this.#parts.session.facts.read(GOAL_FACT));
    const at = readOrUndefined(() => this.#work.current);
    if (at?.workflow !== ultragoal.name || at.state !== "executing" || goal?.state !== "met") return;
    if (goal.subGoals.every(({ evidence }) => evidence !== undefined)) this.#work.move("done", {});
  }

  /** The user interrupted the work: the open question is no longer visible, but still waits. */
  onInterrupted(): void {
    const open = this.dialog();
    if (open) this.#parts.session.warn(staysOpenText(open.question.question), "workflow_gate");
  }

  /** The open question; also undefined for a workflow of an unknown version. */
  dialog(): GateDialog | undefined {
    const at = readOrUndefined(() => this.#work.current);
    return at && this.#work.openAt(this.#kindOf(at.workflow).steps);
  }

  /** Ends the workflow and returns a sentence for the user. */
  stop(): string {
    const state = readOrUndefined(() => this.#work.current);
    if (state === undefined && readOrUndefined(() => this.#work.state) !== undefined)
      throw usageError("This session is not in a workflow.");
    this.#work.stop();
    return `The workflow ${state?.workflow ?? ""} was ended. Files stay as they are.`.replace("  ", " ");
  }

  text(): string {
    const { state } = this.#work;
    if (!state) return "This session is not in a workflow. Begin one: /skill:deep-interview <what you want>";
    return workflowText(state, this.#work.openAt(this.#kindOf(state.workflow).steps)?.question);
  }

  // ---- internals ----

  /** Refuses to begin while something runs that could change files during the interview. */
  #requireQuiet(): void {
    const { subagents, beside } = this.#parts.session;
    const hasJobs = beside.jobs?.list().some(({ handle }) => handle.running) ?? false;
    if (subagents.directory.running > 0)
      throw usageError("Agents of this session are still working. Stop them first: /agents stop all");
    if (hasJobs) throw usageError("Commands are running in the background. Stop them first: /jobs");
  }

  #isBuiltIn(tool: ToolDef): boolean {
    // A session may offer a copy of a tool, but its function is the same.
    const own = [this.#tools.get(deepInterview.name), this.#parts.session.profile.toolRegistry.get(tool.name)?.tool];
    return own.some((one) => one?.execute === tool.execute);
  }

  #kindOf(name: string): WorkflowKind {
    return this.#kinds[name] as WorkflowKind;
  }

  /** Writes a text that the user approved below the project's `.lathe`, and returns its path there. */
  async #save(folder: string, text: string): Promise<string> {
    const { workspace, opened } = this.#parts;
    const file = join(".lathe", folder, `${opened.journal.header.id}.md`);
    await saveInProject(join(workspace.cwd, file), text);
    return file;
  }
}

function workflowText(state: WorkflowState, asked: Question | undefined): string {
  const { name, moves } = definitionOf(state);
  const head = `Workflow ${name}: ${state.state}`;
  if (hasEnded(state, definitionOf(state))) return `${head} (ended)`;
  const question = asked
    ? [
        "It waits for your answer:",
        "",
        renderQuestions([asked]),
        "",
        asked.options.length === 0
          ? "Answer in your own words, as your next message."
          : "Answer with a number or in your own words, as your next message.",
      ]
    : [];
  const ways = moves.filter(({ from }) => from === state.state).map(({ to, needs }) => `  ${to}: ${needs}`);
  return [head, ...question, "From here it goes to:", ...ways, "To end it: /workflow stop"].join("\n");
}

const isUntouched = ({ workflow, state, gate, last }: WorkflowState, { name, start }: WorkflowDefinition): boolean =>
  workflow === name && state === start && gate === undefined && last === undefined;

function wordsOf(content: InputContent): string {
  if (typeof content === "string") return content.trim();
  return content
    .flatMap((part) => (part.kind === "text" ? [part.text] : []))
    .join("\n")
    .trim();
}

/** Undefined if this version of Lathe cannot read it. */
function readOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
