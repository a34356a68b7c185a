// A question whose answer is one line of text, or a secret that nobody sees.

import { LinePrompt, type Row, visible, wrap } from "@lathe/tui";
import type { ScreenView } from "../screen-view.ts";
import type { Panel } from "./panel-stack.ts";

export function askPanel(view: ScreenView, question: string, signal?: AbortSignal): Promise<string | undefined> {
  return typedLine(view, { question, isSecret: false }, signal);
}

export function secretPanel(view: ScreenView, question: string): Promise<string | undefined> {
  return typedLine(view, { question, isSecret: true });
}

interface Asked {
  readonly question: string;
  readonly isSecret: boolean;
}

function typedLine(view: ScreenView, { question, isSecret }: Asked, signal?: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const prompt = new LinePrompt({
      bindings: view.bindings,
      isSecret,
      ...(isSecret ? { placeholder: "paste or type it: it is not shown" } : {}),
      onChange: () => view.screen.changed(),
      onSubmit: (text) => close(text),
      onCancel: () => close(undefined),
    });
    const rows = (columns: number): Row[] => wrap([{ text: visible(question), style: { bold: true } }], columns);
    const component: Panel["component"] = {
      hint: "enter sends, esc cancels",
      render: (context) => [...rows(context.columns), ...prompt.render(context)],
      handle: (key) => prompt.handle(key),
      get cursor() {
        const { cursor } = prompt;
        return { row: cursor.row + rows(view.terminal.columns).length, column: cursor.column };
      },
    };
    const panel: Panel = { component, byAgent: false, cancel: () => close(undefined) };
    const close = (text: string | undefined): void => {
      view.panels.close(panel);
      signal?.removeEventListener("abort", giveUp);
      resolve(text);
    };
    const giveUp = (): void => close(undefined);
    signal?.addEventListener("abort", giveUp, { once: true });
    if (signal?.aborted) giveUp();
    else view.panels.open(panel);
  });
}
