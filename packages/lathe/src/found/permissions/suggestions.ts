// Suggests rules that would have saved questions in a session, from the decisions in its journal.

import type { Access } from "@lathe/agent";
import type { DecidedPart } from "@lathe/agent/contract";
import { analyseShell, type Places, suggestedRules } from "@lathe/agent/policy";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { findSession } from "../../sessions/find.ts";
import { openToRead } from "../../sessions/open.ts";
import { UNATTENDED } from "./permissions.ts";

export interface Suggestion {
  readonly rule: string;
  /** How many questions it would have saved, on its own or together with the others. */
  readonly questions: number;
}

/** The most useful rule first; what the user refused is not suggested. */
export async function suggestedFor(
  { machine, paths, cwd, ...rest }: Workspace,
  session: string,
  places: Places,
): Promise<readonly Suggestion[]> {
  const { path } = findSession({ machine, paths, cwd, ...rest }, session);
  const journal = openToRead(machine, paths.blobs, path);
  const home = places.userHome;
  const counts = new Map<string, number>();
  for (const { decision, by, asked, parts = [] } of journal.outside("decision")) {
    const wasQuestion = asked !== undefined || by === UNATTENDED;
    if (!wasQuestion || (decision === "deny" && by !== UNATTENDED)) continue;
    const items = await Promise.all(
      parts.filter((part) => part.decision === "ask").map((part) => itemOf(part, journal.header.cwd, home)),
    );
    const rules = suggestedRules(items.flat(), places) ?? [];
    for (const rule of rules) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  }
  await journal.close();
  return [...counts].map(([rule, questions]) => ({ rule, questions })).sort((a, b) => b.questions - a.questions);
}

async function itemOf({ tier, what }: DecidedPart, cwd: string, home: string): Promise<Access[]> {
  if (tier === "network") return [{ kind: "network", host: what }];
  if (tier === "read" || tier === "write") return what.startsWith("/") ? [{ kind: tier, path: what }] : [];
  const { parts, doubt } = await analyseShell(what, { cwd, home });
  // A part that cannot be parsed again stays a question of its own.
  if (doubt !== undefined || parts.length !== 1) return [{ kind: "exec", command: what, cwd }];
  return parts.map((part) => ({ kind: "exec", command: what, cwd, part }));
}
