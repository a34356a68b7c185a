// `lathe plugin add|list|show|enable|disable|update|remove|marketplace`.

import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { placeOf } from "../../found/discovery/place.ts";
import { type Contents, contentsOf, manifestOf } from "../../found/plugins/contents.ts";
import { fetchInto, fetchMarketplaceInto } from "../../found/plugins/fetch.ts";
import { checkedName, Plugins } from "../../found/plugins/installed.ts";
import { type Marketplace, type Offer, readMarketplace, writeListedManifest } from "../../found/plugins/marketplace.ts";
import { type PluginSource, readSource, shownSource } from "../../found/plugins/source.ts";
import { homePaths } from "../../platform/home/paths.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { countOf } from "../../sessions/numbers.ts";
import { visible } from "../../sessions/visible.ts";
import { askYes } from "../ask-yes.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

interface Shop {
  readonly machine: Machine;
  readonly plugins: Plugins;
  readonly yes: boolean;
}

type Verb = (shop: Shop, words: readonly string[]) => Promise<ExitCode>;

async function add(shop: Shop, words: readonly string[]): Promise<ExitCode> {
  const written = one(words, "add <folder, git URL, npm:package or name@marketplace>");
  return install(shop, await sourceOf(shop, written));
}

async function update(shop: Shop, words: readonly string[]): Promise<ExitCode> {
  const word = one(words, "update <name>");
  const [, named, market = ""] = FROM_MARKETPLACE.exec(word) ?? [];
  const name = named ?? word;
  const { source } = entryOf(shop, name);
  if (named !== undefined && source !== word)
    throw usageError(`${name} was not installed from ${market}, but from ${source}.`);
  const listedIn = shop.plugins.read().marketplaces[FROM_MARKETPLACE.exec(source)?.[2] ?? ""];
  // The marketplace's list says where the plugin is now.
  if (listedIn) await fetchMarketplace(shop, readSource(listedIn.source, shop.machine.cwd));
  return install(shop, await sourceOf(shop, source), name);
}

interface Wanted {
  readonly source: PluginSource;
  /** The source in a form that works from any folder. */
  readonly written: string;
  /** Set for a plugin of a marketplace. */
  readonly offer?: Offer;
}

