// The session's permissions: the current mode, the rules, what the user has allowed beyond a single call, and what was
// denied because no user could be asked, which the run reports at its end.

import type { ApprovalVerdict, CallInfo, Middleware, SeamContext } from "@lathe/agent";
import {
  type Decision,
  FULL,
  isCredentialFile,
  itemsOf,
  type JudgedCall,
  judge,
  matchesItem,
  type PermissionMode,
  type Places,
  type Policy,
  type Rule,
  searchesCredentials,
  staysInside,
  suggestedRules,
  type Verdict,
  WAYS,
} from "@lathe/agent/policy";
import { ruleFrom } from "../../config/settings/rules.ts";
import type { Offers, Width } from "./offers.ts";
import { COMMAND_PATIENCE_MS, type CommandDecider } from "./permission-command.ts";
import type { RememberedRules } from "./remembered.ts";
import type { ShownAddresses } from "./shown-addresses.ts";
import { WebCalls } from "./web-calls.ts";

export interface DeniedCall {
  readonly callId: string;
  readonly tool: string;
  /** Ends with the option that would have allowed the call. */
  readonly reason: string;
}

/** The options that would have allowed all calls that were denied for these reasons. */
export function allowedWith(reasons: readonly string[]): string {
  const options = new Set(reasons.map((reason) => /It would be allowed with (.*)\.$/.exec(reason)?.[1] ?? FULL));
  const widest = WAYS.findLast((way) => options.has(way));
  if (widest === FULL) return FULL;
  const rules = [...options].filter((option) => !WAYS.includes(option));
  return [...rules, ...(widest === undefined ? [] : [widest])].join(" ");
}

/** Recorded, also in the journal, as the source of a denial that only a user could have prevented. */
export const UNATTENDED = "the unattended run";
const COMMAND = "the permission command";
const DECLARATION = "the unattended declaration";
/** Distinguishes questions of permissions from those of hooks. */
export const PERMISSIONS = "permissions";

export interface PermissionsOptions {
  readonly mode: PermissionMode;
  readonly canAsk: boolean;
  readonly places: Places;
  /** The rules from settings and options. */
  readonly rules?: readonly Rule[];
  /** Rules allowed in this project, including those of earlier sessions. */
  readonly remembered?: RememberedRules;
  readonly isSandboxed?: () => boolean | undefined;
  /** Folders that only this session can see. */
  readonly privateFolders?: () => readonly string[] | undefined;
  readonly planFile?: string;
  /** A program that is asked before the user. */
  readonly command?: CommandDecider | undefined;
  /** Web addresses that may be read without a question. */
  readonly shown?: ShownAddresses;
}

/** The permission of a user's program; `by` is recorded for the audit. */
interface HookPermission {
  readonly by: string;
  readonly reason?: string | undefined;
}

export class Permissions {
  /** Calls that were denied because no user could be asked. */
  readonly denied: DeniedCall[] = [];
  readonly #options: PermissionsOptions;
  readonly #modeFollowers: (() => void)[] = [];
  #openPort: ((address: string) => void) | undefined;
  #mode: PermissionMode;
  #beforePlan: PermissionMode | undefined;
  #places: Places;
  readonly #web: WebCalls | undefined;
  /** Tools that need no further approval inside the roots. */
  readonly #tools = new Set<string>();
  /** Rules for this session only. */
  #added: readonly Rule[] = [];
  /** The limits of an unattended session, within what is allowed anyway. */
  #narrowed: { readonly rules: readonly Rule[]; readonly readsByShell: boolean } | undefined;
  /** Questions that the user's own programs have already answered with yes, by agent and call. */
  readonly #answered = new Map<string, HookPermission>();

  constructor(options: PermissionsOptions) {
    this.#options = options;
    this.#mode = options.mode;
    this.#places = options.places;
    this.#web = options.shown && new WebCalls(options.shown);
  }

  /**
   * From now on no user is asked, and a call is denied unless these rules cover everything it changes, starts or
   * contacts. They only narrow: whatever the mode and other rules deny stays denied. With `readsByShell`, commands that
   * only read need no rule.
   */
  narrowTo(rules: readonly Rule[], readsByShell: boolean): void {
    this.#narrowed = { rules, readsByShell };
  }

