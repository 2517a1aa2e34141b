import type { ConversationView, KnownAgent } from "@plenary/client";
import { nameOf } from "@plenary/transcript";
import { useId, useState } from "react";
import { HealthStatus } from "../agents/known-agents.tsx";
import { useOpenConversation } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";

type Props = { agents: readonly KnownAgent[] | undefined; onDone: () => void; onAddress: () => void };

export function InviteKnownAgents({ agents, onDone, onAddress }: Props) {
  const { conversation, actions } = useOpenConversation();
  const { isBusy, run } = useAsyncAction("toast");
  const [query, setQuery] = useState("");
  const id = useId();
  if (agents === undefined) return <p className="quiet">{texts.agents.loading}</p>;
  if (agents.length === 0) {
    return (
      <div className="floor-nothing">
        <p>{texts.invite.noAgents}</p>
        <Button text={texts.invite.byAddress} onClick={onAddress} />
      </div>
    );
  }
  const found = candidatesOf(agents, conversation.view, query);
  async function invite({ serviceUrl }: Candidate) {
    if (await run(() => actions.invite(serviceUrl))) onDone();
  }
  return (
    <>
      <div className="field">
        <label htmlFor={id}>{texts.invite.search}</label>
        <input
          id={id}
          type="search"
          className="input"
          placeholder={texts.invite.searchHint}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      </div>
      <p className="unseen" role="status">
        {texts.invite.found(found.length)}
      </p>
      <ul className="bare floor-agents">
        {found.map((candidate) => (
          <AgentRow
            key={candidate.serviceUrl}
            candidate={candidate}
            isBusy={isBusy}
            onInvite={() => void invite(candidate)}
          />
        ))}
      </ul>
      {found.length === 0 && <p className="quiet">{texts.invite.noMatch(query)}</p>}
    </>
  );
}

type RowProps = { candidate: Candidate; isBusy: boolean; onInvite: () => void };

function AgentRow({ candidate, isBusy, onInvite }: RowProps) {
  const { agent, name, synopsis, serviceUrl, isHere } = candidate;
  const identification = agent.manifest?.identification;
  const speakerUri = identification?.speakerUri ?? serviceUrl;
  return (
    <li className="floor-agent">
      <Avatar speakerUri={speakerUri} identification={identification} kind="agent" />
      <div className="floor-conversant-words">
        <p className="floor-conversant-name">
          <b>{name}</b>
          {agent.isHosted && <span className="floor-chip">{texts.invite.hosted}</span>}
          {agent.isConnected && <span className="floor-chip">{texts.invite.connected}</span>}
        </p>
        <p className="quiet">{synopsis === "" ? serviceUrl : synopsis}</p>
        <HealthStatus agent={agent} />
      </div>
      <Button
        look="small"
        text={isHere ? texts.invite.alreadyHere : texts.invite.invite}
        unseen={name}
        disabled={isHere || isBusy}
        onClick={onInvite}
      />
    </li>
  );
}

type Candidate = { serviceUrl: string; name: string; synopsis: string; isHere: boolean; agent: KnownAgent };

/**
 * Agents whose name, address or synopsis contains all words. Hosted and connected ones first, then those that answer,
 * conveners last.
 */
export function candidatesOf(agents: readonly KnownAgent[], view: ConversationView, query: string): Candidate[] {
  const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
  const here = new Set(
    view.conversants.flatMap(({ identification: { speakerUri, serviceUrl } }) => [speakerUri, serviceUrl]),
  );
  const candidates = agents.map((agent) => {
    const { serviceUrl, manifest } = agent;
    const identification = manifest?.identification;
    const speakerUri = identification?.speakerUri ?? serviceUrl;
    const isHere = here.has(serviceUrl) || here.has(speakerUri);
    return {
      serviceUrl,
      agent,
      isHere,
      name: identification ? nameOf(speakerUri, identification) : hostOf(serviceUrl),
      synopsis: identification?.synopsis ?? "",
    };
  });
  const found = candidates.filter(({ name, synopsis, serviceUrl }) => {
    const text = `${name} ${synopsis} ${serviceUrl}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return found.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/** Name for an agent without a manifest. */
function hostOf(serviceUrl: string): string {
  return URL.canParse(serviceUrl) ? new URL(serviceUrl).host : serviceUrl;
}

/** Conveners are rarely invited as speakers. */
function rank({ agent }: Candidate): number {
  if (agent.manifest?.identification.openFloorRoles?.convener === true) return 4;
  return (agent.isHosted || agent.isConnected ? 0 : 2) + (agent.health === "answering" ? 0 : 1);
}
