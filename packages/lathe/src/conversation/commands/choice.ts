// Lets the user choose from a list. Hosts that can draw show a searchable list; the others print numbered lines and ask
// for a number.

import type { Choice, CommandView } from "./command-view.ts";

/** Undefined: the user chose nothing. */
export async function chooseFrom<T>(
  view: Pick<CommandView, "line" | "ask" | "choose">,
  choice: Choice<T>,
): Promise<T | undefined> {
  if (view.choose) return view.choose(choice);
  const { title, items } = choice;
  for (const [i, { label, detail, disabled }] of items.entries()) {
    const rest = [detail, disabled].filter((text) => text !== undefined && text !== "").join("  ");
    view.line(`${String(i + 1).padStart(2)}  ${label}${rest === "" ? "" : `  ${rest}`}`);
  }
  for (;;) {
    const said = (await view.ask(`${title} [1-${items.length}, Enter for none]: `))?.trim() ?? "";
    const item = items[Number(said) - 1];
    if (item?.disabled === undefined) return item?.value;
    view.line(`${item.label}: ${item.disabled}.`, "yellow");
  }
}
