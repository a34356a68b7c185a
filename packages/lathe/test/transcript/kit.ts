// A real session over a scripted model, its events shown by a transcript: what a user would have in the scrollback, and
// below it.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type CreateSessionOptions, createSession, type Session, type SessionEvent } from "@lathe/agent";
import { defaultDeps } from "@lathe/llm";
import { type ModelServer, type Script, startModelServer } from "@lathe/testkit";
import { type RenderContext, type Row, rowText, rowWidth, SYMBOL_SETS, TOKENS } from "@lathe/tui";
import { expect } from "vitest";
import { Transcript, type TranscriptOptions } from "../../src/hosts/interactive/transcript/transcript.ts";

export const contextOf = (columns: number, rows = 40): RenderContext => ({
  columns,
  rows,
  symbols: SYMBOL_SETS.unicode,
  now: 0,
});

const COLOURS: ReadonlySet<unknown> = new Set([...TOKENS, undefined]);

/** Rows as text, checked to fit, to use only colours of the theme, and not to move the cursor. */
export function grid(rows: readonly Row[], columns: number): string {
  for (const row of rows) {
    expect(rowWidth(row), rowText(row)).toBeLessThanOrEqual(columns);
    expect(rowText(row)).not.toMatch(/[\p{Cc}]/u);
    for (const { style } of row.spans) expect(COLOURS, String(style?.color)).toContain(style?.color);
  }
  return rows.map((row) => rowText(row).trimEnd()).join("\n");
}

export interface World {
  readonly dir: string;
  readonly session: Session;
  readonly server: ModelServer;
  readonly events: SessionEvent[];
  close(): Promise<void>;
}

/** Files by name, in their own git repository. */
export async function world(
  script: Script,
  files: Readonly<Record<string, string>> = {},
  options: Partial<CreateSessionOptions> = {},
): Promise<World> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "lathe-cards-")));
  execFileSync("git", ["init", "-q"], { cwd: dir });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  const server = await startModelServer({ script });
  let time = Date.UTC(2026, 0, 1);
  // The same agent names each time, since their length decides what else fits on a line.
  let seed = 1;
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const deps = { ...defaultDeps({ env: {} }), now: () => time++, random };
  const session = await createSession({
    model: "anthropic/claude-opus-4-6",
    apiKey: "k",
    baseUrl: server.baseUrl("anthropic"),
    cwd: dir,
    deps,
    ...options,
  } as CreateSessionOptions);
  const events: SessionEvent[] = [];
  const reader = session.events();
  const done = (async () => {
    for await (const event of reader) events.push(event);
  })();
  return {
    dir,
    session,
    server,
    events,
    async close() {
      await session.close();
      await done;
      await server.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export class Shown {
  readonly transcript: Transcript;
  readonly context: RenderContext;
  readonly committed: Row[] = [];
  now = 0;

  constructor(columns: number, options: Partial<TranscriptOptions> = {}, rows = 40) {
    this.context = contextOf(columns, rows);
    this.transcript = new Transcript({
      thinking: "folded",
      expanded: false,
      now: () => this.now,
      onChange: () => {},
      model: () => "anthropic/claude-opus-4-6",
      ...options,
    });
  }

  play(...events: readonly SessionEvent[]): this {
    for (const event of events) {
      this.now = Math.max(this.now, event.timestamp);
      this.transcript.event(event);
      this.commit();
    }
    return this;
  }

  commit(): void {
    this.committed.push(...this.transcript.takeFinished(this.context));
  }

  get scrollback(): string {
    return grid(this.committed, this.context.columns);
  }
  /** Without the blank row that separates it from the scrollback. */
  get live(): string {
    return grid(this.transcript.render(this.context), this.context.columns).replace(/^\n/, "");
  }
}
