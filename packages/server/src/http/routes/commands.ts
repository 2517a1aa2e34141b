import type { Command } from "@plenary/floor";
import type { ServerContext } from "../../context.ts";
import { personOf } from "../../conversation/new-conversation.ts";
import { Problem } from "../../errors.ts";
import {
  identificationIn,
  numberField,
  requiredText,
  requiredUrl,
  textField,
  titleField,
  urlField,
} from "../../routing/fields.ts";

type Fields = Record<string, unknown>;
type CommandParser = (fields: Fields, server: ServerContext) => Command;

/** What owner and operator may do to a conversation, and people to its agents: `POST .../conversations/ID/<verb>`. */
export const verbs = {
  close: (fields) => ({ verb: "close", ...reasonIn(fields) }),
  title: (fields) => {
    const title = fields.title === null ? undefined : titleField(fields);
    return { verb: "title", ...(title !== undefined && { title }) };
  },
  pause: () => ({ verb: "pause" }),
  resume: () => ({ verb: "resume" }),
  /** Somebody who is here, the agent at an address, or nobody any more. */
  convener: (fields) => {
    assertOnly(fields, ["speakerUri", "serviceUrl"]);
    const speakerUri = fields.speakerUri === null ? undefined : textField(fields, "speakerUri");
    const serviceUrl = urlField(fields, "serviceUrl");
    if (serviceUrl === undefined) return { verb: "convener", ...(speakerUri !== undefined && { speakerUri }) };
    if (fields.speakerUri === undefined) return { verb: "convener", serviceUrl };
    const detail = "/serviceUrl: give a speakerUri or a serviceUrl, not both";
    throw new Problem("bad-request", { pointer: "/serviceUrl", detail });
  },
  /** A role beside owner and convener; `assigned: false` takes it away. */
  role: (fields) => {
    const isAssigned = fields.assigned ?? true;
    if (typeof isAssigned !== "boolean") {
      throw new Problem("bad-request", { pointer: "/assigned", detail: "/assigned: true or false" });
    }
    const [role, speakerUri] = [requiredText(fields, "role"), requiredText(fields, "speakerUri")];
    return { verb: "role", role, speakerUri, isAssigned };
  },
  remove: (fields) => ({ verb: "remove", speakerUri: requiredText(fields, "speakerUri"), ...reasonIn(fields) }),
  seat: (fields, server) => {
    const identification = personOf(identificationIn(fields, ""), server.self());
    const kind = textField(fields, "kind") ?? "person";
    if (kind === "person" || kind === "agent") return { verb: "seat", identification, seatKind: kind };
    throw new Problem("bad-request", { pointer: "/kind", detail: "/kind: person or agent" });
  },
  /** Another address is the right one for this speaker from now on. */
  rebind: (fields) => ({
    verb: "rebind",
    speakerUri: requiredText(fields, "speakerUri"),
    serviceUrl: requiredUrl(fields, "serviceUrl"),
  }),
  /** Whether an agent may be known at the address that it answers from. */
  move: (fields) => {
    const speakerUri = requiredText(fields, "speakerUri");
    const { allow } = fields;
    if (typeof allow === "boolean") return { verb: "move", speakerUri, isAllowed: allow };
    throw new Problem("bad-request", { pointer: "/allow", detail: "/allow: true or false" });
  },
  /** A conversant may read what was said to everyone before it came. */
  reveal: (fields) => ({
    verb: "reveal",
    speakerUri: requiredText(fields, "speakerUri"),
    from: numberField(fields, "from", 1) ?? 1,
  }),
  /** What was said in an entry is forgotten; that it was said is not. */
  erase: (fields) => {
    const seq = numberField(fields, "seq", 1);
    if (seq !== undefined) return { verb: "erase", seq };
    throw new Problem("bad-request", { pointer: "/seq", detail: "/seq: it is missing" });
  },
} as const satisfies Record<string, CommandParser>;

/** Where nothing at all means something, a slip of the pen must not mean it. */
function assertOnly(fields: Fields, names: readonly string[]): void {
  const stray = Object.keys(fields).find((name) => !names.includes(name));
  if (stray === undefined) return;
  const pointer = `/${stray.slice(0, 100).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  throw new Problem("bad-request", { pointer, detail: `${pointer}: give ${names.join(" or ")}, or {} for nobody` });
}

function reasonIn(fields: Fields) {
  const reason = textField(fields, "reason");
  return reason === undefined ? {} : { reason };
}
