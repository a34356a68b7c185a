// Rows of the composer: the editor between two rules, and queued messages above it.

import type { InputContent } from "@lathe/agent";
import { textOf } from "@lathe/llm";
import { type Editor, EMPTY_ROW, type RenderContext, type Row, row, rowOf, shorten, visibleLine } from "@lathe/tui";
import type { Queue } from "./controller.ts";
import { type Placed, ruleRow } from "./live-layout.ts";

const MOST_QUEUED = 4;

/** The role's colour marks the rules, so that the user sees the permission mode while typing. */
export function composerRows(editor: Editor, context: RenderContext, role: string): Placed {
  const rule = ruleRow(context, role);
  const lines = editor.render(context);
  const { cursor, vimMode = "insert", searchedFor } = editor;
  return {
    rows: [rule, ...lines, vimMode === "insert" ? rule : modeRule(searchedFor ?? vimMode, context, role)],
    cursor: cursor && { row: cursor.row + 1, column: cursor.column },
  };
}

/** In vim's other modes keys are not text, so the rule shows the mode. */
function modeRule(said: string, { symbols, columns }: RenderContext, role: string): Row {
  const rule = symbols.ruleHorizontal;
  const mode = visibleLine(said).slice(0, Math.max(0, columns - 4));
  return rowOf(
    { text: rule.repeat(2), style: { color: role } },
    { text: ` ${mode} `, style: { color: "accent" } },
    { text: rule.repeat(Math.max(0, columns - mode.length - 4)), style: { color: role } },
  );
}

/** When idle, nothing sends queued messages by itself. */
export function queueRows({ steering, followUps, isIdle }: Queue, context: RenderContext, keys: QueueKeys): Row[] {
  if (isIdle)
    return queuedRows(
      "Queued earlier, sent with your next message",
      [...steering, ...followUps],
      context,
      `${keys.edit} to edit`,
    );
  return [
    ...queuedRows("Sent at the next step", steering, context, `${keys.edit} to edit, ${keys.now} to stop and send now`),
    ...queuedRows("Sent when the work is done", followUps, context, `${keys.edit} to edit`),
  ];
}

export interface QueueKeys {
  readonly edit: string;
  readonly now: string;
}

function queuedRows(
  title: string,
  messages: Queue["steering"],
  { columns, symbols }: RenderContext,
  keys: string,
): Row[] {
  if (messages.length === 0) return [];
  const shown = messages
    .slice(0, MOST_QUEUED)
    .map(({ content }) =>
      rowOf(
        { text: `  ${symbols.treeLast} `, style: { color: "dim" } },
        { text: shorten(visibleLine(wordsOf(content)), Math.max(1, columns - 6)), style: { color: "muted" } },
      ),
    );
  const more = messages.length - shown.length;
  const head = shorten(`${title}${more > 0 ? ` (${more} more)` : ""}: ${keys}`, columns);
  return [EMPTY_ROW, row(head, { color: "dim" }), ...shown];
}

const wordsOf = (content: InputContent): string =>
  typeof content === "string" ? content : textOf({ role: "user", content: [...content] });
