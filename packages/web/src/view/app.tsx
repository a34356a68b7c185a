// The whole page: who is signed in, and which view is shown.

import type { LatheClient } from "lathe/client";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { problemOf } from "../base/problem.ts";
import type { Me } from "./me.ts";
import { addressOf, type Place, placeOf } from "./place.ts";
import { SessionPage } from "./session/session-page.tsx";
import { SessionList } from "./sessions/session-list.tsx";
import { SignIn } from "./sign-in.tsx";

export function App({ client }: { readonly client: LatheClient }): VNode {
  const [place, setPlace] = useState<Place>(() => takePlace());
  const [me, setMe] = useState<Me | "unknown" | undefined>();
  const [problem, setProblem] = useState<string>();

  useEffect(() => {
    const follow = (): void => setPlace(takePlace());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);

  const enter = async (code?: string): Promise<void> => {
    try {
      setProblem(undefined);
      if (code !== undefined) await client.signIn(code);
      setMe(await client.me());
      setPlace(placeOf(location.hash));
    } catch (error) {
      setMe("unknown");
      setProblem(code === undefined && isNotSignedIn(error) ? undefined : problemOf(error));
    }
  };
  const code = place.view === "sign-in" ? place.code : undefined;
  useEffect(() => void enter(code), [code]);

  if (me === undefined) return <p class="splash">Connecting…</p>;
  if (me === "unknown") return <SignIn problem={problem} onCode={enter} />;
  const signOut = async (): Promise<void> => {
    await client.signOut();
    location.hash = addressOf();
    setMe("unknown");
  };
  return place.view === "session" ? (
    <SessionPage key={place.id} client={client} id={place.id} me={me} />
  ) : (
    <SessionList client={client} me={me} onSignOut={signOut} />
  );
}

/** Removes a code from the address at once, so that it does not stay in the history. */
function takePlace(): Place {
  const place = placeOf(location.hash);
  if (place.view === "sign-in") history.replaceState(null, "", location.pathname);
  return place;
}

const isNotSignedIn = (error: unknown): boolean => (error as { status?: unknown }).status === 401;
