import * as Type from "typebox";
import type { Operations } from "../operation.ts";
import { DiscoveryAnswer, DiscoveryNeed, healths, KnownAgent } from "../shapes/agent.ts";
import { Choice, Text, WebUrl } from "../text-shapes.ts";

const closed = { additionalProperties: false };
const optional = Type.Optional;

export const agentOperations = {
  "GET /api/v1/agents": {
    id: "listAgents",
    tag: "agents",
    access: "host",
    summary: "List known agents",
    description: "Connected and hosted ones first: manifest, health, latency, dialect, and broken rules.",
    query: Type.Object({ health: optional(Choice(healths)) }),
    answers: {
      200: {
        description: "`invitedByDefault` lists the addresses for a new conversation.",
        schema: Type.Object({ agents: Type.Array(KnownAgent), invitedByDefault: Type.Array(Type.String()) }),
      },
    },
  },
  "POST /api/v1/agents": {
    id: "addAgent",
    tag: "agents",
    access: "host",
    summary: "Add an agent and request its manifest",
    description: "The agent is stored even if it does not answer.",
    body: Type.Object({ serviceUrl: WebUrl() }, { ...closed, examples: [{ serviceUrl: "https://agent.example/" }] }),
    answers: { 201: { description: "The agent's record.", schema: KnownAgent } },
    problems: ["refused"],
  },
  "DELETE /api/v1/agents": {
    id: "forgetAgent",
    tag: "agents",
    access: "operator",
    summary: "Delete the record of an agent",
    description: "The next exchange with it creates a new one.",
    query: Type.Object({ serviceUrl: Text({ description: "the agent's address" }) }),
    answers: { 204: { description: "Done." } },
    problems: ["not-found"],
  },
  "POST /api/v1/agents/check": {
    id: "checkAgents",
    tag: "agents",
    access: "host",
    summary: "Check one agent, or all known agents",
    description: "By a manifest request, newest dialect first. Takes at most a minute.",
    body: Type.Object(
      { serviceUrl: optional(WebUrl("default: all known agents")) },
      { ...closed, examples: [{ serviceUrl: "https://agent.example/" }] },
    ),
    isBodyOptional: true,
    answers: {
      200: {
        description: "The records after the check.",
        schema: Type.Object({ agents: Type.Array(KnownAgent) }),
      },
    },
    problems: ["refused"],
  },
  "POST /api/v1/discover": {
    id: "discoverAgents",
    tag: "agents",
    access: "host",
    summary: "Find agents for a task",
    description:
      "Queries the discovery agent of this floor and the discovery agents that it recommends. All of them receive the query.",
    body: DiscoveryNeed,
    answers: { 200: { description: "Best first.", schema: DiscoveryAnswer } },
    problems: ["not-found"],
  },
} as const satisfies Operations;
