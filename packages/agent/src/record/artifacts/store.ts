// Full outputs that do not fit into a result, numbered per session; a session and its children share one sequence.

import type { ArtifactRef, ArtifactWriter } from "../../contract/tool.ts";

/** Stores output that is too long for a result, by number; the model reads it as `artifact://<number>`. */
export interface ArtifactStore {
  /** Assigns the next number. `name` is the tool that writes. */
  open(name: string): ArtifactWriter;
  /** Undefined if there is no such artifact. `end` is exclusive. */
  read(id: number, range?: { start: number; end: number }): Promise<Uint8Array | undefined>;
  ids(): Promise<readonly number[]>;
}

/** For sessions without a file. Keeps at most `limit` bytes of each artifact and counts the rest. */
export class MemoryArtifacts implements ArtifactStore {
  readonly #artifacts: Uint8Array[][] = [];
  readonly #limit: number;

  constructor(limit = 32 << 20) {
    this.#limit = limit;
  }

  open(_name: string): ArtifactWriter {
    const chunks: Uint8Array[] = [];
    const id = this.#artifacts.push(chunks) - 1;
    let bytes = 0;
    return {
      id,
      write: (chunk) => {
        const room = this.#limit - bytes;
        if (room > 0) chunks.push(chunk.slice(0, room));
        bytes += chunk.length;
      },
      close: async (): Promise<ArtifactRef> => ({ id, bytes }),
    };
  }

  async read(id: number, range?: { start: number; end: number }): Promise<Uint8Array | undefined> {
    const chunks = this.#artifacts[id];
    if (!chunks) return undefined;
    const whole = Buffer.concat(chunks);
    return new Uint8Array(range ? whole.subarray(range.start, range.end) : whole);
  }

  async ids(): Promise<readonly number[]> {
    return this.#artifacts.map((_, id) => id);
  }
}
