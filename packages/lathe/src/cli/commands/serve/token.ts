// `lathe serve token list|add|revoke`: the tokens with which programs may use the server.

import type { Scope } from "../../../doors/door/door.ts";
import { SCOPES, type StoredToken, TokenFile } from "../../../doors/serve/guard/token-file.ts";
import { Run } from "../../../hosts/run.ts";
import { homePaths } from "../../../platform/home/paths.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { commaList, positiveInteger } from "../../../platform/options/values.ts";
import { EXIT, usageError } from "../../../platform/usage/exit.ts";
import { findOne, idOf } from "../../../sessions/find.ts";
import { printableLine } from "../../../sessions/list.ts";
import { table } from "../../../sessions/tables/table.ts";
import type { Command } from "../command.ts";
import { verbArgs } from "../verb-args.ts";

const DAYS = 30;
const DAY_MS = 86_400_000;
const MOST_NAME = 60;
const MOST_DAYS = 3650;

export const tokenCommand: Command = async ([verb = "list", ...argv], machine) => {
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (!run)
    throw usageError(`Unknown command "lathe serve token ${verb}". Choose one of ${Object.keys(VERBS).join(", ")}.`);
  return run(argv, machine);
};

export const tokensOf = ({ env, userHome, deps }: Machine): TokenFile =>
  new TokenFile(homePaths(env, userHome).serveTokens, deps.now);

const VERBS: Readonly<Record<string, Command>> = {
  list: async (argv, machine) => {
    const { values } = verbArgs(argv, { json: { type: "boolean" } }, "serve");
    const tokens = tokensOf(machine).list();
    const { stdout } = machine;
    if (values.json)
      stdout.write(
        `${JSON.stringify(
          tokens.map(({ hash: _hash, ...token }) => token),
          null,
          2,
        )}\n`,
      );
    else if (tokens.length === 0) stdout.write("No tokens. Create one: lathe serve token add <name>\n");
    else stdout.write(table([["id", "name", "scopes", "session", "until"], ...tokens.map(row)]));
    return EXIT.done;
  },

  add: async (argv, machine) => {
    const options = { scope: { type: "string" }, days: { type: "string" }, session: { type: "string" } } as const;
    const { values, positionals } = verbArgs(argv, options, "serve");
    const [name, ...more] = positionals;
    if (name === undefined || more.length > 0)
      throw usageError("Give the token one name: lathe serve token add <name> --scope read");
    if (name === "" || name.length > MOST_NAME || printableLine(name) !== name)
      throw usageError(`A name is one line of at most ${MOST_NAME} characters.`);
    if (values.session === "") throw usageError("--session needs the id of a session. See: lathe sessions list");
    const session = values.session === undefined ? undefined : await wholeId(machine, values.session);
    const tokens = tokensOf(machine);
    if (tokens.list().some((token) => token.name === name))
      throw usageError(`There is a token named ${name}. Choose another name, or: lathe serve token revoke ${name}`);
    const { token, stored } = await tokens.add({
      name,
      scopes: scopesOf(values.scope ?? "read"),
      session,
      lastsMs: daysOf(values.days) * DAY_MS,
    });
    machine.stderr.write(
      `This is the only time it is shown. It may ${stored.scopes.join(", ")} until ${day(stored)}.\n`,
    );
    machine.stdout.write(`${token}\n`);
    return EXIT.done;
  },

  revoke: async (argv, machine) => {
    const { positionals } = verbArgs(argv, {}, "serve");
    const [wanted, ...more] = positionals;
    if (wanted === undefined || more.length > 0)
      throw usageError("Give a name or an id: lathe serve token revoke <name>. See: lathe serve token list");
    const revoked = await tokensOf(machine).revoke(wanted);
    if (revoked.length === 0) throw usageError(`There is no token "${wanted}". See: lathe serve token list`);
    machine.stdout.write(`Revoked ${revoked.map(({ name }) => name).join(", ")}.\n`);
    return EXIT.done;
  },
};

/** The beginning of an id is enough. An id without a session is refused, because its token would be useless. */
async function wholeId(machine: Machine, session: string): Promise<string> {
  return idOf(findOne(await new Run(machine).open({}), session));
}

function daysOf(text: string | undefined): number {
  const days = text === undefined ? DAYS : positiveInteger("days", text);
  if (days <= MOST_DAYS) return days;
  throw usageError(`--days may be ${MOST_DAYS} at most, not "${text}".`);
}

/** Every set of scopes includes `read`; `admin` includes all. */
function scopesOf(value: string): readonly Scope[] {
  const wanted = commaList(value);
  const unknown = wanted.find((scope) => !SCOPES.some((known) => known === scope));
  if (unknown !== undefined || wanted.length === 0)
    throw usageError(`--scope takes ${SCOPES.join(", ")}, not "${unknown ?? value}".`);
  return SCOPES.filter((scope) => scope === "read" || wanted.includes("admin") || wanted.includes(scope));
}

const row = (token: StoredToken): string[] => [
  token.id,
  printableLine(token.name),
  token.scopes.join(" "),
  printableLine(token.session ?? "all"),
  day(token),
];

const day = ({ expires }: StoredToken): string => expires.slice(0, 10);
