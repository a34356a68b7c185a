// How a session takes part in the exchange of messages: the first session of a tree opens it, and its agents join.

import { Exchange } from "../agents/irc/exchange.ts";
import { MAIN, type Mailbox } from "../agents/irc/types.ts";
import { mayHaveChildren } from "./children.ts";
import type { HostChoices, SessionLog, Toolbox, Work } from "./facades.ts";

type ExchangeSession = SessionLog & HostChoices & Toolbox & Work;

/**
 * `runQueued` begins an input with the waiting messages, for sessions that do so by themselves. Returns undefined if
 * its agents do not exchange messages.
 */
export function joinExchange(core: ExchangeSession, mailbox: Mailbox, runQueued: () => void): Exchange | undefined {
  const { subagents, agentId = MAIN } = core.options;
  if (!subagents?.irc) return undefined;
  const exchange = core.options.exchange ?? openExchange(core, mailbox, runQueued);
  if (agentId !== MAIN || mayHaveChildren(core)) Object.assign(core.services, { irc: exchange.serviceFor(agentId) });
  core.events.listen((event) => {
    if (event.kind === "state_changed") exchange.noteChange();
    // Tools that concern only the session itself (talking, yielding, planning) do not count as work.
    const isDone = event.kind === "tool_call_end" && !event.data.is_error;
    const isWork = isDone && !core.tools.get(event.data.tool_name)?.tool.sessionOnly;
    if (isWork || (event.kind === "user_input" && event.data.source === undefined && agentId === MAIN))
      exchange.noteProgress(agentId);
  });
  return exchange;
}

function openExchange(core: ExchangeSession, mailbox: Mailbox, runQueued: () => void): Exchange {
  const { journal, deps } = core;
  const { irc } = core.options.subagents!;
  const redact = (text: string): string => core.redact(text);
  const exchange = new Exchange({ journal, deps, redact: redact, timeoutMs: irc?.timeoutMs });
  const isAtWork = (): boolean => core.state === "processing";
  exchange.join({
    agents: () => [{ id: MAIN, state: isAtWork() ? "running" : "idle" }],
    mailbox: () => mailbox,
    hasUnread: async (_agentId, { id }) => mailbox.unread().some((one) => one.id === id),
    wake: async () => {
      exchange.handOver(MAIN, mailbox);
      runQueued();
      return isAtWork() ? "woken" : "injected";
    },
    stop: (_agentId, why) => {
      core.warn(`The input was ended: ${why}.`, "irc");
      core.endInput();
    },
  });
  return exchange;
}
