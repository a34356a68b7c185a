// Brings the screen and the conversation together: what happens in a session becomes rows, and the keys get their meaning.

import { type RenderContext, type Row, row, rowOf, shorten } from "@lathe/tui";
import type { OpenSession } from "../../conversation/open-session.ts";
import type { Controller } from "./controller.ts";
import { InputEndings } from "./input-endings.ts";
import { Keyboard } from "./keyboard.ts";
import type { Host } from "./run.ts";
import type { ConversationRows, ScreenView } from "./screen-view.ts";
import { running } from "./transcript/numbers.ts";
import { Transcript } from "./transcript/transcript.ts";

/** `problems`: lines to show when the conversation is there. */
export function screenHost(view: ScreenView, problems: readonly string[]): Host {
  const { deps } = view.machine;
  const model = (): string => {
    const { profile } = view.controller?.conversation.session ?? {};
    return profile ? `${profile.provider ?? profile.id}/${profile.model}` : "";
  };
  const transcript = new Transcript({
    thinking: "folded",
    expanded: false,
    now: deps.now,
    model,
    onChange: () => view.screen.changed(),
  });
  const rows = new HostRows(view, transcript);
  view.conversationRows = rows;
  view.watch = (open) => void follow(open, transcript, rows);
  view.onSent = (text) => {
    const { controller } = view;
    if (controller?.commands.parse(text.trimEnd())) view.line(`${view.colours.symbols.prompt} ${text}`, "dim");
    else if (!controller?.isBusy) transcript.user(text);
  };
  return {
    view,
    open: (controller) => {
      view.keys = new Keyboard(view);
      for (const problem of problems) view.line(problem, "yellow");
      view.open(controller);
    },
  };
}

async function follow({ session, journal }: OpenSession, transcript: Transcript, rows: HostRows): Promise<void> {
  const endings = new InputEndings(journal.path !== undefined);
  for await (const event of session.events()) {
    if (!endings.covers(event)) transcript.event(event);
    const ending = endings.after(event);
    if (ending !== undefined) transcript.note(ending, "error");
    rows.tick();
  }
}

const TICK_MS = 1_000;

/** The transcript, what is going on, and the line below the composer. */
class HostRows implements ConversationRows {
  readonly #view: ScreenView;
  readonly #transcript: Transcript;
  #ticking: { cancel(): void } | undefined;

  constructor(view: ScreenView, transcript: Transcript) {
    this.#view = view;
    this.#transcript = transcript;
  }

  finished(context: RenderContext): readonly Row[] {
    return this.#transcript.finished(context);
  }

  render(context: RenderContext): readonly Row[] {
    return [...this.#transcript.render(context), ...this.#activity(context)];
  }

  status({ columns }: RenderContext): readonly Row[] {
    const { controller } = this.#view;
    return controller ? [row(shorten(statusText(controller), columns), { color: "dim" })] : [];
  }

  /** Running times move on, as long as there are any. */
  tick(): void {
    if (this.#ticking || !this.#transcript.ticks) return;
    this.#ticking = this.#view.machine.deps.setTimer(() => {
      this.#ticking = undefined;
      this.#view.screen.changed();
      this.tick();
    }, TICK_MS);
  }

  #activity({ columns, symbols, now }: RenderContext): readonly Row[] {
    const { activity } = this.#transcript;
    if (!activity) return [];
    const seconds = Math.floor((now - activity.since) / 1000);
    const frame = symbols.spinner[seconds % symbols.spinner.length] ?? "";
    const end = `  ${running(now - activity.since)} · esc stops`;
    return [
      row(""),
      rowOf(
        { text: `${frame} `, style: { color: "accent" } },
        { text: shorten(activity.text, Math.max(1, columns - end.length - 2)) },
        { text: end, style: { color: "dim" } },
      ),
    ];
  }
}

function statusText({ conversation }: Controller): string {
  const { model, session, permissions, workspace } = conversation;
  const effort = session.config.reasoningEffort;
  return [`${model.provider}/${model.id}${effort ? `:${effort}` : ""}`, permissions.mode, workspace.cwd].join("  ");
}
