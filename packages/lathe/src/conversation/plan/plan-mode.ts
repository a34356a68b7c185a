// Plan mode of a session: journalled so that a later process finds it, announced to the model when it begins and ends,
// with a plan file and special roles for child agents.

import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import type { Middleware, Profile, Session } from "@lathe/agent";
import type { AgentRole } from "@lathe/agent/agents";
import type { PlanMode, PlanVerdict } from "@lathe/agent/tools";
import { messageOf } from "@lathe/llm";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { Permissions } from "../../found/permissions/permissions.ts";
import type { OpenedJournal } from "../../sessions/journals/journal-files.ts";
import { callAnswers } from "../call-answers.ts";
import { saveInProject } from "../save-in-project.ts";
import type { Person } from "../session-contract.ts";
import approved from "./approved.md";
import child from "./child.md";
import off from "./off.md";
import on from "./on.md";

/** The path of the session's plan file, without links. */
export const planFileOf = ({ cwd }: Workspace, { journal }: OpenedJournal): string =>
  join(cwd, ".lathe/plans", `${journal.header.id}.md`);

/** Whether the session was left in plan mode; an option of this run that sets another mode ends it. */
export function wasPlanning({ settingsOrigin }: Workspace, { journal }: OpenedJournal): boolean {
  return journal.context.state.mode === PLAN && settingsOrigin.get("permissionMode") !== "run";
}

const PLAN = "plan";
/** The mode in the journal of a session that is in no mode. */
const NONE = "none";

export interface PlanningParts {
  readonly session: () => Session;
  readonly permissions: Permissions;
  readonly cwd: string;
  readonly file: string;
  readonly userInstructions?: string | undefined;
  /** The profile with read-only tools. */
  readonly readingProfile: () => Profile;
  /** Undefined when there is no user to ask. */
  readonly decide?: Person["decidePlan"] | undefined;
  readonly onPlan?: ((plan: string) => void) | undefined;
}

export class Planning {
  readonly #parts: PlanningParts;
  /** The mode the model was last told about. */
  #told: boolean;

  constructor(parts: PlanningParts, isTold: boolean) {
    this.#parts = parts;
    this.#told = isTold;
  }

  /** Records the mode and announces it to the model before the next input. */
  middleware(): Middleware {
    return {
      name: "plan mode",
      onInput: () => {
        this.journalMode();
        this.#tell();
        return undefined;
      },
    };
  }

  /** Journals the mode if it has changed. */
  journalMode(): void {
    const session = this.#parts.session();
    const mode = this.#isOn ? PLAN : NONE;
    if (session.journal.context.state.mode !== mode) session.changeMode(mode);
  }

  /** Called when the user changes the mode: a session that has begun records it at once. */
  onModeChange(): void {
    if (this.#parts.session().journal.leaf !== null) this.journalMode();
  }

  service(): PlanMode {
    const isOn = (): boolean => this.#isOn;
    return {
      get active() {
        return isOn();
      },
      propose: (plan, signal, callId) => this.#propose(plan, signal, callId),
    };
  }

  /** The prompt and tools of a child agent without a role of its own. */
  childRole(): AgentRole | undefined {
    const { userInstructions, readingProfile } = this.#parts;
    if (this.#isOn) return { profile: readingProfile(), prompt: joinTexts(child, userInstructions) };
    if (!existsSync(this.#parts.file)) return undefined;
    return { prompt: joinTexts(approved.replace("{{file}}", this.#shownFile), userInstructions) };
  }

  get #isOn(): boolean {
    return this.#parts.permissions.mode === PLAN;
  }

  get #shownFile(): string {
    return relative(this.#parts.cwd, this.#parts.file);
  }

  #tell(): void {
    if (this.#told === this.#isOn) return;
    this.#told = this.#isOn;
    const text = this.#isOn ? on.replace("{{file}}", this.#shownFile) : off;
    this.#parts.session().appendCustomMessage("plan_mode", text.trim(), { display: false });
  }

  async #propose(plan: string, signal: AbortSignal, callId: string): Promise<PlanVerdict | undefined> {
    const { permissions, decide, onPlan, file, session } = this.#parts;
    const verdict = await decide?.(plan, signal, callAnswers(session, callId));
    if (!verdict?.approved) return verdict;
    permissions.leavePlan();
    // The answer to the proposal already tells the model.
    this.#told = false;
    try {
      await saveInProject(file, `${plan.trim()}\n`);
    } catch (error) {
      this.#parts.session().warn(`The plan was not saved: ${messageOf(error)}`, "plan_file");
    }
    onPlan?.(plan);
    return verdict;
  }
}

const joinTexts = (first: string, second: string | undefined): string =>
  second === undefined ? first.trim() : `${first.trim()}\n\n${second}`;
