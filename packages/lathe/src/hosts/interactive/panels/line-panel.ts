// A question whose answer is one line of text, or a secret that is not shown.

import { LinePrompt, type Row, visible, wrap } from "@lathe/tui";
import type { PanelPlace } from "./panel-place.ts";
import type { Panel } from "./panel-stack.ts";

export function askPanel(place: PanelPlace, question: string, signal?: AbortSignal): Promise<string | undefined> {
  return askForLine(place, { question, isSecret: false }, signal);
}

export function secretPanel(place: PanelPlace, question: string): Promise<string | undefined> {
  return askForLine(place, { question, isSecret: true });
}

interface LineQuestion {
  readonly question: string;
  readonly isSecret: boolean;
}

function askForLine(
  place: PanelPlace,
  { question, isSecret }: LineQuestion,
  signal?: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const prompt = new LinePrompt({
      bindings: place.bindings,
      isSecret,
      ...(isSecret ? { placeholder: "paste or type it (hidden)" } : {}),
      onChange: () => place.onChange(),
      onSubmit: (text) => close(text),
      onCancel: () => close(undefined),
    });
    const rows = (columns: number): Row[] => wrap([{ text: visible(question), style: { bold: true } }], columns);
    const component: Panel["component"] = {
      hint: "Enter to send · Esc to cancel",
      render: (context) => [...rows(context.columns), ...prompt.render(context)],
      handle: (key) => prompt.handle(key),
      get cursor() {
        const { cursor } = prompt;
        return { row: cursor.row + rows(place.context().columns).length, column: cursor.column };
      },
    };
    const panel: Panel = { component, byAgent: false, cancel: () => close(undefined) };
    const close = (text: string | undefined): void => {
      place.panels.close(panel);
      signal?.removeEventListener("abort", giveUp);
      resolve(text);
    };
    const giveUp = (): void => close(undefined);
    signal?.addEventListener("abort", giveUp, { once: true });
    if (signal?.aborted) giveUp();
    else place.panels.open(panel);
  });
}
