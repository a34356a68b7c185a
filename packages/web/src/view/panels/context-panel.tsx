// What fills the context of the next request, and what the session has cost.

import { visibleLine } from "@lathe/tui/text";
import type { CommandData } from "lathe/client";
import type { VNode } from "preact";
import type { SessionView } from "../../state/session.ts";
import { countText, dollars, percent, tokenCount } from "../../text/numbers.ts";
import { useSession } from "../session/session-context.ts";
import { Problem } from "./problem.tsx";
import { useCommand } from "./use-command.ts";

export function ContextPanel({ view }: { readonly view: SessionView }): VNode {
  const context = useCommand(view, "get_context");
  const costs = useCommand(view, "get_costs");
  return (
    <>
      <Problem text={context.problem ?? costs.problem} />
      {context.answer && <Context context={context.answer} isBusy={view.live.isBusy} />}
      {costs.answer && <Costs costs={costs.answer} />}
    </>
  );
}

function Context({
  context,
  isBusy,
}: {
  readonly context: CommandData<"get_context">;
  readonly isBusy: boolean;
}): VNode {
  const { command, mayPrompt } = useSession();
  const { tokens, contextWindow, freeTokens, groups } = context;
  const largest = Math.max(1, ...groups.map((group) => group.tokens));
  return (
    <section aria-label="Context">
      <h3>Context</h3>
      <p>
        <b>{tokenCount(tokens)}</b> tokens
        {contextWindow !== null && ` of ${tokenCount(contextWindow)} (${percent((100 * tokens) / contextWindow)})`}
        {freeTokens !== null && <span class="hint"> · {tokenCount(freeTokens)} free</span>}
      </p>
      <table class="shares">
        <caption class="unseen">Tokens by kind</caption>
        <tbody>
          {groups.map(({ kind, count, tokens: used }) => (
            <tr key={kind}>
              <th scope="row">
                {visibleLine(kind).replaceAll("_", " ")} <span class="hint">{count}</span>
              </th>
              <td class="bar-cell" aria-hidden="true">
                <meter min={0} max={largest} value={used} />
              </td>
              <td class="count">{tokenCount(used)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {mayPrompt && (
        <button type="button" disabled={isBusy} onClick={() => command("compact")}>
          Summarize older messages now
        </button>
      )}
    </section>
  );
}

function Costs({ costs }: { readonly costs: CommandData<"get_costs"> }): VNode {
  const { total, byModel, byAgent, byRole } = costs;
  return (
    <section aria-label="Cost">
      <h3>Cost</h3>
      <p>
        <b>{dollars(total.cost)}</b>
        <span class="hint"> · {countText(total.answers, "answer")}</span>
        {total.unpriced > 0 && <span class="hint"> · {total.unpriced} of them without a known price</span>}
      </p>
      <CostTable title="By model" rows={byModel} />
      <CostTable title="By agent" rows={byAgent} />
      <CostTable title="Outside the conversation" rows={byRole} />
    </section>
  );
}

interface CostTableProps {
  readonly title: string;
  readonly rows: CommandData<"get_costs">["byModel"];
}

function CostTable({ title, rows }: CostTableProps): VNode | null {
  if (rows.length === 0) return null;
  return (
    <table class="shares">
      <caption>{title}</caption>
      <tbody>
        {rows.map(({ name, cost, answers }) => (
          <tr key={name}>
            <th scope="row">{visibleLine(name)}</th>
            <td class="count">{answers}×</td>
            <td class="count">{dollars(cost)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
