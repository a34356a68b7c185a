// Rows in a full-screen viewer: to scroll, search and copy.

import { type Row, Viewer } from "@lathe/tui";
import type { ScreenView } from "../screen-view.ts";

export function openViewer(view: ScreenView, title: string, body: (columns: number) => Iterable<Row>): void {
  const viewer = new Viewer(title, body, { close: () => view.closeFullScreen(), copy: (text) => view.copy(text) });
  view.openFullScreen(viewer);
}
