import { InvalidArgumentError } from "commander";

const uriMax = 2_048;

/** Who somebody is; a name may be anybody's. */
export function speakerUriOf(text: string): string {
  if (/^[a-z][a-z\d+.-]*:[^\s\p{Cc}]+$/iu.test(text) && text.length <= uriMax) return text;
  throw new InvalidArgumentError("A speaker is a URI, such as tag:you.example,2026:me.");
}
