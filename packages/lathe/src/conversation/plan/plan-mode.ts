// Plan mode as the session keeps it: an entry of the journal that a later process finds, a word to the model when it begins and
// ends, the file of the plan, and what child agents get while it lasts.

import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import type { Middleware, Profile, Session } from "@lathe/agent";
import type { AgentRole } from "@lathe/agent/agents";
import type { PlanMode, PlanVerdict } from "@lathe/agent/tools";
import { messageOf } from "@lathe/llm";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { Permissions } from "../../found/permissions/permissions.ts";
import type { OpenedJournal } from "../../sessions/journals/journal-files.ts";
import { givenAnswers } from "../given-answers.ts";
import { saveInProject } from "../save-in-project.ts";
import type { Person } from "../session-contract.ts";
import approved from "./approved.md";
import child from "./child.md";
import off from "./off.md";
import on from "./on.md";

/** Where the plan of a session is kept: a real path. */
export const planFileOf = ({ cwd }: Workspace, { journal }: OpenedJournal): string =>
  join(cwd, ".lathe/plans", `${journal.header.id}.md`);

/** Whether the session was planning when it was left; an option that names another mode ends that. */
export function wasPlanning({ settingsOrigin }: Workspace, { journal }: OpenedJournal): boolean {
  return journal.context.state.mode === PLAN && settingsOrigin.get("permissionMode") !== "run";
}

const PLAN = "plan";
/** What a journal says of a session that is in no mode. */
const NONE = "none";

export interface PlanningParts {
  readonly session: () => Session;
  readonly permissions: Permissions;
  readonly cwd: string;
  readonly file: string;
  readonly userInstructions?: string | undefined;
  /** With the tools that only read. */
  readonly readingProfile: () => Profile;
  /** Undefined when no user can be asked. */
  readonly decide?: Person["decidePlan"] | undefined;
  readonly onPlan?: ((plan: string) => void) | undefined;
}

export class Planning {
  readonly #parts: PlanningParts;
  /** What the model was last told. */
  #told: boolean;

  constructor(parts: PlanningParts, isTold: boolean) {
    this.#parts = parts;
    this.#told = isTold;
  }

  /** The journal and the model hear of the mode before the next input. */
  middleware(): Middleware {
    return {
      name: "plan mode",
      onInput: () => {
        this.keep();
        this.#tell();
        return undefined;
      },
    };
  }

  /** Into the journal, where it differs from what that says. */
  keep(): void {
    const session = this.#parts.session();
    const mode = this.#isOn ? PLAN : NONE;
    if (session.journal.context.state.mode !== mode) session.changeMode(mode);
  }

  /** The mode was changed by a person: a session that has begun keeps it at once. */
  onModeChange(): void {
    if (this.#parts.session().journal.leaf !== null) this.keep();
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

  /** What a child without a role of its own is like now. */
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
    const verdict = await decide?.(plan, signal, givenAnswers(session, callId));
    if (!verdict?.approved) return verdict;
    permissions.leavePlan();
    // The answer to the proposal says it.
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
