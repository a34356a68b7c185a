import { isJsonObject, type JsonObject } from "@lathe/llm";
import { choice, object, type StaticFields, text } from "@lathe/llm/schema";
import type { PendingAction, PendingActionService } from "../../../contract/pending-actions.ts";
import { PlanChanged, type ToolContext, type ToolDef, ToolFailure, type ToolResult } from "../../../contract/tool.ts";
import { editCard } from "../../../files/edit/card.ts";
import { verbOf } from "../card.ts";
import description from "./description.md";

const params = {
  action: choice(["apply", "discard"], "What to do with the pending action"),
  reason: text("Why, in one sentence"),
};

export const RESOLVE = "resolve";

export const resolveTool = (pending: PendingActionService): ToolDef<StaticFields<typeof params>> => ({
  name: RESOLVE,
  label: "Resolve",
  description: description.trim(),
  schema: object(params),
  // Applying does what the preview only showed, so it needs the tier of the pending action.
  tier: ({ action }) => (action === "apply" ? (pending.next ? (pending.next.tier ?? "exec") : "read") : "read"),
  access: ({ action }, scope) => (action === "apply" && pending.next ? pending.next.access?.(scope) : []),
  replay: "never",
  exclusive: true,
  summary: ({ action }) => [action, pending.next?.label ?? ""].join(" ").trim(),
  card: ({ action }, result) => ({
    // Applied changes to files are shown like any edit.
    ...(result && result.changes.length > 0 ? editCard("", result) : {}),
    verb: verbOf(
      action === "apply" ? ["Applying", "Applied", "Apply"] : ["Discarding", "Discarded", "Discard"],
      result,
    ),
    subject: typeof result?.details["label"] === "string" ? result.details["label"] : (pending.next?.label ?? ""),
  }),
  async preview({ action }, scope) {
    const { next } = pending;
    const own = action === "apply" ? await next?.preview?.(scope) : undefined;
    const text = `${action}: ${next?.label ?? "nothing is pending"}`;
    // The changes bring their own headings, one for each file.
    const lines = own ? [{ text }, ...own.lines] : [{ text, kind: "heading" as const }];
    return { lines, shows: ["action"], plan: own?.plan };
  },
  async execute({ action, reason }, context) {
    const taken = pending.take();
    if (!taken) throw new ToolFailure("No pending action to resolve. Nothing to apply or discard.");
    const { label, sourceToolName, details: more } = taken;
    const details = { action, reason, label, sourceToolName, ...(more === undefined ? {} : { action_details: more }) };
    if (action === "discard") {
      const said = (await taken.reject?.(reason)) ?? `Discarded: ${label}. Reason: ${reason}`;
      return { content: [{ kind: "text", text: said }], details, effects: "none" };
    }
    const applied = await applyTaken(pending, taken, reason, context);
    const result = typeof applied === "string" ? { content: [{ kind: "text" as const, text: applied }] } : applied;
    return { effects: "done", ...result, details: { ...detailsOf(result), ...details } };
  },
});

const detailsOf = ({ details }: Pick<ToolResult, "details">): JsonObject => (isJsonObject(details) ? details : {});

async function applyTaken(
  pending: PendingActionService,
  taken: PendingAction,
  reason: string,
  context: ToolContext,
): Promise<ToolResult | string> {
  try {
    return await taken.apply(reason, context);
  } catch (error) {
    // The call will be planned and approved again, and must then find the action.
    if (error instanceof PlanChanged) pending.putBack(taken);
    throw error;
  }
}
