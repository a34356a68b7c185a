// The agents hub: all agents of the session in place of the composer, to inspect, message, stop and revive.

import type { Session } from "@lathe/agent";
import type { AgentDirectory, AgentOverview } from "@lathe/agent/contract";
import {
  type CursorPlace,
  type Key,
  LinePrompt,
  type RenderContext,
  type Row,
  row,
  shorten,
  visibleLine,
} from "@lathe/tui";
import type { HubAction } from "../actions.ts";
import { agentDetail, agentsTitle, treeRows } from "./agent-rows.ts";
import type { PanelPlace } from "./panel-place.ts";
import type { Panel } from "./panel-stack.ts";

/** Rows of the tree; the rest of the panel shows the selected agent. */
const MOST_AGENTS = 10;
const DETAIL_ROWS = 9;
/** From this height on, a blank row separates the two. */
const ROWS_WITH_GAP = 16;

/** What the keys go to. */
type Focus =
  | { readonly kind: "tree" }
  | { readonly kind: "message"; readonly to: string; readonly prompt: LinePrompt }
  | { readonly kind: "stop"; readonly agentId: string }
  | { readonly kind: "stopAll" };

/** What the hub needs of its host. */
export interface HubPlace extends PanelPlace {
  /** Called each time, because a command may replace the session. */
  session(): Session;
  page(title: string, text: string): void;
}

export function openHub(place: HubPlace): void {
  const hub = new Hub(place);
  if (hub.isEmpty) {
    place.hint("There are no agents in this session.");
    return;
  }
  const panel: Panel = { component: hub, byAgent: false, cancel: () => hub.cancel(() => place.panels.close(panel)) };
  place.panels.open(panel);
}

class Hub {
  readonly #place: HubPlace;
  #current: string | undefined;
  #focus: Focus = { kind: "tree" };
  /** The end of the output of an agent that is not running, read once. */
  #output: { readonly key: string; readonly lines: readonly string[] } = { key: "", lines: [] };
  cursor: CursorPlace | undefined;
  readonly showsAgents = true;

  constructor(place: HubPlace) {
    this.#place = place;
  }

