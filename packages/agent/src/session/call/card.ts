// Builds the card of a call: from its tool, or as plain text if the tool has none or its card fails.

import { isJsonObject, type JsonObject, type ToolCallData } from "@lathe/llm";
import type { Card, CardBody, CardResult } from "../../contract/card.ts";
import type { ResultFacts } from "../../contract/journal.ts";
import type { ToolDef } from "../../contract/tool.ts";
import { withoutWebMark } from "../../files/web/mark-text.ts";
import { placeholdersIn } from "../../policy/redact/redactor.ts";
import { withoutArtifactNotice } from "../../record/artifacts/notice.ts";
import { summaryOf } from "./preview.ts";

const PLAIN_LINES = 5;

export interface ShownCall {
  readonly call: Pick<ToolCallData, "name">;
  /** Absent if no tool of this name is offered. */
  readonly tool: ToolDef | undefined;
  readonly args: JsonObject;
  readonly summary: string;
}

export function cardOf(shown: ShownCall, result?: CardResult): Card {
  const card = withSecretCount(ownCard(shown, result) ?? plainCard(shown, result), result?.text);
  // A failed call must show why it failed.
  return result?.isError && card.body === undefined ? { ...card, body: outputBody(result.text) } : card;
}

/** The card of a journalled call; `entry` holds the result, if there is one. */
export function pastCard(tool: ToolDef | undefined, call: ToolCallData, entry: ResultFacts | undefined): Card {
  const args = argumentsOf(call);
  const summary = entry?.summary ?? summaryOf(tool, args);
  return cardOf({ call, tool, args, summary }, entry && cardResult(entry));
}

/** The arguments as an object. Tools that take only a text get it as `input`. */
export function argumentsOf(call: ToolCallData): JsonObject {
  if (typeof call.arguments === "string") return { input: call.arguments };
  return call.rawArguments === undefined ? call.arguments : { ...call.arguments };
}

/** Reads the card's result from the journal entry of the call's result. */
export function cardResult({ message, details, changes = [], fromWeb }: ResultFacts): CardResult {
  const result = message.content.find((part) => part.kind === "tool_result")?.toolResult;
  const content = result?.content ?? "";
  const plain = typeof content === "string" && fromWeb ? withoutWebMark(content) : String(content);
  return {
    text: typeof content === "string" ? withoutArtifactNotice(plain) : JSON.stringify(content),
    isError: result?.isError ?? false,
    details: isJsonObject(details) ? details : {},
    changes,
  };
}

/** Tells the user that secrets were removed, and how many. */
function withSecretCount(card: Card, text = ""): Card {
  const count = placeholdersIn(text);
  if (count === 0) return card;
  const said = `${count} secret ${count === 1 ? "value" : "values"} replaced`;
  return { ...card, outcome: card.outcome === undefined ? said : `${card.outcome}, ${said}` };
}

/** Tools of hosts and extensions may not be type-checked, and the arguments may not fit. */
function ownCard({ tool, args }: ShownCall, result: CardResult | undefined): Card | undefined {
  try {
    const card = tool?.card?.(args, result);
    return typeof card?.verb === "string" && typeof card.subject === "string" ? card : undefined;
  } catch {
    return undefined; // the plain card shows the call's own arguments
  }
}

function plainCard({ call, tool, summary }: ShownCall, result: CardResult | undefined): Card {
  const headline = { verb: tool?.label ?? call.name, subject: summary };
  if (!result) return { ...headline, body: { ...outputBody(""), keeps: "tail" } };
  return { ...headline, ...(result.text.trim() === "" ? {} : { body: outputBody(result.text) }) };
}

const outputBody = (text: string): CardBody & { kind: "output" } => ({
  kind: "output",
  text,
  keeps: "head",
  collapsed: PLAIN_LINES,
});
