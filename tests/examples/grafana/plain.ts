/** A type as JSON writes it: members of enums by their values. */
export type Plain<T> = T extends string
  ? `${T}`
  : T extends number | boolean | null | undefined
    ? T
    : T extends readonly (infer Item)[]
      ? Plain<Item>[]
      : T extends object
        ? { [Key in keyof T]: Plain<T[Key]> }
        : T;

/** Any part of it, as overrides of single fields have. */
export type Part<T> = T extends readonly unknown[] ? T : T extends object ? { [Key in keyof T]?: Part<T[Key]> } : T;
