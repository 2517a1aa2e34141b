import { isRecord } from "../../is-record.ts";
import type { Deviation } from "../../repair/shape.ts";

/** A key that has a meaning only in Open Floor. Carried over, it would be taken for what it is not. */
export function later(key: string, isWrong: (value: unknown) => boolean = (value) => value !== undefined): Deviation {
  return {
    rule: "ovon-later-keys",
    key,
    says: "here is one",
    is: (value) => isRecord(value) && Object.hasOwn(value, key) && isWrong(value[key]),
    repair: (value) => {
      const { [key]: _, ...rest } = value as Record<string, unknown>;
      return rest;
    },
  };
}
