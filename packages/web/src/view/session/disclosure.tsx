// Something that can be opened and closed; what a person chose stays while the page is open, wherever the list scrolls.

import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { useSession } from "./session-context.ts";

interface DisclosureProps {
  /** Of this part, in all of the session. */
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
