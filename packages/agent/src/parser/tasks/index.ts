// Everything that the parser process can do.

import type { TaskTable } from "./types.ts";

export const TASKS: TaskTable = {};