/** Fetches the plugin into a folder next to the others, shows it, and installs it when the user agrees. */
async function install(shop: Shop, { source, written, offer }: Wanted, known?: string): Promise<ExitCode> {
  const { machine, plugins, yes } = shop;
  await mkdir(plugins.folder, { recursive: true, mode: 0o700 });
  const staging = await mkdtemp(join(plugins.folder, ".new-"));
  try {
    const fetched = join(staging, "plugin");
    const linksOut = await fetchInto(machine, source, fetched);
    if (offer) await writeListedManifest(fetched, offer);
    const manifest = manifestOf(fetched);
    const name = checkedName(known ?? manifest.name ?? basename(shownSource(source)).replace(/\.(?:git|tgz)$/, ""));
    if (known === undefined && Object.hasOwn(plugins.read().plugins, name))
      throw usageError(`${name} is installed already. To fetch it again: lathe plugin update ${name}`);
    const contents = await contentsOf(
      placeOf({ cwd: machine.cwd, machine, paths: homePaths(machine.env, machine.userHome) }),
      name,
      fetched,
    );
    const dropped = linksOut.map((link) => `${link} is a link that leads outside of the plugin; it is left out.`);
    const warnings = [...dropped, ...contents.warnings];
    machine.stdout.write(shownContents(name, manifest.version, manifest.description, { ...contents, warnings }));
    if (contents.lines.length === 0)
      throw usageError(`${name} contains nothing that Lathe can use, so it was not installed.`);
    const question = contents.runsCode
      ? "It runs code on this machine with your permissions. Install it?"
      : "Install it?";
    if (!(yes || (await askYes(machine, question)))) {
      machine.stderr.write("lathe: Not installed. To install it without a question: --yes\n");
      return EXIT.failed;
    }
    const root = plugins.rootOf(name);
    await rm(root, { recursive: true, force: true });
    await rename(fetched, root);
    const { version } = manifest;
    await plugins.set("plugins", name, { source: written, ...(version === undefined ? {} : { version }) });
    machine.stdout.write(`Installed ${name}. It takes effect in new sessions.\n`);
    return EXIT.done;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function list({ machine, plugins }: Shop, words: readonly string[]): Promise<ExitCode> {
  none(words, "list");
  const entries = Object.entries(plugins.read().plugins);
  if (entries.length === 0)
    machine.stdout.write("No plugins are installed. To install one: lathe plugin add <source>\n");
  for (const [name, { version, source, enabled = true }] of entries)
    machine.stdout.write(
      `${visible(`${name}${version === undefined ? "" : ` ${version}`}  ${source}${enabled ? "" : "  (disabled)"}`)}\n`,
    );
  return EXIT.done;
}

async function show(shop: Shop, words: readonly string[]): Promise<ExitCode> {
  const name = one(words, "show <name>");
  const { version } = entryOf(shop, name);
  const { machine, plugins } = shop;
  const root = plugins.rootOf(name);
  const contents = await contentsOf(
    placeOf({ cwd: machine.cwd, machine, paths: homePaths(machine.env, machine.userHome) }),
    name,
    root,
  );
  machine.stdout.write(shownContents(name, version, manifestOf(root).description, contents));
  return EXIT.done;
}

const enable: Verb = (shop, words) => setEnabled(shop, one(words, "enable <name>"), true);
const disable: Verb = (shop, words) => setEnabled(shop, one(words, "disable <name>"), false);

async function setEnabled(shop: Shop, name: string, enabled: boolean): Promise<ExitCode> {
  const { enabled: _, ...entry } = entryOf(shop, name);
  await shop.plugins.set("plugins", name, enabled ? entry : { ...entry, enabled });
  shop.machine.stdout.write(`${name} is ${enabled ? "enabled" : "disabled"}, from the next session on.\n`);
  return EXIT.done;
}

async function remove({ machine, plugins }: Shop, words: readonly string[]): Promise<ExitCode> {
  const name = one(words, "remove <name>");
  await plugins.remove("plugins", name);
  machine.stdout.write(`Removed ${name}.\n`);
  return EXIT.done;
}

async function marketplace(shop: Shop, [verb = "list", ...words]: readonly string[]): Promise<ExitCode> {
  const { machine, plugins } = shop;
  if (verb === "add") {
    const written = one(words, "marketplace add <folder or git URL>");
    const { name, offers } = await fetchMarketplace(shop, readSource(written, machine.cwd));
    machine.stdout.write(
      `Added ${name} with ${countOf(offers.length, "plugin")}. To install one: lathe plugin add <plugin>@${name}\n`,
    );
    return EXIT.done;
  }
  if (verb === "remove") {
    const name = one(words, "marketplace remove <name>");
    await plugins.remove("marketplaces", name);
    machine.stdout.write(`Removed ${name}. Plugins from it stay.\n`);
    return EXIT.done;
  }
  if (verb !== "list") throw usageError(`lathe plugin marketplace takes add, list or remove, not ${verb}.`);
  for (const [name, { source }] of Object.entries(plugins.read().marketplaces)) {
    machine.stdout.write(`${visible(`${name}  ${source}`)}\n`);
    for (const { name: offered, description = "" } of readMarketplace(plugins.marketplaceRoot(name)).offers)
      machine.stdout.write(`${visible(`  ${offered}@${name}  ${description}`.trimEnd())}\n`);
  }
  return EXIT.done;
}

/** Replaces the stored copy of a marketplace's list. */
async function fetchMarketplace({ machine, plugins }: Shop, source: PluginSource): Promise<Required<Marketplace>> {
  await mkdir(plugins.folder, { recursive: true, mode: 0o700 });
  const staging = await mkdtemp(join(plugins.folder, ".new-"));
  try {
    const fetched = join(staging, "marketplace");
    await fetchMarketplaceInto(machine, source, fetched);
    const { name: own, offers } = readMarketplace(fetched);
    const name = checkedName(own ?? basename(shownSource(source)).replace(/\.git$/, ""));
    const root = plugins.marketplaceRoot(name);
    await rm(root, { recursive: true, force: true });
    await cp(fetched, root, { recursive: true, verbatimSymlinks: true });
    await plugins.set("marketplaces", name, { source: shownSource(source) });
    return { name, offers };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

const FROM_MARKETPLACE = /^([\w.-]+)@([\w.-]+)$/;

/** `name@marketplace` if that marketplace was added, otherwise any other source. */
async function sourceOf({ machine, plugins }: Shop, written: string): Promise<Wanted> {
  const [, name = "", market = ""] = FROM_MARKETPLACE.exec(written) ?? [];
  if (!Object.hasOwn(plugins.read().marketplaces, market)) {
    const source = readSource(written, machine.cwd);
    return { source, written: shownSource(source) };
  }
  const offer = readMarketplace(plugins.marketplaceRoot(market)).offers.find((one) => one.name === name);
  if (!offer) throw usageError(`${market} has no plugin ${name}. See: lathe plugin marketplace list`);
  if (!offer.source) throw usageError(`${written} comes from a kind of source that Lathe does not know.`);
  if (offer.source.kind === "folder" && !existsSync(offer.source.path))
    throw usageError(`${market} lists ${name}, but its folder is not there.`);
  return { source: offer.source, written, offer };
}

function shownContents(
  name: string,
  version: string | undefined,
  description: string | undefined,
  { lines, warnings }: Contents,
): string {
  const title = [name, version, description && `(${description})`].filter(Boolean).join(" ");
  const text = [
    `${title} contains:`,
    ...lines.map((line) => `  ${line}`),
    ...warnings.map((warning) => `warning: ${warning}`),
  ];
  return `${text.map(visible).join("\n")}\n`;
}

function entryOf(
  { plugins }: Shop,
  name: string,
): { readonly source: string; readonly version?: string; readonly enabled?: boolean } {
  const entry = plugins.read().plugins[name];
  if (!entry || !Object.hasOwn(plugins.read().plugins, name))
    throw usageError(`${name} is not installed. See: lathe plugin list`);
  return entry;
}

function one(words: readonly string[], form: string): string {
  const [word, ...more] = words;
  if (word === undefined || more.length > 0) throw usageError(`Write: lathe plugin ${form}`);
  return word;
}

function none(words: readonly string[], verb: string): void {
  if (words.length > 0) throw usageError(`lathe plugin ${verb} takes no further words, not ${words[0]}.`);
}

const VERBS: Readonly<Record<string, Verb>> = { add, list, show, enable, disable, update, remove, marketplace };

export const pluginCommand: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(argv, { yes: { type: "boolean", short: "y", default: false } }, "plugin");
  const [verb = "list", ...words] = positionals;
  const plugins = new Plugins(homePaths(machine.env, machine.userHome).home);
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (!run)
    throw usageError(
      `Unknown command "lathe plugin ${verb}". Choose one of ${Object.keys(VERBS).join(", ")}. See: lathe plugin --help`,
    );
  return run({ machine, plugins, yes: values.yes }, words);
};
