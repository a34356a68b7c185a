// Pictures of messages and results. Their data comes from the session; no address is ever loaded.

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Picture } from "../../state/items.ts";
import { useSession } from "./session-context.ts";

/** Types that browsers draw as pixels: a vector graphic could contain anything. */
const SHOWN = /^image\/(?:png|jpeg|gif|webp)$/;
/** Characters of base64: 15 MB of picture. */
const MOST_DATA = 20 << 20;

export function Pictures({ pictures }: { readonly pictures: readonly Picture[] }): VNode | null {
  if (pictures.length === 0) return null;
  return (
    <div class="pictures">
      {pictures.map((picture, at) => (
        <PictureView key={at} picture={picture} name={pictures.length === 1 ? "Picture" : `Picture ${at + 1}`} />
      ))}
    </div>
  );
}

function PictureView({ picture, name }: { readonly picture: Picture; readonly name: string }): VNode {
  const data = useData(picture);
  const [isLarge, setLarge] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const { mediaType = "" } = picture;
  if (!SHOWN.test(mediaType)) return <span class="attached">{name}, which is not shown here</span>;
  if (data === undefined) return <span class="attached">{name} is loading</span>;
  if (data === "" || data.length > MOST_DATA || isBroken)
    return <span class="attached">{name} cannot be shown here</span>;
  return (
    <button
      type="button"
      class={isLarge ? "picture large" : "picture"}
      aria-label={isLarge ? `Make ${name} small` : `Enlarge ${name}`}
      onClick={() => setLarge(!isLarge)}
    >
      <img src={`data:${mediaType};base64,${data}`} alt={name} onError={() => setBroken(true)} />
    </button>
  );
}

/** "" if the session does not have it; undefined until that is known. */
function useData({ data, place }: Picture): string | undefined {
  const { picturesOf } = useSession();
  const [read, setRead] = useState<string>();
  useEffect(() => {
    if (data !== undefined || place === undefined) return;
    let isGone = false;
    picturesOf(place.entryId)
      .then((media) => media[place.at]?.data ?? "")
      .catch(() => "")
      .then((found) => {
        if (!isGone) setRead(found);
      });
    return () => {
      isGone = true;
    };
  }, [data, place?.entryId, place?.at, picturesOf]);
  return data ?? (place === undefined ? "" : read);
}
