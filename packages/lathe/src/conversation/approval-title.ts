// The question about a call in plain words: what it would do, and to what. The preview below it shows the rest.

import { visibleLine } from "@lathe/agent/base";
import { shownPath } from "../platform/home/shown-path.ts";
import type { ApprovalQuestion } from "./approvals.ts";

export interface ApprovalTitle {
  readonly text: string;
  /** The preview line that the text already covers. */
  readonly covers?: ApprovalQuestion["preview"][number];
  /** The hosts that the text names. */
  readonly hosts?: ReadonlySet<string>;
}

export function approvalTitle(question: ApprovalQuestion, userHome: string): ApprovalTitle {
  const { text, ...named } = titleOf(question, userHome);
  const whose = question.agentId === undefined ? "" : `Agent ${question.agentId} asks: `;
  return { text: `${whose}${visibleLine(text)}`, ...named };
}

const MOST_SUMMARY = 100;

/**
 * For hosts that also show the question without its preview, in a notice or a list: this text names the command as
 * well.
 */
export function approvalHeadline(question: ApprovalQuestion): string {
  const { text, covers, hosts } = titleOf(question, "");
  const isNamed = hosts !== undefined || (covers !== undefined && covers.kind !== "note");
  const summary = visibleLine(question.summary);
  const short = summary.length > MOST_SUMMARY ? `${summary.slice(0, MOST_SUMMARY)}…` : summary;
  const isCommand = question.access?.some(({ kind }) => kind === "exec") === true;
  const headline = isNamed || summary === "" ? text : `${isCommand ? "Run" : `Allow ${question.label}:`} ${short}?`;
  const whose = question.agentId === undefined ? "" : `Agent ${question.agentId} asks: `;
  return `${whose}${visibleLine(headline)}`;
}

function titleOf({ tool_name: tool, access = [], preview, tier }: ApprovalQuestion, userHome: string): ApprovalTitle {
  const asked = preview.find(({ kind }) => kind === "question");
  if (asked) return { text: `${asked.text}?`, covers: asked };
  const run = access.find((one) => one.kind === "exec");
  if (run) {
    const folder = preview.find(({ kind, text }) => kind === "note" && text === `in ${run.cwd}`);
    return folder
      ? { text: `Run this command in ${shownPath(run.cwd, userHome)}?`, covers: folder }
      : { text: "Run this command?" };
  }
  const changes = tier === "write" ? preview.filter(({ kind }) => kind === "heading") : [];
  const [only] = changes;
  if (only && changes.length === 1) return { text: `${capitalize(only.text)}?`, covers: only };
  if (changes.length > 1) return { text: `Make these changes to ${changes.length} files?` };
  const hosts = new Set(access.flatMap((one) => (one.kind === "network" ? one.host : [])));
  if (hosts.size > 0) return { text: `Connect to ${[...hosts].join(", ")}?`, hosts };
  return { text: `Allow this ${tool} call?` };
}

const capitalize = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
