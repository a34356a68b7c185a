// Artifacts without secrets: whole outputs are written to disk in pieces, bypassing other redaction.

import type { ArtifactWriter } from "../../contract/tool.ts";
import type { ArtifactStore } from "../../record/artifacts/store.ts";
import type { Redactor } from "./redactor.ts";

export function redactedArtifacts(store: ArtifactStore, redactor: Redactor): ArtifactStore {
  return {
    open: (name): ArtifactWriter => {
      const writer = store.open(name);
      const bytes = redactor.byteStream();
      return {
        id: writer.id,
        write: (chunk) => writer.write(bytes.push(chunk)),
        close: () => {
          const rest = bytes.flush();
          if (rest.length > 0) writer.write(rest);
          return writer.close();
        },
      };
    },
    read: (id, range) => store.read(id, range),
    ids: () => store.ids(),
  };
}