  /** Whether the run is unattended: its calls are limited by a declaration. */
  get isUnattended(): boolean {
    return this.#narrowed !== undefined;
  }

  #isListed(call: JudgedCall): boolean {
    if (!this.#narrowed) return true;
    const { rules, readsByShell } = this.#narrowed;
    const policy = this.#policy();
    if (readsByShell && judge(call, { ...policy, mode: "read-only", rules: [] }).decision === "allow") return true;
    const { decision, parts } = judge(call, { ...policy, mode: "ask", rules });
    const startsCommand = call.access?.some(({ kind }) => kind === "exec") === true;
    return decision === "allow" && (!startsCommand || parts.every(({ rule }) => rule !== undefined));
  }

  /** Absent in a recording, which does not contain what the user typed and what files said. */
  get shown(): ShownAddresses | undefined {
    return this.#web?.shown;
  }

  get mode(): PermissionMode {
    return this.#mode;
  }
  set mode(mode: PermissionMode) {
    if (mode === this.#mode) return;
    if (mode === "plan") this.#beforePlan = this.#mode;
    this.#mode = mode;
    for (const follow of this.#modeFollowers) follow();
  }

  /** `follow` is called whenever the mode changes. */
  followMode(follow: () => void): void {
    this.#modeFollowers.push(follow);
  }

  /** Returns to the mode before; a session that started with planning switches to auto-edit. */
  leavePlan(): void {
    if (this.#mode === "plan") this.mode = this.#beforePlan ?? "auto-edit";
  }

  middleware(): Middleware {
    return {
      name: PERMISSIONS,
      ...(this.#options.command ? { timeoutMs: COMMAND_PATIENCE_MS } : {}),
      approve: (call, context) => this.#approve(call, context),
      afterCall: (call, result, { agentId }) => this.#web?.keepShown(callKey(agentId, call.callId), call, result),
    };
  }

  /** `open` receives the address of each closed loopback port that the user has allowed. */
  followOpened(open: (address: string) => void): void {
    this.#openPort = open;
  }

  /** Call this when the user has allowed a call whose question named its closed ports; nothing else opens one. */
  openPorts({ access = [] }: Pick<JudgedCall, "access">): void {
    for (const item of access)
      if (item.kind === "network" && item.closedPort !== undefined)
        this.#openPort?.(`http://${item.host}:${item.closedPort}`);
  }

  /**
   * Records that a user's program would answer a question about this call with yes. Without a question it has no
   * effect.
   */
  recordHookAnswer(agentId: string | undefined, callId: string, permission: HookPermission): void {
    this.#answered.set(callKey(agentId, callId), permission);
  }

  /** Makes changes to these files (real paths) require approval, because `reader` runs whatever they contain. */
  protect(files: readonly string[], reader: string): void {
    const programs = new Map([...(this.#places.programs ?? []), ...files.map((file) => [file, reader] as const)]);
    this.#places = { ...this.#places, programs };
  }

  /** Whether a question about a secret would reach anyone; mode full asks nothing. */
  get asksAboutSecrets(): boolean {
    const { canAsk, command } = this.#options;
    return (canAsk || command !== undefined) && this.mode !== "full";
  }

  /** All rules in effect, the strongest sources first. */
  get rules(): readonly Rule[] {
    return [...(this.#options.rules ?? []), ...this.#added, ...(this.#options.remembered?.rules() ?? [])];
  }

  /** Writable directories, as real paths. */
  get roots(): readonly string[] {
    return this.#places.roots;
  }

  /** Adds a writable directory, given as a real path. */
  addRoot(path: string): void {
    if (this.roots.includes(path)) return;
    this.#places = { ...this.#places, roots: [...this.#places.roots, path] };
  }

  /** Returns the rules it added, which the journal keeps. A tool is allowed until the session ends. */
  async remember(width: Width, call: JudgedCall): Promise<readonly string[]> {
    if (width === "tool") {
      if (call.tool === undefined) return [];
      // This never covers a call outside the roots, whichever call it was said for.
      this.#tools.add(call.tool);
      return [call.tool];
    }
    const { pattern = [] } = this.offersFor(call);
    for (const text of pattern) await this.#rememberRule(text);
    return pattern;
  }

  async #rememberRule(text: string): Promise<void> {
    if (this.#options.remembered) await this.#options.remembered.add(text);
    else this.#added = [...this.#added, allowRule(text)];
  }

  /** Withdraws all lasting answers in this project. */
  async forget(): Promise<void> {
    this.#tools.clear();
    this.#added = [];
    await this.#options.remembered?.clear();
  }

  /** The answers to offer. One that would not change the next call like this is left out. */
  offersFor(call: JudgedCall): Offers {
    const verdict = judge(call, this.#policy());
    const hasAskRule = verdict.parts.some(({ decision, rule }) => decision === "ask" && rule !== undefined);
    const asked = itemsOf(call).filter((_item, index) => verdict.parts[index]?.decision === "ask");
    // A tool that declares its access for some calls is never allowed as a whole.
    const undeclared = call.access === undefined ? call.tool : undefined;
    const pattern = hasAskRule ? undefined : suggestedRules(asked, this.#places, undeclared);
    const days = this.#options.remembered?.days ?? 0;
    return {
      ...(pattern !== undefined && this.#wouldBeAllowed(call, pattern) ? { pattern, days } : {}),
      tool: !hasAskRule && staysInside(call, this.#places, this.rules),
    };
  }

  #wouldBeAllowed(call: JudgedCall, texts: readonly string[]): boolean {
    const policy = this.#policy();
    return judge(call, { ...policy, rules: [...policy.rules, ...texts.map(allowRule)] }).decision === "allow";
  }

  /** Whether the user has allowed calls like this one in the meantime. */
  isAllowedNow(call: JudgedCall): boolean {
    const verdict = judge(call, this.#policy());
    return verdict.decision === "allow" || this.#isToolAllowed(call, verdict);
  }

  /**
   * Those of the files that must not be written without approval when changes are applied: the user who started that
   * has not reviewed each file.
   */
  protectedAmong(files: readonly string[]): readonly string[] {
    const policy: Policy = { ...this.#policy(), mode: this.mode === "full" ? "full" : "auto-edit" };
    const isAllowed = (path: string): boolean =>
      judge({ tier: "write", access: [{ kind: "write", path }] }, policy).decision === "allow";
    return files.filter((path) => !isAllowed(path));
  }

  /** Takes a real path. */
  holdsKeys(path: string): boolean {
    return isCredentialFile(path, this.#places);
  }

  /** The files that a search here skips; undefined if it may search all. */
  leftOutOfSearch(root: string, filter: string | undefined): ((path: string) => boolean) | undefined {
    const places = this.#places;
    const denying = this.rules.filter(({ decision, subject }) => decision === "deny" && subject === "read");
    const scope = { project: places.roots[0] ?? "/", userHome: places.userHome };
    const isDenied = (path: string): boolean =>
      denying.some((rule) => matchesItem(rule, { kind: "read", path }, scope));
    if (this.mode === "full" || isCredentialFile(root, places) || searchesCredentials(root, filter, places))
      return denying.length === 0 ? undefined : isDenied;
    return (path) => isCredentialFile(path, places) || isDenied(path);
  }

  #policy(): Policy {
    const { isSandboxed, privateFolders, planFile } = this.#options;
    const places = { ...this.#places, roots: [...this.#places.roots, ...(privateFolders?.() ?? [])] };
    const notShown = this.#web && ((url: string) => this.shown?.problem(url));
    return { mode: this.mode, rules: this.rules, places, isSandboxed: isSandboxed?.(), planFile, notShown };
  }

  #isToolAllowed(call: JudgedCall, { decision, parts }: Verdict): boolean {
    if (decision !== "ask" || call.tool === undefined || !this.#tools.has(call.tool)) return false;
    return (
      staysInside(call, this.#places, this.rules) &&
      !parts.some((part) => part.decision === "ask" && part.rule !== undefined)
    );
  }

  async #approve(call: CallInfo, context: SeamContext): Promise<ApprovalVerdict> {
    const judged = { tool: call.tool.name, tier: call.tier, access: call.access };
    await this.#web?.prepare(judged, context);
    const verdict = await this.#decide(call, judged, context);
    if (verdict?.decision === "ask") this.#web?.ask(callKey(context.agentId, call.callId), judged);
    return verdict;
  }

  /**
   * Why a redirect to another host is not followed. It is judged like a call. If the redirecting page was shown, its
   * target counts as shown too, unless the target is on the loopback.
   */
  redirectProblem(from: URL, to: URL, isLoopback: boolean): string | undefined {
    if (from.hostname === to.hostname && from.port === to.port) return undefined;
    if (!isLoopback && this.shown?.isShown(from.href)) this.shown.addLink(to.href);
    const access = [{ kind: "network" as const, host: to.hostname, url: to.href }];
    const { decision, reason, parts } = judge({ tier: "network", access }, this.#policy());
    if (decision !== "allow") return reason ?? parts[0]?.reason ?? "";
    this.shown?.choose(to.href);
    return undefined;
  }

  async #decide(call: CallInfo, judged: JudgedCall, context: SeamContext): Promise<ApprovalVerdict> {
    if (this.mode === "plan" && context.agentId !== undefined && startsAgent(judged))
      return { decision: "deny", by: "mode plan", reason: "While planning, child agents start no further agents." };
    const verdict = judge(judged, this.#policy());
    const { decision, reason, parts } = verdict;
    if (decision !== "deny" && !this.#isListed(judged))
      return { decision: "deny", by: DECLARATION, reason: "The declared action_allowlist does not cover it.", parts };
    const key = callKey(context.agentId, call.callId);
    if (decision === "allow") this.#web?.take(key, judged);
    if (decision !== "ask") {
      const deciding = parts.find((part) => part.decision === decision);
      const by = deciding?.rule === undefined ? `mode ${this.mode}` : `rule ${deciding.rule}`;
      return { decision, by, reason: reason ?? deciding?.reason, parts: parts.length > 1 ? parts : undefined };
    }
    if (this.#isToolAllowed(judged, verdict)) return { decision: "allow", by: "always", parts };
    const answered = this.#answered.get(key);
    this.#answered.delete(key);
    if (answered) return { decision: "allow", by: answered.by, reason: answered.reason, parts, asked: reason ?? "" };
    const said = await this.#askCommand(call, judged, verdict, context);
    if (said && said.decision !== "ask") return { ...said, by: COMMAND, parts, asked: reason ?? "" };
    const why = [reason, said?.reason].filter((text) => text !== undefined).join(" ");
    const open = { ...verdict, ...(why === "" ? {} : { reason: why }) };
    return this.#options.canAsk && !this.#narrowed ? { decision, parts, reason: open.reason } : this.#deny(call, open);
  }

  async #askCommand(
    call: CallInfo,
    judged: JudgedCall,
    { reason }: Verdict,
    { agentId, signal }: SeamContext,
  ): Promise<{ decision: Decision; reason?: string; remembered?: readonly string[] } | undefined> {
    const { command } = this.#options;
    if (!command) return undefined;
    const answer = await command({ call, reason, offers: this.offersFor(judged), agentId }, signal);
    const { remember, ...said } = answer;
    if (answer.decision !== "allow" || remember === undefined) return said;
    return { ...said, remembered: await this.remember(remember, judged) };
  }

  #deny(call: CallInfo, { reason: why, allowWith = FULL, parts }: Verdict): ApprovalVerdict {
    const sentences = [
      `${call.tool.name} needs permission (${call.tier}) and no user can be asked here.`,
      // The reason of a doubt is also used inside other sentences, so it starts in lower case.
      ...(why === undefined
        ? []
        : [why.replace(/^(?:it|its|there)\b/, (word) => word[0]!.toUpperCase() + word.slice(1))]),
      `It would be allowed with ${allowWith}.`,
    ];
    const reason = sentences.join(" ");
    this.denied.push({ callId: call.callId, tool: call.tool.name, reason });
    return { decision: "deny", by: UNATTENDED, reason, parts };
  }
}

/** Calls of two agents may share an id. */
const callKey = (agentId: string | undefined, callId: string): string => `${agentId ?? ""} ${callId}`;

const startsAgent = ({ access = [] }: JudgedCall): boolean =>
  access.some((item) => item.kind === "exec" && item.isAgent === true);

/** A rule that we generated ourselves always parses. */
const allowRule = (text: string): Rule => ({ ...ruleFrom("allow", text, "remembered"), insideOnly: true });
