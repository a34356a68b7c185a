// Plans a migration piece by piece, without writing anything; each piece says how it would be written.

import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject } from "@lathe/llm";
import { stringify } from "yaml";
import { addServer, serversOf } from "../../additions/mcp/config-file.ts";
import { parseSettings } from "../../config/settings/parse.ts";
import type { SettingKey } from "../../config/settings/schema.ts";
import { settingsText } from "../../config/settings/text.ts";
import { writeSetting } from "../../config/settings/write.ts";
import type { Place } from "../../found/discovery/place.ts";
import type { DiscoveryWarning, Found, MarkdownValue } from "../../found/discovery/types.ts";
import { warningLine } from "../../found/discovery/warning-line.ts";
import { collect } from "./collect.ts";
import { copyFolder, filesBelow, readExisting, sameFolder, writeFileWhole } from "./files.ts";
import { addProvider, readProviders } from "./providers.ts";
import { withoutSecrets } from "./secrets.ts";
import { serverEntry } from "./servers.ts";
import type { Action, AgentName, PlannedAction, Scope, Subject, TakenSettings, Targets } from "./types.ts";

interface PlanRequest {
  readonly place: Place;
  readonly agents: readonly AgentName[];
  readonly scope: Scope;
  readonly targets: Targets;
  /** Whether existing entries are replaced. */
  readonly force: boolean;
}

export interface Plan {
  readonly actions: readonly PlannedAction[];
  readonly warnings: readonly DiscoveryWarning[];
}

export async function planMigration(request: PlanRequest): Promise<Plan> {
  const planner = new Planner(request);
  const warnings: DiscoveryWarning[] = [];
  const secrets = new Map<string, string>();
  for (const agent of request.agents) {
    const found = await collect(request.place, agent, request.scope);
    warnings.push(...found.warnings);
    for (const { name, source, value } of found.servers) {
      const { server, variables } = withoutSecrets(name, value, secrets);
      const reason = variables.length === 0 ? undefined : `set ${variables.join(", ")}: secrets are not copied`;
      planner.server(agent, source.path, name, serverEntry(server), reason);
    }
    for (const item of found.commands) planner.markdown("command", agent, "commands", item);
    for (const item of found.agents) planner.markdown("agent", agent, "agents", item);
    for (const item of found.skills) planner.skill(agent, item);
    for (const { path, taken } of found.settings) planner.settings(agent, path, taken);
  }
  // The same file is read for several kinds of items.
  const once = new Map(warnings.map((warning) => [warningLine(warning), warning]));
  return { actions: planner.actions, warnings: [...once.values()] };
}

class Planner {
  readonly actions: PlannedAction[] = [];
  readonly #request: PlanRequest;
  readonly #isShared: boolean;
  /** Servers imported from an earlier agent in this run count as existing for the next one. */
  readonly #servers: Map<string, unknown>;
  readonly #providers: Map<string, unknown>;
  readonly #files = new Map<string, string>();
  readonly #settings: Map<string, unknown>;

  constructor(request: PlanRequest) {
    this.#request = request;
    this.#isShared = request.scope === "project";
    const { servers, models, config } = request.targets;
    this.#servers = new Map(Object.entries(serversOf(servers)));
    this.#providers = new Map(Object.entries(readProviders(models)));
    const { document } = parseSettings(config, settingsText(config) ?? "");
    const flat = (value: unknown, prefix: string): [string, unknown][] =>
      isJsonObject(value)
        ? Object.entries(value).flatMap(([key, inner]) => flat(inner, `${prefix}${key}.`))
        : [[prefix.slice(0, -1), value]];
    this.#settings = new Map(flat(document.toJS() ?? {}, ""));
  }

