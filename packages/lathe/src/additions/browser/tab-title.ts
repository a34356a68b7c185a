// The title of a tab's page, as the page itself tells it while it is loaded. To be asked for it, the browser takes its time just then: it
// is busy with showing the page.

import type { CDPSession, Protocol } from "puppeteer-core";

/** The page does not see what runs in this world. */
const WORLD = "lathe";
const TELL = "tellTitle";
const LONGEST = 1000;
/** The second time comes after the page's own handlers of the event, as they were there before. */
const SOURCE = `if (window === window.top) {
  const tell = () => ${TELL}(document.title.slice(0, ${LONGEST}));
  addEventListener("DOMContentLoaded", () => { tell(); addEventListener("load", tell); });
}`;

export class TabTitle {
  #told: string | undefined;

  private constructor() {}

  /** `session`: one in which events of the page are enabled. */
  static async watch(session: CDPSession): Promise<TabTitle> {
    const title = new TabTitle();
    session.on("Runtime.bindingCalled", ({ name, payload }: Protocol.Runtime.BindingCalledEvent) => {
      if (name === TELL) title.#told = payload;
    });
    session.on("Page.frameNavigated", ({ frame }: Protocol.Page.FrameNavigatedEvent) => {
      if (frame.parentId === undefined) title.forget();
    });
    await Promise.all([
      // Without it, worlds of later pages do not get the function.
      session.send("Runtime.enable"),
      session.send("Runtime.addBinding", { name: TELL, executionContextName: WORLD }),
      session.send("Page.addScriptToEvaluateOnNewDocument", { source: SOURCE, worldName: WORLD }),
    ]);
    return title;
  }

  /** Undefined: the page has not told it. */
  get told(): string | undefined {
    return this.#told;
  }

  forget(): void {
    this.#told = undefined;
  }
}
