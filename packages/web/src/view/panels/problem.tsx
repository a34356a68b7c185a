// Why a panel is empty.

import type { VNode } from "preact";

export function Problem({ text }: { readonly text: string | undefined }): VNode | null {
  if (text === undefined) return null;
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}