  get #directory(): AgentDirectory {
    return this.#place.session().subagents.directory;
  }

  get isEmpty(): boolean {
    return this.#directory.list().length === 0;
  }

  get hint(): string {
    if (this.#focus.kind === "message") return "Enter to send · Esc to cancel";
    if (this.#focus.kind === "stop") return "y to stop it · any other key to cancel";
    if (this.#focus.kind === "stopAll") return "y to stop all of them · any other key to cancel";
    const key = (action: HubAction): string => this.#place.bindings.chords(action)[0] ?? "";
    const agents = this.#directory.list();
    const agent = this.#agent(agents);
    const keys = [
      ...(agent && agent.state !== "aborted" ? [`${key("app.agents.send")} to send a message`] : []),
      ...(agent?.state === "running" ? [`${key("app.agents.stop")} to stop it`] : []),
      ...(atWork(agents) > 1 ? [`${key("app.agents.stopAll")} to stop all`] : []),
      ...(agent?.state === "parked" ? [`${key("app.agents.revive")} to revive it`] : []),
      `${key("app.agents.transcript")} for the transcript`,
      "esc to close",
    ];
    return keys.join(" · ");
  }

  /** Esc goes back one step. */
  cancel(close: () => void): void {
    if (this.#focus.kind === "tree") close();
    else this.#to({ kind: "tree" });
  }

  render(context: RenderContext): readonly Row[] {
    this.cursor = undefined;
    const agents = this.#directory.list();
    const agent = this.#agent(agents);
    if (!agent) return [row("There are no agents in this session.", { color: "muted" })];
    const asked = this.#askedRows(context);
    const hasGap = context.rows >= ROWS_WITH_GAP;
    const room = Math.max(1, context.rows - 1 - asked.length - (hasGap ? 1 : 0));
    const detail = Math.min(DETAIL_ROWS, room - Math.min(agents.length, Math.ceil(room / 2)));
    const tree = treeRows(agents, agents.indexOf(agent), Math.min(MOST_AGENTS, room - Math.max(0, detail)), context);
    const rows = [
      agentsTitle(agents, context),
      ...tree,
      ...(hasGap ? [row("")] : []),
      ...agentDetail(agent, this.#linesOf(agent), detail, context),
      ...asked,
    ];
    if (this.#focus.kind === "message")
      this.cursor = { row: rows.length - 1, column: this.#focus.prompt.cursor.column };
    return rows;
  }

  handle(key: Key): boolean {
    const focus = this.#focus;
    if (focus.kind === "message") return focus.prompt.handle(key);
    if (key.kind !== "key") return false;
    if (focus.kind !== "tree") {
      this.#to({ kind: "tree" });
      if (key.text === "y")
        void this.#run((directory) =>
          focus.kind === "stop" ? this.#stop(directory, focus.agentId) : this.#stopAll(directory),
        );
      return true;
    }
    const { bindings } = this.#place;
    const action = bindings.match(key, "agents") as HubAction | undefined;
    if (action !== undefined) return this.#act(action);
    return this.#move(bindings.match(key, "select"));
  }

  #act(action: HubAction): boolean {
    const agent = this.#agent(this.#directory.list());
    if (!agent) return true;
    const { agentId } = agent;
    switch (action) {
      case "app.agents.send":
        this.#to({ kind: "message", to: agentId, prompt: this.#prompt(agentId) });
        break;
      case "app.agents.stop":
        if (agent.state === "running") this.#to({ kind: "stop", agentId });
        else this.#place.hint(`${agentId} is not running.`);
        break;
      case "app.agents.stopAll":
        if (atWork(this.#directory.list()) > 0) this.#to({ kind: "stopAll" });
        else this.#place.hint("No agent is running.");
        break;
      case "app.agents.revive":
        void this.#run(async (directory) => {
          const { state } = await directory.revive(agentId);
          this.#place.hint(`${agentId} is ${state}.`);
        });
        break;
      case "app.agents.transcript":
        void this.#run(() => this.#read(agentId));
        break;
      default:
        action satisfies never;
    }
    return true;
  }

  /** Other keys belong to the app. */
  #move(action: string | undefined): boolean {
    const agents = this.#directory.list();
    const at = agents.findIndex(({ agentId }) => agentId === this.#agent(agents)?.agentId);
    const to: Readonly<Record<string, number>> = {
      "tui.select.up": at - 1,
      "tui.select.down": at + 1,
      "tui.select.pageUp": at - MOST_AGENTS,
      "tui.select.pageDown": at + MOST_AGENTS,
      "tui.select.first": 0,
      "tui.select.last": agents.length - 1,
    };
    const next = action === undefined ? undefined : to[action];
    if (next === undefined) return false;
    this.#current = agents[Math.max(0, Math.min(agents.length - 1, next))]?.agentId;
    this.#place.onChange();
    return true;
  }

  #prompt(to: string): LinePrompt {
    return new LinePrompt({
      bindings: this.#place.bindings,
      label: [{ text: `To ${visibleLine(to)}: `, style: { bold: true } }],
      onChange: () => this.#place.onChange(),
      onSubmit: (text) => {
        this.#to({ kind: "tree" });
        if (text.trim() !== "") void this.#run((directory) => this.#send(directory, to, text));
      },
      onCancel: () => this.#to({ kind: "tree" }),
    });
  }

  async #send(directory: AgentDirectory, to: string, text: string): Promise<void> {
    const { how } = await directory.send(to, text);
    const words = {
      steered: "will read it with its next request",
      continued: "is working on it",
      revived: "was revived and is working on it",
    };
    this.#place.hint(`Sent: ${to} ${words[how]}.`);
  }

  async #stop(directory: AgentDirectory, agentId: string): Promise<void> {
    const { state } = await directory.stop(agentId);
    this.#place.hint(`${agentId} was stopped and is ${state}. Send it a message to continue.`);
  }

  async #stopAll(directory: AgentDirectory): Promise<void> {
    const { length: count } = await directory.stopAll();
    this.#place.hint(
      `${count} ${count === 1 ? "agent was" : "agents were"} stopped. Send an agent a message to continue it.`,
    );
  }

  async #read(agentId: string): Promise<void> {
    const read = await this.#place.session().schemes.read(`history://${agentId}`, new AbortController().signal);
    if (read) this.#place.page(`Agent ${agentId}`, new TextDecoder().decode(read.bytes));
  }

  async #run(work: (directory: AgentDirectory) => Promise<void>): Promise<void> {
    try {
      await work(this.#directory);
    } catch (error) {
      this.#place.hint((error as Error).message);
    }
    this.#place.onChange();
  }

  #to(focus: Focus): void {
    this.#focus = focus;
    this.#place.onChange();
  }

  /** The selected agent; the selection stays on it while others come and go. */
  #agent(agents: readonly AgentOverview[]): AgentOverview | undefined {
    return agents.find(({ agentId }) => agentId === this.#current) ?? agents[0];
  }

  #linesOf(agent: AgentOverview): readonly string[] {
    if (agent.state === "running" || agent.tail.length > 0) return agent.tail;
    const key = `${agent.agentId} ${agent.endedAt}`;
    if (this.#output.key !== key) {
      const lines = this.#directory
        .outputOf(agent.agentId)
        .trim()
        .split("\n")
        .slice(0, DETAIL_ROWS - 1);
      this.#output = { key, lines };
    }
    return this.#output.lines;
  }

  #askedRows(context: RenderContext): readonly Row[] {
    const focus = this.#focus;
    if (focus.kind === "message") return focus.prompt.render(context);
    if (focus.kind === "tree") return [];
    const what =
      focus.kind === "stop" ? visibleLine(focus.agentId) : `all ${atWork(this.#directory.list())} running agents`;
    return [row(shorten(`Stop ${what}? y/n`, context.columns), { color: "warning", bold: true })];
  }
}

const atWork = (agents: readonly AgentOverview[]): number => agents.filter(({ state }) => state === "running").length;
