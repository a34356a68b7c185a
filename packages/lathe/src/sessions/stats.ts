// The usage of all sessions, by day, model, project and agent: messages, tokens and money.

import {
  addSpending,
  type FileStats,
  type MessageCounts,
  NO_SPENDING,
  type Spending,
  type Tally,
} from "./file-stats.ts";
import { childFiles, type SessionFile, sessionFiles } from "./files.ts";
import { StatsMemory } from "./stats-memory.ts";

export interface SessionStats {
  readonly sessions: number;
  readonly messages: MessageCounts;
  readonly total: Spending;
  /** Spending by UTC date. */
  readonly byDay: Readonly<Record<string, Spending>>;
  /** Spending by `provider/model`. */
  readonly byModel: Readonly<Record<string, Spending>>;
  /** Spending by the directory that the session was started in. */
  readonly byProject: Readonly<Record<string, Spending>>;
  /** Spending by kind of agent; sessions themselves are `(main)`, agents without a kind `(plain)`. */
  readonly byAgent: Readonly<Record<string, Spending>>;
  /** Files that are not readable sessions, and damaged lines in the others: neither is counted. */
  readonly unread: { readonly files: number; readonly lines: number };
}

export interface StatsRequest {
  readonly sessionsRoot: string;
  /** The file that remembers what was read. */
  readonly cacheFile: string;
  /** The first UTC date to include. */
  readonly since?: string;
}

export function collectStats({ sessionsRoot, cacheFile, since = "" }: StatsRequest): SessionStats {
  const memory = new StatsMemory(cacheFile);
  const sessions = sessionFiles(sessionsRoot);
  const children = childFiles(sessionsRoot);
  const present = new Set([...sessions, ...children].map(({ path }) => path));
  const projects = new Map<string, string>();
  const sums = new Sums(since);
  const unread = { files: 0, lines: 0 };
  let used = 0;
  /** Kinds of agents, by their session's folder and their name. */
  const kinds = new Map<string, string>();
  const read = (file: SessionFile, folder: string): FileStats | undefined => {
    const stats = memory.statsOf(file);
    if (!stats && file.bytes > 0) unread.files++;
    for (const [name, kind] of Object.entries(stats?.agents ?? {})) kinds.set(`${folder}/${name}.jsonl`, kind);
    return stats;
  };
  const count = (file: SessionFile, stats: FileStats, agent: string): boolean => {
    unread.lines += stats.lost;
    projects.set(file.path, stats.cwd);
    // A subagent may work in a folder below its session's.
    const project = projects.get(sessionOf(file.path)) ?? stats.cwd;
    const isOwnUsed = sums.add(stats.own, project, agent);
    // Entries that a fork copied were paid for in the original session, unless that is gone.
    const isTakenOver = stats.parent !== undefined && present.has(stats.parent);
    const isCopyUsed = !isTakenOver && sums.add(stats.copied, project, agent);
    return since === "" || isOwnUsed || isCopyUsed;
  };
  for (const file of sessions) {
    const stats = read(file, file.path.replace(/\.jsonl$/, ""));
    if (stats && count(file, stats, MAIN)) used++;
  }
  // Nested agents are recorded in the journals of the agents that started them, so we read all journals before counting
  // any.
  const agents = children.map((file) => ({ file, stats: read(file, folderOf(file.path)) }));
  for (const { file, stats } of agents) if (stats) count(file, stats, kinds.get(file.path) ?? PLAIN);
  memory.save();
  return { sessions: used, ...sums.result(), unread };
}

/** The session of a subagent's journal: the folder is named after it. */
const sessionOf = (path: string): string => `${folderOf(path)}.jsonl`;
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));
const MAIN = "(main)";
const PLAIN = "(plain)";

class Sums {
  readonly #since: string;
  readonly #messages = { user: 0, assistant: 0, tool: 0 };
  readonly #byDay = new Map<string, Spending>();
  readonly #byModel = new Map<string, Spending>();
  readonly #byProject = new Map<string, Spending>();
  readonly #byAgent = new Map<string, Spending>();
  #total = NO_SPENDING;

  constructor(since: string) {
    this.#since = since;
  }

  /** Returns false if nothing in it is recent enough. */
  add({ messages, spent }: Tally, project: string, agent: string): boolean {
    const recent = spent.filter(({ day }) => day >= this.#since);
    for (const { day, model, ...spending } of recent) {
      this.#total = addSpending(this.#total, spending);
      for (const [sums, key] of [
        [this.#byDay, day],
        [this.#byModel, model],
        [this.#byProject, project],
        [this.#byAgent, agent],
      ] as const)
        sums.set(key, addSpending(sums.get(key) ?? NO_SPENDING, spending));
    }
    // Messages are not stored by day: those of a session count if any of its answers do.
    if (this.#since === "" || recent.length > 0)
      for (const role of ["user", "assistant", "tool"] as const) this.#messages[role] += messages[role];
    return recent.length > 0;
  }

  result(): Omit<SessionStats, "sessions" | "unread"> {
    return {
      messages: this.#messages,
      total: this.#total,
      byDay: Object.fromEntries(this.#byDay),
      byModel: Object.fromEntries(this.#byModel),
      byProject: Object.fromEntries(this.#byProject),
      byAgent: Object.fromEntries(this.#byAgent),
    };
  }
}
