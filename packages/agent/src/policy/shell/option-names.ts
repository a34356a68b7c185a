// How tables of options name programs and options.

/** The compilers of C and its relatives, also with a target or a version: `arm-none-eabi-gcc-12`. */
export const COMPILER =
  /^(?:[\w.]+-)*(?:gcc|g\+\+|cc|c\+\+|c[89]9|cpp|clang|clang\+\+|clang-cl|gfortran|tcc|icc|icx|nvcc)(?:-[\d.]+)?$/;

/** `--`, and options of their own that begin like a longer one. */
const WHOLE = /^--(?:file|export|exec|test|input)?$/;

/** These long options and their abbreviations, with or without a value. */
export function abbreviated(...names: readonly string[]): Pick<RegExp, "test"> {
  return {
    test(word) {
      const [name = ""] = word.split("=");
      if (!name.startsWith("--") || WHOLE.test(name)) return false;
      return names.some((long) => `--${long}`.startsWith(name));
    },
  };
}
