// A change to a file: lines with numbers, and marks on the changed words.

import { type DiffLine, type FileDiff, type MarkedText, parseUnified, visible, wordMarks } from "@lathe/tui/text";
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";

interface DiffViewProps {
  /** Hunks of a unified diff. */
  readonly diff: string;
  /** Most lines to draw. */
  readonly most?: number;
}

const MOST_LINES = 2_000;

export function DiffView({ diff, most = MOST_LINES }: DiffViewProps): VNode {
  const files = useMemo(() => parseUnified(visible(diff)), [diff]);
  if (files.every(({ hunks }) => hunks.length === 0)) return <pre>{visible(diff)}</pre>;
  const rows = files.flatMap((file) => rowsOf(file, files.length > 1));
  return (
    <div class="diff">
      <table>
        <tbody>{rows.slice(0, most)}</tbody>
      </table>
      {rows.length > most && <p class="hint">{rows.length - most} more lines</p>}
    </div>
  );
}

function rowsOf(file: FileDiff, isNamed: boolean): VNode[] {
  const name = (
    <tr key={file.path} class="file">
      <td colSpan={3}>{file.path}</td>
    </tr>
  );
  const rows = file.hunks.flatMap((hunk, n) => {
    const marks = wordMarks(hunk);
    const gap = (
      <tr key={`${file.path} ${n}`} class="gap">
        <td colSpan={3}>⋯</td>
      </tr>
    );
    const lines = hunk.map((line, at) => <Line key={`${file.path} ${n} ${at}`} line={line} parts={marks.get(line)} />);
    return n === 0 ? lines : [gap, ...lines];
  });
  return isNamed ? [name, ...rows] : rows;
}

const SIGNS = { added: "+", removed: "-", context: " " } as const;

interface LineProps {
  readonly line: DiffLine;
  readonly parts: readonly MarkedText[] | undefined;
}

function Line({ line: { kind, number, text }, parts }: LineProps): VNode {
  const Mark = kind === "added" ? "ins" : "del";
  return (
    <tr class={kind}>
      <td class="number">{number}</td>
      <td class="sign">{SIGNS[kind]}</td>
      <td class="text">
        {parts
          ? parts.map((part, at) =>
              part.isMarked ? <Mark key={at}>{part.text}</Mark> : <span key={at}>{part.text}</span>,
            )
          : text}
      </td>
    </tr>
  );
}
