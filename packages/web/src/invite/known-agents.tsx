import { useId, useState } from "react";
import { HealthStatus } from "../agents/health-status.tsx";
import type { KnownAgent } from "../api/types.ts";
import { useOpenConversation } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { Avatar } from "../ui/avatar.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";
import { type Candidate, candidatesOf } from "./candidates.ts";

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
        <button type="button" className="button" onClick={onAddress}>
          {texts.invite.byAddress}
        </button>
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
      <button type="button" className="button small" disabled={isHere || isBusy} onClick={onInvite}>
        {isHere ? texts.invite.alreadyHere : texts.invite.invite}
        <span className="unseen"> {name}</span>
      </button>
    </li>
  );
}
