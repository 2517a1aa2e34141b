import { FloorProblem } from "./problem.ts";

/** Mistakes in the arguments of a call that TypeScript would find: a program in JavaScript learns them at the call. */
function wrongArgument(expected: string, value: unknown, fix: string): FloorProblem {
  const given = typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : String(value);
  return new FloorProblem({
    status: 400,
    title: "Invalid argument",
    detail: `expected ${expected}, got ${given}`,
    fix,
  });
}

export function assertText(text: unknown): void {
  if (typeof text === "string" && text !== "") return;
  throw wrongArgument("the text of an utterance", text, "give a text that is not empty");
}

/** Without an addressee, a whisper would be public, and an uninvite would have no target. */
export function assertSpeakerUri(name: string, speakerUri: unknown): void {
  if (typeof speakerUri === "string" && speakerUri !== "") return;
  const fix = "give the speakerUri of one conversant: `view()` lists them";
  throw wrongArgument(`a speakerUri for \`${name}\``, speakerUri, fix);
}

/** The speaker of a client; a name is not enough. */
export function assertOwnUri(speakerUri: unknown): void {
  if (speakerUri === undefined || (typeof speakerUri === "string" && /^[a-z][a-z\d+.-]*:\S+$/iu.test(speakerUri)))
    return;
  throw wrongArgument("a speakerUri for `speaker`", speakerUri, "write a URI, such as tag:ann.example,2026:ann");
}

/** A sequence number of the log; `words` are allowed too. */
export function assertPosition(name: string, position: unknown, words: readonly string[] = []): void {
  if (position === undefined || words.includes(position as string)) return;
  if (Number.isSafeInteger(position) && (position as number) >= 0) return;
  const also = words.map((word) => `, or "${word}"`).join("");
  throw wrongArgument(`a position in the log for \`${name}\``, position, `give a sequence number${also}`);
}

export function assertConversationId(id: unknown): void {
  if (typeof id === "string" && id !== "") return;
  const fix = "give the `id` of one that `conversations()` lists";
  throw wrongArgument("the id of a conversation", id, fix);
}

export function assertFloorUrl(url: unknown): void {
  if (typeof url === "string" && /^https?:\/\/[^\s/]/iu.test(url) && URL.canParse(url)) return;
  const fix = "write `url` as the floor printed it, such as http://127.0.0.1:7536";
  throw wrongArgument("the address of the floor", url, fix);
}

export function assertAgentAddress(address: unknown): void {
  if (typeof address === "string" && (address.startsWith("/") || URL.canParse(address))) return;
  const fix = "write a URL, or /agents/NAME for an agent of this floor";
  throw wrongArgument("the address of an agent", address, fix);
}

/** `GET /api/v1/me`, with all parts of the path. */
export function assertOperation(operation: unknown, params: Readonly<Record<string, string>>): void {
  if (typeof operation !== "string" || !/^[A-Z]+ \//u.test(operation)) {
    const fix = 'name it by method and path, such as "GET /api/v1/me": /docs/api lists them';
    throw wrongArgument("an operation", operation, fix);
  }
  for (const [, name = ""] of operation.matchAll(/:(\w+)/gu)) {
    if (typeof params[name] === "string" && params[name] !== "") continue;
    throw wrongArgument(
      `the parameter ${name} of ${operation}`,
      params[name],
      `give it in \`params\`: { ${name}: "..." }`,
    );
  }
}
