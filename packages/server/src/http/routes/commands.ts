import type { Command } from "@plenary/floor";
import type { ServerContext } from "../../context.ts";
import { personOf } from "../../conversation/new-conversation.ts";
import {
  identificationIn,
  invalidField,
  numberField,
  requiredText,
  requiredUrl,
  textField,
  titleField,
  urlField,
} from "../../routing/fields.ts";

type Fields = Record<string, unknown>;
type CommandParser = (fields: Fields, server: ServerContext) => Command;

/** Commands of owner, operator and people: `POST .../conversations/ID/<verb>`. */
export const verbs = {
  close: (fields) => ({ verb: "close", ...reasonIn(fields) }),
  title: (fields) => {
    const title = fields.title === null ? undefined : titleField(fields);
    return { verb: "title", ...(title !== undefined && { title }) };
  },
  pause: () => ({ verb: "pause" }),
  resume: () => ({ verb: "resume" }),
  /** A conversant, the agent at an address, or no convener. */
  convener: (fields) => {
    assertOnly(fields, ["speakerUri", "serviceUrl"]);
    const speakerUri = fields.speakerUri === null ? undefined : textField(fields, "speakerUri");
    const serviceUrl = urlField(fields, "serviceUrl");
    if (serviceUrl === undefined) return { verb: "convener", ...(speakerUri !== undefined && { speakerUri }) };
    if (fields.speakerUri === undefined) return { verb: "convener", serviceUrl };
    throw invalidField("/serviceUrl", "give a speakerUri or a serviceUrl, not both");
  },
  /** A role other than owner and convener; `assigned: false` removes it. */
  role: (fields) => {
    const isAssigned = fields.assigned ?? true;
    if (typeof isAssigned !== "boolean") throw invalidField("/assigned", "true or false");
    const [role, speakerUri] = [requiredText(fields, "role"), requiredText(fields, "speakerUri")];
    return { verb: "role", role, speakerUri, isAssigned };
  },
  remove: (fields) => ({ verb: "remove", speakerUri: requiredText(fields, "speakerUri"), ...reasonIn(fields) }),
  seat: (fields, server) => {
    const identification = personOf(identificationIn(fields, ""), server.self());
    const kind = textField(fields, "kind") ?? "person";
    if (kind === "person" || kind === "agent") return { verb: "seat", identification, seatKind: kind };
    throw invalidField("/kind", "person or agent");
  },
  /** Changes the trusted address of a speaker. */
  rebind: (fields) => ({
    verb: "rebind",
    speakerUri: requiredText(fields, "speakerUri"),
    serviceUrl: requiredUrl(fields, "serviceUrl"),
  }),
  /** Allows or rejects the new address of an agent. */
  move: (fields) => {
    const speakerUri = requiredText(fields, "speakerUri");
    const { allow } = fields;
    if (typeof allow === "boolean") return { verb: "move", speakerUri, isAllowed: allow };
    throw invalidField("/allow", "true or false");
  },
  /** Shows a conversant the public entries before it joined. */
  reveal: (fields) => ({
    verb: "reveal",
    speakerUri: requiredText(fields, "speakerUri"),
    from: numberField(fields, "from", 1) ?? 1,
  }),
  /** Erases the content of an entry, not the entry. */
  erase: (fields) => {
    const seq = numberField(fields, "seq", 1);
    if (seq !== undefined) return { verb: "erase", seq };
    throw invalidField("/seq", "it is missing");
  },
} as const satisfies Record<string, CommandParser>;

/** An empty object removes the convener, so a misspelt field must not count as absent. */
function assertOnly(fields: Fields, names: readonly string[]): void {
  const stray = Object.keys(fields).find((name) => !names.includes(name));
  if (stray === undefined) return;
  const pointer = `/${stray.slice(0, 100).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  throw invalidField(pointer, `give ${names.join(" or ")}, or {} for no convener`);
}

function reasonIn(fields: Fields) {
  const reason = textField(fields, "reason");
  return reason === undefined ? {} : { reason };
}
