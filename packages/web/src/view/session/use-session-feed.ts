// The store of the session on the page, kept up to date as long as the page shows it.

import type { CommandData, CommandName, CommandParams, LatheClient } from "lathe/client";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { createStore, type Store } from "../../base/store.ts";
import { followSession, readOlder, readState, type SessionLink } from "../../live/follow-session.ts";
import { LOADING, reduceSession, type SessionAction, type SessionView } from "../../state/session.ts";
import { addressOf } from "../place.ts";

/** Events often come together, so the state is read once for all of them. */
const STATE_MS = 150;

export interface SessionFeed {
  readonly store: Store<SessionView, SessionAction>;
  readOlder(): void;
  /** For a session that was closed. */
  reopen(): void;
  command<K extends CommandName>(name: K, params?: CommandParams<K>): Promise<CommandData<K>>;
}

export function useSessionFeed(client: LatheClient, id: string): SessionFeed {
  const store = useMemo(() => createStore(reduceSession, LOADING, (run) => requestAnimationFrame(run)), [id]);
  const link = useMemo<SessionLink>(
    () => ({
      client,
      id,
      dispatch: store.dispatch,
      onOtherSession: (other) => location.replace(addressOf(other)),
    }),
    [client, id, store],
  );
  const [opening, setOpening] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    void followSession(link, leaving.signal);
    return () => leaving.abort();
  }, [link, opening]);
  useStateReader(store, link);
  const isReading = useRef(false);
  return useMemo(
    () => ({
      store,
      readOlder: () => {
        const first = store.view.entries[0];
        if (isReading.current || !first || store.view.olderEntries === 0) return;
        isReading.current = true;
        readOlder(link, first.entryId)
          // After a rewind these entries are gone; the page reads the others by itself.
          .catch(() => undefined)
          .finally(() => {
            isReading.current = false;
          });
      },
      reopen: () => setOpening((count) => count + 1),
      command: async (name, params) => {
        const data = await client.command(id, name, params);
        // The command has worked; if the session is gone now, its stream says so.
        await readState(link).catch(() => undefined);
        return data;
      },
    }),
    [store, link],
  );
}

/** Reads the state a little after it may have changed. */
function useStateReader(store: Store<SessionView, SessionAction>, link: SessionLink): void {
  useEffect(() => {
    let known = -1;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = (): void => {
      timer = undefined;
      known = store.view.revision;
      // Without a connection, the next snapshot brings the state.
      readState(link).catch(() => undefined);
    };
    const end = store.subscribe(() => {
      if (store.view.revision === known || store.view.phase !== "open") return;
      timer ??= setTimeout(read, STATE_MS);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [store, link]);
}
