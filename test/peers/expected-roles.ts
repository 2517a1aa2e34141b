// Agents that read expectedFloorRoles of an invite: an archivist that accepts the role, and one that takes no role.
import { type Agent, answer, eventsIn, startAgent } from "../support/http-agent.ts";

export function startArchivist(): Promise<Agent> {
  return startAgent((heard, me) => {
    const isInvited = eventsIn(heard).some(({ eventType }) => eventType === "invite");
    return answer(heard, me, ...(isInvited ? [{ eventType: "acceptInvite" }] : []));
  });
}

export function startAgentThatRejectsRoles(): Promise<Agent> {
  return startAgent((heard, me) => {
    const roles = eventsIn(heard).flatMap(({ parameters }) => (parameters?.expectedFloorRoles ?? []) as string[]);
    return answer(heard, me, ...(roles.length > 0 ? [{ eventType: "declineInvite", reason: "@roleRejected" }] : []));
  });
}
