import type { RouteBody } from "@plenary/api";
import type { Command } from "@plenary/floor";
import type { FloorContext } from "../../context.ts";
import { personOf } from "../../conversation/new-conversation.ts";
import { identificationOf, invalidField, normalUrl } from "../../routing/fields.ts";

type Verb = Exclude<Command["verb"], "open" | "identify">;

/** Commands of owner, operator and people: `POST .../conversations/ID/<verb>`. */
type Verbs = {
  [Name in Verb]: (fields: RouteBody<`POST /api/v1/conversations/:id/${Name}`>, server: FloorContext) => Command;
};

export const verbs: Verbs = {
  close: (fields) => ({ verb: "close", ...fields }),
  title: ({ title }) => ({ verb: "title", ...(typeof title === "string" && { title: title.trim() }) }),
  pause: () => ({ verb: "pause" }),
  resume: () => ({ verb: "resume" }),
  /** A conversant, the agent at an address, or no convener. */
  convener: ({ speakerUri, serviceUrl }) => {
    if (serviceUrl === undefined) return { verb: "convener", ...(typeof speakerUri === "string" && { speakerUri }) };
    if (speakerUri === undefined) return { verb: "convener", serviceUrl: normalUrl(serviceUrl) };
    throw invalidField("/serviceUrl", "give a speakerUri or a serviceUrl, not both");
  },
  /** A role other than owner and convener. */
  role: ({ role, speakerUri, assigned = true }) => ({ verb: "role", role, speakerUri, isAssigned: assigned }),
  remove: (fields) => ({ verb: "remove", ...fields }),
  seat: ({ identification, kind = "person" }, server) => ({
    verb: "seat",
    identification: personOf(identificationOf(identification), server.self),
    seatKind: kind,
  }),
  /** Changes the trusted address of a speaker. */
  rebind: ({ speakerUri, serviceUrl }) => ({ verb: "rebind", speakerUri, serviceUrl: normalUrl(serviceUrl) }),
  /** Allows or rejects the new address of an agent. */
  move: ({ speakerUri, allow }) => ({ verb: "move", speakerUri, isAllowed: allow }),
  /** Shows a conversant the public entries before it joined. */
  reveal: ({ speakerUri, from = 1 }) => ({ verb: "reveal", speakerUri, from }),
  /** Erases the content of an entry, not the entry. */
  erase: ({ seq }) => ({ verb: "erase", seq }),
};
