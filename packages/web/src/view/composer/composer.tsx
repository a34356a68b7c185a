// The input of the page: a prompt, or while the agent works, a message that steers it or is queued.

import type { RefObject, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { SessionView } from "../../state/session.ts";
import { useSession } from "../session/session-context.ts";
import { AttachButton, AttachmentRow, useAttachments } from "./attachments.tsx";
import { CommandList, useCommandList } from "./command-list.tsx";
import { QueueView } from "./queue.tsx";

interface ComposerProps {
  readonly view: SessionView;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly input: RefObject<HTMLTextAreaElement | null>;
}

export function Composer({ view, text, onText, input }: ComposerProps): VNode {
  const { command, announce } = useSession();
  const isSending = useRef(false);
  const attachments = useAttachments();
  const isBusy = view.live.isBusy || view.state?.isStreaming === true;
  const commands = useCommandList(text, (name) => onText(`/${name} `));
  useGrowth(input, text, isBusy);
  const isEmpty = text.trim() === "" && attachments.list.length === 0;

  const send = async (how: "steer" | "follow_up"): Promise<void> => {
    const message = text.trim();
    const { list } = attachments;
    if (isEmpty || isSending.current) return;
    isSending.current = true;
    const images = list.map(({ data, mediaType }) => ({ data, mediaType }));
    const said = images.length === 0 ? { message } : { message, images };
    const sent = await (isBusy ? command(how, said) : command("prompt", said));
    isSending.current = false;
    if (sent) attachments.removeSent(list);
    // A refused message stays in the input, where the user can change it.
    if (sent) onText(input.current?.value === text ? "" : (input.current?.value ?? ""));
    if (sent && isBusy) announce(how === "steer" ? "Sent at the next step." : "Queued.");
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || commands.onKey(event)) return;
    if (event.key === "Escape" && isBusy) void command("abort");
    if (event.key !== "Enter" || event.shiftKey) return;
    // On a phone, Enter starts a new line; there is a button to send.
    if (!(event.ctrlKey || event.metaKey || event.altKey) && matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    void send(event.altKey ? "follow_up" : "steer");
  };

  return (
    <div class={isBusy ? "composer busy" : "composer"}>
      <QueueView queue={view.queue} />
      {view.state?.unfinishedInput === true && !isBusy && <Unfinished />}
      <Activity view={view} />
      <CommandList list={commands} />
      <AttachmentRow attachments={attachments} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send("steer");
        }}
      >
        <label class="unseen" for="message">
          {isBusy ? "Message to steer the work" : "Message"}
        </label>
        <AttachButton attachments={attachments} />
        <textarea
          id="message"
          ref={input}
          rows={1}
          value={text}
          placeholder={isBusy ? "Steer the work" : "Ask for a change, or / for commands"}
          onInput={(event) => onText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onPaste={attachments.onPaste}
          disabled={view.phase !== "open"}
          {...commands.inputProps}
        />
        <Actions
          isBusy={isBusy}
          isEmpty={isEmpty}
          isOpen={view.phase === "open"}
          onStop={() => void command("abort")}
          onQueue={() => void send("follow_up")}
        />
      </form>
    </div>
  );
}

interface ActionsProps {
  readonly isBusy: boolean;
  readonly isEmpty: boolean;
  readonly isOpen: boolean;
  readonly onStop: () => void;
  readonly onQueue: () => void;
}

function Actions({ isBusy, isEmpty, isOpen, onStop, onQueue }: ActionsProps): VNode {
  return (
    <div class="actions">
      {isBusy && (
        <>
          <button type="button" class="stop" title="Esc" onClick={onStop}>
            Stop
          </button>
          <button type="button" disabled={isEmpty} title="Alt+Enter" onClick={onQueue}>
            Queue
          </button>
        </>
      )}
      <button type="submit" class="primary" disabled={isEmpty || !isOpen}>
        {isBusy ? "Steer" : "Send"}
      </button>
    </div>
  );
}

function Unfinished(): VNode {
  const { command } = useSession();
  return (
    <div class="notice">
      <span>The last request was interrupted.</span>
      <button type="button" class="primary" onClick={() => command("continue")}>
        Continue
      </button>
    </div>
  );
}

/** The current activity on one line; empty if there is none. */
function Activity({ view: { live, questions } }: { readonly view: SessionView }): VNode | null {
  if (!live.isBusy) return null;
  return (
    <p class="activity">
      <span class="pulse" aria-hidden="true" />
      {questions.length > 0 ? "Waiting for your answer" : (live.activity ?? "Working")}
    </p>
  );
}

/** As high as its text, up to a third of the window. */
function useGrowth(input: RefObject<HTMLTextAreaElement | null>, text: string, isBusy: boolean): void {
  useEffect(() => {
    const area = input.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, globalThis.innerHeight / 3)}px`;
  }, [input, text, isBusy]);
}
