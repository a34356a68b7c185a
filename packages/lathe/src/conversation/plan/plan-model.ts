// The model of the role `plan`: used in plan mode if the user has chosen one.

import type { Workspace } from "../../config/workspace/workspace.ts";
import type { ModelChoice, Models } from "../../models/models.ts";

export interface PlanModelParts {
  readonly workspace: Workspace;
  readonly models: Models;
  readonly isPlanning: () => boolean;
  readonly current: () => ModelChoice;
  readonly switchTo: (choice: ModelChoice, role?: string) => Promise<void>;
}

export class PlanModel {
  readonly #parts: PlanModelParts;
  /** The model to return to. */
  #before: ModelChoice | undefined;

  constructor(parts: PlanModelParts) {
    this.#parts = parts;
  }

  /** Called after the mode changed. A model named for this run is used for planning too. */
  async follow(): Promise<void> {
    const { workspace, models, isPlanning, current, switchTo } = this.#parts;
    const isNamed = workspace.settingsOrigin.get("model") === "run";
    if (isPlanning() && this.#before === undefined && !isNamed && models.chosenFor("plan") !== "") {
      const choice = models.choose("lathe/plan");
      this.#before = current();
      await switchTo(choice, "plan");
    } else if (!isPlanning() && this.#before !== undefined) {
      const back = this.#before;
      this.#before = undefined;
      await switchTo(back);
    }
  }
}
