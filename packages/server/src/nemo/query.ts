import { isWebUrl } from "@plenary/api";
import type { HeaderReader } from "../auth/origin-check.ts";
import { cookieIn } from "../auth/session-cookie.ts";
import { Problem } from "../errors.ts";
import type { ClientFeatures } from "./participant.ts";

/** The query of a NeMo client. Unknown parameters are ignored, as the toolkit does. */
export type NemoQuery = {
  /** A secret of the client that identifies the guest. */
  session?: string;
  /** The conversation to resume. */
  conversationId?: string;
  /** Agents to invite into new conversations. */
  agents?: readonly string[];
  profile: "stock" | "page";
  /** For credentials with several speakers. */
  speaker?: string;
  ticket?: string;
  clientFeatures: ClientFeatures;
};

const sessionForm = /^[A-Za-z0-9\-_.~]{1,512}$/u;
const conversationIdMax = 500;
const agentsMax = 16;
const urlMax = 2_048;

/** The session cookies of the toolkit's web client and of its server. */
const stockCookie = "nemo-agent-toolkit-session";
const natCookie = "nat-session";

export function readNemoQuery(query: URLSearchParams, headers: HeaderReader): NemoQuery {
  const session = query.get("session") ?? cookieIn(headers, natCookie) ?? cookieIn(headers, stockCookie);
  if (session !== undefined && !sessionForm.test(session)) {
    const detail = "`session` is made of letters, digits and - _ . ~, at most 512 of them";
    throw new Problem("forbidden", { detail, fix: "leave it out, or make it anew" });
  }
  const conversationId = query.get("conversation_id") ?? "";
  const isKnown = conversationId !== "" && conversationId.length <= conversationIdMax;
  const agents = agentsIn(query.get("agents"));
  const [speaker, ticket] = [query.get("speaker"), query.get("ticket")];
  return {
    ...(session !== undefined && { session }),
    ...(isKnown && { conversationId }),
    ...(agents && { agents }),
    profile: query.get("profile") === "page" ? "page" : "stock",
    ...(speaker !== null && { speaker }),
    ...(ticket !== null && { ticket }),
    clientFeatures: { hasAllPrompts: cookieIn(headers, stockCookie) === undefined },
  };
}

function agentsIn(given: string | null): string[] | undefined {
  const agents = (given ?? "")
    .split(",")
    .map((url) => url.trim())
    .filter((url) => url !== "");
  if (agents.length === 0) return undefined;
  const isUrl = (url: string) => url.length <= urlMax && isWebUrl(url);
  if (agents.length <= agentsMax && agents.every(isUrl)) return [...new Set(agents)];
  const detail = `\`agents\` are at most ${agentsMax} serviceUrls, each an http or https URL, with commas between them`;
  throw new Problem("bad-request", {
    detail,
    fix: "for example ?agents=https://agent.example/,https://other.example/",
  });
}
