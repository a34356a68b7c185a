// `lathe sessions list --tmux`: sessions running in tmux that Lathe started.

import { listManaged } from "../../../doors/tmux/managed-sessions.ts";
import { Tmux } from "../../../doors/tmux/tmux.ts";
import { shownPath } from "../../../platform/home/shown-path.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { EXIT, type ExitCode } from "../../../platform/usage/exit.ts";
import { printableLine, timeAgo } from "../../../sessions/list.ts";
import { table } from "../../../sessions/tables/table.ts";

export async function listInTmux(machine: Machine, isJson: boolean): Promise<ExitCode> {
  const { env, stdout, stderr, deps, userHome } = machine;
  const sessions = await listManaged(new Tmux(env));
  if (isJson) {
    stdout.write(`${JSON.stringify(sessions, null, 2)}\n`);
    return EXIT.done;
  }
  if (sessions.length === 0) {
    stderr.write("No sessions in tmux. To start one: lathe --tmux\n");
    return EXIT.done;
  }
  const rows = sessions.flatMap(({ name, panes, created, project, branch, owner, isAttached }) =>
    panes.map(({ latheSession }) => [
      printableLine(name),
      latheSession?.slice(0, 8) ?? "-",
      timeAgo(created * 1000, deps.now()),
      isAttached ? "attached" : "detached",
      printableLine(owner),
      printableLine(shownPath(project, userHome) + (branch === undefined ? "" : ` (${branch})`)),
    ]),
  );
  stdout.write(table(rows));
  return EXIT.done;
}
