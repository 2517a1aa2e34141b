// Person or agent: no version of the protocol has a field for it, so it follows from the list of conversants and from what
// each speaker has done.
import { type Conversation, isSameUri } from "@plenary/protocol";

/**
 * unknown: nothing shows what it is. It is treated as a person, because a person who gets no answer is worse off than an
 * agent that gets one; only loops are bounded.
 */
export type SpeakerKind = "person" | "agent" | "unknown";

/** What else is known about the speakers of this conversation. */
export type Evidence = {
  hasActedAsAgent(speakerUri: string, serviceUrl?: string): boolean;
  /** The sender of the invite. */
  inviter: string | undefined;
};

const noEvidence: Evidence = { hasActedAsAgent: () => false, inviter: undefined };

type Identification = NonNullable<Conversation["conversants"]>[number]["identification"];

export function speakerKind(
  speakerUri: string,
  { conversants = [], assignedFloorRoles = {} }: Conversation,
  evidence: Evidence = noEvidence,
): SpeakerKind {
  const { inviter } = evidence;
  const identifications = conversants.map(({ identification }) => identification);
  const listed = identifications.find((one) => isSameUri(one.speakerUri, speakerUri));
  if (listed !== undefined && identifications.some(isMarkedAsPerson))
    return isMarkedAsPerson(listed) ? "person" : "agent";
  const hasAgentRole = agentRoles.some((role) => includes(assignedFloorRoles[role], speakerUri));
  if (hasAgentRole || evidence.hasActedAsAgent(speakerUri, listed?.serviceUrl)) return "agent";
  if (Object.values(listed?.openFloorRoles ?? {}).includes(true)) return "agent";
  for (const host of [...(assignedFloorRoles.owner ?? []), ...(inviter === undefined ? [] : [inviter])]) {
    if (isSameUri(host, speakerUri)) return "person";
    // Where the owner or the inviter is listed without a synopsis, people have none.
    const isBlank = identifications.some((one) => isSameUri(one.speakerUri, host) && one.synopsis.trim() === "");
    if (isBlank && listed !== undefined && listed.synopsis.trim() !== "") return "agent";
  }
  return "unknown";
}

/** A speaker that is not known to be an agent is a person. */
export function isPerson(speakerUri: string, conversation: Conversation, evidence?: Evidence): boolean {
  return speakerKind(speakerUri, conversation, evidence) !== "agent";
}

/** The user of the official samples has the role "User"; "Customer Service" is an agent's. */
const personRole = /^(?:(?:end|human)[ -]?)?(?:user|person|human|customer|guest|visitor)(?:[ -]?proxy)?$/iu;

function isMarkedAsPerson({ role = "" }: Identification): boolean {
  return personRole.test(role.trim());
}

const agentRoles: readonly string[] = ["convener", "archivist", "discovery"];

function includes(speakerUris: readonly string[] = [], speakerUri: string): boolean {
  return speakerUris.some((one) => isSameUri(one, speakerUri));
}
