// What the kinds of views have in common while they are opened.

import type { ExecutionEnvironment } from "../../world/env/types.ts";
import type { Processes } from "../../world/process/processes.ts";
import { EnvError } from "../../world/process/types.ts";
import type { ViewFiles } from "./left-out.ts";
import type { Part, PartSource } from "./parts.ts";
import type { ViewRequest } from "./types.ts";

/** What a kind is opened with. */
export interface Opening {
  readonly request: ViewRequest;
  /** The folder of this view alone. */
  readonly folder: string;
  readonly processes: Processes;
  /** The project as it is now. Asked for by every kind, at the moment that suits it. */
  readonly parts: () => Promise<readonly Part[]>;
  /** The folder has the files of the view already: a process has left them. */
  readonly isContinued?: boolean | undefined;
  /** Nothing will run in it: what was changed is all that is wanted. */
  readonly isOnlyRead?: boolean | undefined;
}

/** A view that was opened. */
export interface OpenedKind {
  readonly env: ExecutionEnvironment;
  readonly files: ViewFiles;
  /** The kind that its files are continued as, when it is another. */
  readonly leftAs?: "reflink" | "worktree" | undefined;
  /** Where the files of a part are now. */
  source(part: Part): Promise<PartSource>;
  /** Ends what belongs to it; its folder is removed afterwards. */
  close(): Promise<void>;
}

/** This machine or this project does not allow the kind. */
export class KindUnavailable extends EnvError {
  constructor(why: string) {
    super("unavailable", why);
  }
}
