// Queued messages. The user can take them back into the composer, or drop them.

import { visible } from "@lathe/tui/text";
import type { VNode } from "preact";
import type { Queue } from "../../state/session.ts";
import { shorten } from "../../text/shorten.ts";
import { useSession } from "../session/session-context.ts";

const LONGEST = 300;

export function QueueView({ queue: { steering, followUp } }: { readonly queue: Queue }): VNode | null {
  if (steering.length + followUp.length === 0) return null;
  return (
    <section class="queue" aria-label="Queued messages">
      {steering.length > 0 && <Waiting title="Sent at the next step" rows={steering} />}
      {followUp.length > 0 && <Waiting title="Sent when the work is done" rows={followUp} />}
    </section>
  );
}

function Waiting({ title, rows }: { readonly title: string; readonly rows: Queue["steering"] }): VNode {
  const { command, fillDraft } = useSession();
  const takeBack = async (messageId: string, text: string): Promise<void> => {
    const dropped = await command("cancel_queued", { messageId });
    if (dropped?.data.cancelled) fillDraft(text);
  };
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {rows.map(({ messageId, text, attachments, source }) => (
          <li key={messageId}>
            <span class="said">
              {shorten(visible(text), LONGEST)}
              {attachments > 0 && (
                <span class="hint"> {attachments === 1 ? "1 picture" : `${attachments} pictures`}</span>
              )}
            </span>
            {/* Its pictures would be lost. */}
            {attachments === 0 && (source === undefined || source.kind === "user") && (
              <button type="button" class="quiet" onClick={() => takeBack(messageId, text)}>
                Edit
              </button>
            )}
            <button
              type="button"
              class="quiet"
              aria-label="Remove from the queue"
              onClick={() => command("cancel_queued", { messageId })}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
