// The library of the parsers, initialised once per process: two initialisations at the same time leave parsers whose
// memory belongs to the other one.

let loading: Promise<typeof import("web-tree-sitter")> | undefined;

/** Rejects if the library is not installed. A failure is not kept: the next caller tries again. */
export async function loadTreeSitter(): Promise<typeof import("web-tree-sitter")> {
  loading ??= load();
  try {
    return await loading;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

async function load(): Promise<typeof import("web-tree-sitter")> {
  const library = await import("web-tree-sitter");
  await library.Parser.init();
  return library;
}
