// The calls that a script may make on the sessions of its tab. It is a list of allowed calls, so methods of later
// Chromium versions are refused.

import { isJsonObject, type JsonObject } from "@lathe/llm";

const DOMAINS: Readonly<Record<string, string>> = {
  Accessibility:
    "disable enable getAXNodeAndAncestors getChildAXNodes getFullAXTree getPartialAXTree getRootAXNode queryAXTree",
  CSS: "disable enable getComputedStyleForNode getInlineStylesForNode getMatchedStylesForNode getPlatformFontsForNode",
  DOM: `describeNode disable enable focus getAttributes getBoxModel getContentQuads getDocument getFrameOwner getNodeForLocation
    getOuterHTML performSearch discardSearchResults getSearchResults pushNodesByBackendIdsToFrontend querySelector querySelectorAll
    removeNode requestChildNodes requestNode resolveNode scrollIntoViewIfNeeded setAttributeValue setAttributesAsText setNodeValue
    setOuterHTML`,
  DOMSnapshot: "captureSnapshot disable enable",
  Emulation: `clearDeviceMetricsOverride clearGeolocationOverride setAutoDarkModeOverride setCPUThrottlingRate
    setDefaultBackgroundColorOverride setDeviceMetricsOverride setEmitTouchEventsForMouse setEmulatedMedia
    setEmulatedVisionDeficiency setFocusEmulationEnabled setGeolocationOverride setIdleOverride clearIdleOverride setLocaleOverride
    setScriptExecutionDisabled setTimezoneOverride setTouchEmulationEnabled setUserAgentOverride`,
  Fetch: `continueRequest continueResponse continueWithAuth disable enable failRequest fulfillRequest getResponseBody
    takeResponseBodyAsStream`,
  IO: "close read",
  Input: `cancelDragging dispatchDragEvent dispatchKeyEvent dispatchMouseEvent dispatchTouchEvent imeSetComposition insertText
    setInterceptDrags synthesizePinchGesture synthesizeScrollGesture synthesizeTapGesture`,
  Log: "clear disable enable",
  Network: `disable emulateNetworkConditions enable getCookies getRequestPostData getResponseBody setBlockedURLs
    setBypassServiceWorker setCacheDisabled setExtraHTTPHeaders setUserAgentOverride
    emulateNetworkConditionsByRule overrideNetworkState`,
  Page: `addScriptToEvaluateOnNewDocument bringToFront captureScreenshot captureSnapshot createIsolatedWorld disable enable
    getFrameTree getLayoutMetrics getNavigationHistory getResourceTree handleJavaScriptDialog navigate navigateToHistoryEntry
    printToPDF reload removeScriptToEvaluateOnNewDocument resetNavigationHistory setBypassCSP setDocumentContent
    setLifecycleEventsEnabled stopLoading`,
  Performance: "disable enable getMetrics setTimeDomain",
  Runtime: `addBinding awaitPromise callFunctionOn compileScript disable discardConsoleEntries enable evaluate getProperties
    globalLexicalScopeNames queryObjects releaseObject releaseObjectGroup removeBinding runIfWaitingForDebugger runScript
    terminateExecution`,
};

const ALLOWED: ReadonlySet<string> = new Set(
  Object.entries(DOMAINS).flatMap(([domain, methods]) => methods.split(/\s+/).map((method) => `${domain}.${method}`)),
);

/**
 * Calls that reach the cookies of every site the browser knows: allowed only in a tab that shares its cookies with no
 * other.
 */
const ALONE: ReadonlySet<string> = new Set(["Network.deleteCookies", "Network.setCookie", "Network.setCookies"]);

const SCHEMES = new Set(["http:", "https:", "data:", "blob:"]);
const BLANK = new Set(["about:blank", "about:srcdoc"]);

/** State of a tab that decides which calls are allowed. */
export interface TabScope {
  /** The tab shares its cookies and storage with no other tab. */
  readonly isAlone: boolean;
  /** Streams that the tab's scripts have opened. */
  readonly handles: ReadonlySet<string>;
}

/** Why a call is refused; undefined if it may pass. */
export function refusalOf(method: string, params: JsonObject, { isAlone, handles }: TabScope): string | undefined {
  if (!ALLOWED.has(method) && !(isAlone && ALONE.has(method))) return `${method} is not available to scripts of a tab.`;
  const { url, urls, handle, data } = params;
  if (url !== undefined && !isWebAddress(url)) return `Scripts cannot open ${String(url).slice(0, 200)}.`;
  if (method === "Network.getCookies" && urls !== undefined && !isAlone)
    return "Scripts cannot read cookies in a browser of the user's. Call tab.evaluate(() => document.cookie).";
  if (method.startsWith("IO.") && !(typeof handle === "string" && handles.has(handle)))
    return "Scripts can only read streams that they have opened.";
  // A drag of files would name them by their paths.
  if (method === "Input.dispatchDragEvent" && isJsonObject(data) && data["files"] !== undefined)
    return "Scripts cannot drag files. Name them in `files` and call tab.uploadFile().";
  return undefined;
}

/** Whether this is an address of the web: files, the browser's own pages and `view-source:` are not. */
function isWebAddress(url: unknown): boolean {
  if (typeof url !== "string") return false;
  if (BLANK.has(url)) return true;
  // An address inside the page, such as a cookie's, may be relative to no base: Chromium refuses these itself.
  return URL.canParse(url) && SCHEMES.has(new URL(url).protocol);
}
