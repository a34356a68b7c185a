// Compares the documented options with those of the command line: every option in a `lathe …` line of the pages must be
// in that command's help, and every option of the help must be documented.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ran } from "./started.mjs";

const OPTION = /(?<![\w-])--[a-z][a-z-]*/g;

export async function optionsAgainstDocs(root, cli) {
  const help = (await ran(cli, ["--help"])).stdout;
  const commands = [...help.slice(help.indexOf("\nCommands:")).matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(
    ([, name]) => name,
  );
  const general = new Set(help.slice(0, help.indexOf("\nCommands:")).match(OPTION));
  const pages = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)]
    .filter((name) => name.endsWith(".md"))
    .map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }));
  const everything = pages.map(({ text }) => text).join("\n");
  const used = pages.flatMap(({ name, text }) => commandLines(text).map((line) => ({ name, line })));
  const asked = new Map();
  /** Documented commands that have options of their own. */
  const ownOf = (command) => {
    if (!commands.includes(command)) return new Set();
    if (!asked.has(command))
      asked.set(
        command,
        ran(cli, [command, "--help"]).then(({ stdout }) => new Set(stdout.match(OPTION))),
      );
    return asked.get(command);
  };
  const wrong = await Promise.all(
    used.map(async ({ name, line }) => {
      const strange = (line.match(OPTION) ?? []).filter((option) => !general.has(option));
      if (strange.length === 0) return [];
      const [, command] = /^lathe ([a-z][a-z-]*)/.exec(line) ?? [];
      const own = await ownOf(command);
      return strange.filter((option) => !own.has(option)).map((option) => `${name}: ${line}: there is no ${option}`);
    }),
  );
  const silent = [...general].filter((option) => !everything.includes(option));
  return [...wrong.flat(), ...silent.map((option) => `${option} is not documented`)];
}

/** Lines of a code block, or code spans. What follows a pipe or a separator belongs to another command. */
const commandLines = (text) =>
  [...text.matchAll(/(?:^\$ |^|`)(lathe [^`\n]*)/gm)].map(([, line]) => line.split(/ (?:\||&&|#|;|--) /)[0]);
