// A long text as rows, piece by piece: a reader of its beginning does not wait for its end.

import { MarkdownStream, type RenderContext, type Row } from "@lathe/tui";

const PIECE = 16_384;

export function* textRows(text: string, context: RenderContext): IterableIterator<Row> {
  const stream = new MarkdownStream();
  for (let at = 0; at < text.length; at += PIECE) {
    stream.add(text.slice(at, at + PIECE));
    yield* stream.takeFinished(context);
  }
  stream.end();
  yield* stream.takeFinished(context);
}