  server(from: AgentName, source: string, name: string, value: JsonObject, reason: string | undefined): void {
    const target = this.#request.targets.servers;
    this.#one({ subject: "mcp-server", name, from, source, target }, this.#servers, value, reason, async () => {
      await addServer(target, name, value, this.#isShared);
    });
  }

  markdown(subject: Subject, from: AgentName, folder: string, { name, source, value }: Found<MarkdownValue>): void {
    const target = join(this.#request.targets.folder, folder, `${name.replaceAll(":", "/")}.md`);
    const text = markdownText(value);
    if (!this.#files.has(target)) {
      const there = readExisting(target);
      if (there !== undefined) this.#files.set(target, there);
    }
    this.#one(
      { subject, name, from, source: source.path, target },
      this.#files,
      text,
      undefined,
      () => writeFileWhole(target, text),
      target,
    );
  }

  skill(from: AgentName, { name, source }: Found<MarkdownValue>): void {
    const folder = dirname(source.path);
    const target = join(this.#request.targets.folder, "skills", basename(folder));
    const piece = { subject: "skill" as const, name, from, source: folder, target };
    const there = filesBelow(target).length > 0;
    if (there && sameFolder(folder, target))
      this.actions.push({ ...piece, state: "skipped", reason: "already exists" });
    else if (there && !this.#request.force)
      this.actions.push({ ...piece, state: "conflict", reason: "another one exists; --force replaces it" });
    else this.actions.push({ ...piece, state: "create", write: () => copyFolder(folder, target) });
  }

  settings(from: AgentName, source: string, { settings, rules, providers, left }: TakenSettings): void {
    const { config, models } = this.#request.targets;
    for (const [key, value] of Object.entries(settings))
      this.#one(
        { subject: "setting", name: `${key}: ${value}`, from, source, target: config },
        this.#settings,
        value,
        undefined,
        () => writeSetting(config, key as SettingKey, value, this.#isShared),
        key,
      );
    for (const decision of ["allow", "ask", "deny"] as const)
      for (const rule of rules[decision]) this.#rule(from, source, decision, rule);
    for (const [name, value] of Object.entries(providers))
      this.#one({ subject: "provider", name, from, source, target: models }, this.#providers, value, undefined, () =>
        addProvider(models, name, value, this.#isShared),
      );
    for (const { name, reason } of left)
      this.actions.push({ subject: "setting", name, from, source, state: "unsupported", reason });
  }

  #rule(from: AgentName, source: string, decision: "allow" | "ask" | "deny", rule: string): void {
    const { config } = this.#request.targets;
    const key = `permissions.${decision}` as const;
    const present = this.#settings.get(key);
    const list = Array.isArray(present) ? (present as string[]) : [];
    const piece = { subject: "permission" as const, name: `${decision} ${rule}`, from, source, target: config };
    if (list.includes(rule)) {
      this.actions.push({ ...piece, state: "skipped", reason: "already exists" });
      return;
    }
    const longer = [...list, rule];
    this.#settings.set(key, longer);
    this.actions.push({ ...piece, state: "create", write: () => writeSetting(config, key, longer, this.#isShared) });
  }

  #one(
    piece: Omit<Action, "state" | "reason">,
    there: Map<string, unknown>,
    value: unknown,
    reason: string | undefined,
    write: () => Promise<void>,
    key = piece.name,
  ): void {
    const present = there.get(key);
    if (present !== undefined && isDeepStrictEqual(present, value))
      this.actions.push({ ...piece, state: "skipped", reason: "already exists" });
    else if (present !== undefined && !this.#request.force)
      this.actions.push({ ...piece, state: "conflict", reason: "another one exists; --force replaces it" });
    else {
      there.set(key, value);
      this.actions.push({ ...piece, state: "create", ...(reason === undefined ? {} : { reason }), write });
    }
  }
}

/** Formats the value as one of our markdown files. */
function markdownText({ frontmatter, body }: MarkdownValue): string {
  return Object.keys(frontmatter).length === 0 ? `${body}\n` : `---\n${stringify(frontmatter)}---\n\n${body}\n`;
}
