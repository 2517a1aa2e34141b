import { Problem } from "../errors.ts";

const idMax = 256;

// A URL parser resolves such a segment, so that the path of the conversation would lead to another one.
const dotSegment = /(?:^|[/\\])\.\.?(?:$|[/\\])/u;

/** Of a conversation that is to begin; those of before keep their ids. `pointer`: where it stands in the request. */
export function assertConversationId(id: string, pointer: string): void {
  const fault = faultIn(id);
  if (fault === undefined) return;
  const fix = `choose an id of 1 to ${idMax} characters, such as a UUID`;
  throw new Problem("bad-request", { detail: `the id of a conversation ${fault}`, pointer, fix });
}

function faultIn(id: string): string | undefined {
  if (id.length > idMax) return `has at most ${idMax} characters, and this one ${id.length}`;
  if (/\p{Cc}/u.test(id)) return "has no control characters";
  return dotSegment.test(id) ? 'has no segment "." or ".."' : undefined;
}
