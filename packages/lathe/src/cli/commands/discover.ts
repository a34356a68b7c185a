// `lathe discover`: which files of Lathe and of other agents were found here, where, and why some take no effect.

import { listingJson, listingOf, listingText } from "../../found/discovery/listing.ts";
import { refusedLine } from "../../found/discovery/refused-line.ts";
import { ITEM_KINDS, type ItemKind } from "../../found/discovery/types.ts";
import { Run } from "../../hosts/run.ts";
import { EXIT, usageError } from "../../platform/usage/exit.ts";
import { nearest } from "../../platform/usage/nearest.ts";
import { table } from "../../sessions/tables/table.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

const PROVIDERS = "providers";

export const discoverCommand: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(argv, { json: { type: "boolean" } }, "discover");
  const [word, ...more] = positionals;
  if (more[0] !== undefined) throw usageError(`lathe discover takes one kind, but got "${more[0]}" as well.`);
  // Other agents' settings take no effect, so they are only listed on request.
  const shown = ITEM_KINDS.filter((kind) => kind !== "settings");
  const kinds = word === undefined || word === PROVIDERS ? shown : [kindOf(word)];
  const discovery = await (await new Run(machine).open({})).discovery();
  if (word === PROVIDERS && !values.json) {
    const rows = discovery.providers.map(({ id, name, priority, isEnabled }) => [
      id,
      name,
      String(priority),
      isEnabled ? "" : "disabled",
    ]);
    machine.stdout.write(table([["provider", "name", "priority", ""], ...rows]));
    return EXIT.done;
  }
  const listing = await listingOf(discovery, kinds);
  if (values.json) {
    machine.stdout.write(`${JSON.stringify(listingJson(listing, discovery), null, 2)}\n`);
    return EXIT.done;
  }
  machine.stdout.write(listingText(listing, discovery.place));
  const disabled = discovery.providers.filter(({ isEnabled }) => !isEnabled).map(({ id }) => id);
  if (disabled.length > 0)
    machine.stdout.write(`\nNot looked for (discovery.disabledProviders): ${disabled.join(", ")}\n`);
  const refused = refusedLine(listing.items, discovery.place);
  if (refused !== undefined) machine.stderr.write(`lathe: ${refused}\n`);
  return EXIT.done;
};

/** Accepts a kind by its name or its plural. */
function kindOf(word: string): ItemKind {
  const kind = ITEM_KINDS.find((one) => one === word || `${one}s` === word);
  if (kind !== undefined) return kind;
  const guess = nearest(word, [...ITEM_KINDS]);
  const hint = guess ? ` Did you mean ${guess}?` : "";
  throw usageError(`There is no kind "${word}".${hint} Kinds: ${ITEM_KINDS.join(", ")}, or ${PROVIDERS}.`);
}
