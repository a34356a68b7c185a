// Pictures for the next message: pasted, dropped anywhere on the page, or chosen.

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type GivenPicture, MOST_BYTES_TOGETHER, MOST_PICTURES, readPicture } from "../../base/read-picture.ts";
import { useSession } from "../session/session-context.ts";

export interface Attachments {
  readonly list: readonly GivenPicture[];
  add(files: readonly File[]): void;
  remove(picture: GivenPicture): void;
  /** Removes the pictures that were sent; others added meanwhile stay. */
  removeSent(list: readonly GivenPicture[]): void;
  /** Takes the pasted content if it contains files. */
  onPaste(event: ClipboardEvent): void;
}

export function useAttachments(): Attachments {
  const { report, announce } = useSession();
  const [list, setList] = useState<readonly GivenPicture[]>([]);
  const add = async (files: readonly File[]): Promise<void> => {
    for (const file of files) {
      try {
        const picture = await readPicture(file);
        setList((before) => withOne(before, picture, report));
        announce(`${picture.name} is attached.`);
      } catch (error) {
        report(error);
      }
    }
  };
  useDrop((files) => void add(files));
  return {
    list,
    add: (files) => void add(files),
    remove: (picture) => setList((before) => before.filter((one) => one !== picture)),
    removeSent: (sent) => setList((before) => before.filter((one) => !sent.includes(one))),
    onPaste: (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      void add(files);
    },
  };
}

function withOne(
  before: readonly GivenPicture[],
  picture: GivenPicture,
  report: (error: unknown) => void,
): readonly GivenPicture[] {
  const bytes = [...before, picture].reduce((sum, { data }) => sum + (data.length * 3) / 4, 0);
  if (before.length < MOST_PICTURES && bytes <= MOST_BYTES_TOGETHER) return [...before, picture];
  report(new Error(`${picture.name} is too much for one message: 8 pictures, 15 MB together. Send it with the next.`));
  return before;
}

/** Otherwise the browser would leave the page and open the dropped file. */
function useDrop(take: (files: readonly File[]) => void): void {
  const taking = useRef(take);
  taking.current = take;
  useEffect(() => {
    const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") === true;
    const onDragOver = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };
    const onDrop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      taking.current([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener("dragover", onDragOver);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("dragover", onDragOver);
      removeEventListener("drop", onDrop);
    };
  }, []);
}

export function AttachmentRow({ attachments: { list, remove } }: { readonly attachments: Attachments }): VNode | null {
  if (list.length === 0) return null;
  return (
    <ul class="attachments" aria-label="Attached pictures">
      {list.map((picture) => (
        <li key={picture.data}>
          <img src={`data:${picture.mediaType};base64,${picture.data}`} alt={picture.name} />
          <button type="button" aria-label={`Remove ${picture.name}`} onClick={() => remove(picture)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}

export function AttachButton({ attachments }: { readonly attachments: Attachments }): VNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          attachments.add([...(currentTarget.files ?? [])]);
          // Allows choosing the same file again after it was removed.
          currentTarget.value = "";
        }}
      />
      <button
        type="button"
        class="quiet attach"
        aria-label="Attach pictures"
        title="Attach pictures"
        onClick={() => input.current?.click()}
      >
        +
      </button>
    </>
  );
}
