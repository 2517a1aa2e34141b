import type { Place } from "../../issue.ts";
import { mend } from "../../mend.ts";
import { type Reader, shapeOf, unusable } from "../../shape.ts";
import type { Decoded, DecodeOptions } from "../dialect.ts";
import { fromOvon } from "./decode.ts";
import { OvonEnvelope } from "./envelope.ts";

/** The content of the `ovon` key -> the neutral model, or `unusable`. */
export function readOvon(
  content: unknown,
  place: Place,
  reader: Reader,
  options: DecodeOptions,
): Decoded | typeof unusable {
  const ovon = mend(shapeOf(OvonEnvelope), content, place, reader);
  // What `mend` returns is of the shape it was given.
  return ovon === unusable ? unusable : fromOvon(ovon as OvonEnvelope, place, reader, options);
}
