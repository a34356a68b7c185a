// Steering that comes with the last words of an answer finds no further request to go with. It is the next input then, instead of
// waiting for one that the person may never make.

import type { InputContent, Session } from "@lathe/agent";

export async function submitWithLate(session: Session, content: InputContent): Promise<void> {
  await session.submit(content);
  while (session.state === "idle" && wasCompleted(session)) {
    const [late] = session.queued("steering");
    if (!late) return;
    session.cancelQueued(late.id);
    await session.submit(late.content);
  }
}

function wasCompleted({ journal: { input } }: Session): boolean {
  return input?.state === "end" && input.reason === "completed";
}
