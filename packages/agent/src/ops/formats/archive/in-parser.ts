// The tasks on compressed bytes as formats call them.

import type { CallScope } from "../../../contract/tool.ts";
import { gunzip, inflate, scanTgz } from "./tasks.ts";

/** For whom a task runs; `path` names what it is about. */
interface ForWhom {
  readonly scope: CallScope;
  readonly path: string;
}

type Task<F extends (input: never) => unknown> = (
  input: Parameters<F>[0],
  forWhom: ForWhom,
) => Promise<Awaited<ReturnType<F>>>;

export const inflateApart: Task<typeof inflate> = async (input) => inflate(input);
export const gunzipApart: Task<typeof gunzip> = async (input) => gunzip(input);
export const scanTgzApart: Task<typeof scanTgz> = async (input) => scanTgz(input);
