// `lathe auth-gateway check [--strict]`: checks whether the credentials work that a gateway here would use.

import { signInCommand } from "../../../config/credentials/source.ts";
import { checkCredentials } from "../../../doors/gateway/models/check-credentials.ts";
import { GatewayModels } from "../../../doors/gateway/models/gateway-models.ts";
import { Run } from "../../../hosts/run.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import { printableLine } from "../../../sessions/list.ts";
import { table } from "../../../sessions/tables/table.ts";
import type { Command } from "../command.ts";
import { verbArgs } from "../verb-args.ts";

export const checkGateway: Command = async (argv, machine) => {
  const options = { strict: { type: "boolean" }, json: { type: "boolean" } } as const;
  const { values, positionals } = verbArgs(argv, options, "auth-gateway");
  if (positionals[0] !== undefined) throw usageError("lathe auth-gateway check takes only --strict and --json.");
  const workspace = await new Run(machine).open({});
  const models = new GatewayModels(workspace, await workspace.models());
  const rows = await checkCredentials(workspace, models, values.strict ?? false);
  if (values.json) machine.stdout.write(`${JSON.stringify({ credentials: rows }, null, 2)}\n`);
  else if (rows.length === 0)
    machine.stdout.write(
      `No credentials. Set a key such as ANTHROPIC_API_KEY, or run: ${signInCommand(workspace.accounts().place)} <provider>\n`,
    );
  else
    machine.stdout.write(
      table(
        rows.map(({ provider, source, ok, problem }) => [provider, source, ok ? "ok" : printableLine(problem ?? "")]),
      ),
    );
  return rows.length > 0 && rows.every(({ ok }) => ok) ? EXIT.done : EXIT.provider;
};
