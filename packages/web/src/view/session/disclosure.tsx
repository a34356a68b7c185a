// A section that the user can open and close; the choice is kept while the page is open, even if the section scrolls
// out of the list.

import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { useSession } from "./session-context.ts";

interface DisclosureProps {
  /** A name for this part that is unique within the session. */
  readonly name: string;
  readonly isOpen?: boolean;
  readonly title: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Disclosure({ name, isOpen = false, title, class: look, children }: DisclosureProps): VNode {
  const [open, toggle] = useOpened(name, isOpen);
  return (
    <div class={look}>
      <button type="button" class="disclosure" aria-expanded={open} onClick={toggle}>
        {title}
      </button>
      {open && children}
    </div>
  );
}

export function useOpened(name: string, isOpen: boolean): [boolean, () => void] {
  const { opened } = useSession();
  const [open, setOpen] = useState(opened.get(name) ?? isOpen);
  const toggle = (): void => {
    opened.set(name, !open);
    setOpen(!open);
  };
  return [open, toggle];
}
