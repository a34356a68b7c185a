// The title of a tab's page, reported by the page itself while it loads. Asking the browser at that moment is slow: it
// is busy showing the page.

import type { CDPSession, Protocol } from "puppeteer-core";

/** An isolated world: the page cannot see what runs in it. */
const WORLD = "lathe";
const TELL = "tellTitle";
const LONGEST = 1000;
/** The `load` listener is added late so that it runs after the page's own listeners. */
const SOURCE = `if (window === window.top) {
  const tell = () => ${TELL}(document.title.slice(0, ${LONGEST}));
  addEventListener("DOMContentLoaded", () => { tell(); addEventListener("load", tell); });
}`;

export class TabTitle {
  #told: string | undefined;

  private constructor() {}

  /** `session`: a session in which page events are enabled. */
  static async watch(session: CDPSession): Promise<TabTitle> {
    const title = new TabTitle();
    session.on("Runtime.bindingCalled", ({ name, payload }: Protocol.Runtime.BindingCalledEvent) => {
      if (name === TELL) title.#told = payload;
    });
    session.on("Page.frameNavigated", ({ frame }: Protocol.Page.FrameNavigatedEvent) => {
      if (frame.parentId === undefined) title.forget();
    });
    await Promise.all([
      // Without this, isolated worlds of later pages do not get the function.
      session.send("Runtime.enable"),
      session.send("Runtime.addBinding", { name: TELL, executionContextName: WORLD }),
      session.send("Page.addScriptToEvaluateOnNewDocument", { source: SOURCE, worldName: WORLD }),
    ]);
    return title;
  }

  /** Undefined if the page has not reported it. */
  get reported(): string | undefined {
    return this.#told;
  }

  forget(): void {
    this.#told = undefined;
  }
}
