import { useId, useState } from "react";
import { useOpenConversation } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { Avatar } from "../ui/avatar.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";
import { type InviteByNeedProps, type Match, matchesOf } from "./discovery-matches.ts";
import { type DiscoveryState, useDiscovery } from "./use-discovery.ts";

const needMax = 1_000;

/** Finds agents for a request and invites one together with the request. */
export function InviteByNeed({ onDone, onAddress }: InviteByNeedProps) {
  const { conversation, actions } = useOpenConversation();
  const { isBusy, run } = useAsyncAction("toast");
  const [need, setNeed] = useState("");
  const [isSaid, setSaid] = useState(true);
  const id = useId();
  const search = useDiscovery(need, actions.discover);
  const matches = search.state === "found" ? matchesOf(search.discovered.found, conversation.view) : [];
  async function invite({ identification: { speakerUri, serviceUrl }, hereAs }: Match) {
    const text = need.trim();
    const action = () => {
      if (hereAs !== undefined) return actions.say(text, { to: hereAs });
      return actions.invite(serviceUrl, { speakerUri, ...(isSaid && { request: text }) });
    };
    if (await run(action)) onDone();
  }
  return (
    <>
      <div className="field">
        <label htmlFor={id}>{texts.invite.need}</label>
        <input
          id={id}
          type="search"
          className="input"
          placeholder={texts.invite.needExample}
          autoComplete="off"
          maxLength={needMax}
          value={need}
          aria-describedby={`${id}-hint`}
          onChange={(event) => setNeed(event.target.value)}
        />
        <span className="hint" id={`${id}-hint`}>
          {texts.invite.needHint}
        </span>
      </div>
      <label className="floor-choice">
        <input type="checkbox" checked={isSaid} onChange={(event) => setSaid(event.target.checked)} />
        <span>{texts.invite.alsoAsk}</span>
      </label>
      <p className={search.state === "failed" ? "trouble" : "quiet"} role="status">
        {statusOf(search, matches.length)}
      </p>
      <ol className="bare floor-agents" aria-label={texts.invite.matches}>
        {matches.map((match) => (
          <MatchRow
            key={`${match.identification.speakerUri} ${match.identification.serviceUrl}`}
            match={match}
            isBusy={isBusy}
            isSaid={isSaid}
            onInvite={() => void invite(match)}
          />
        ))}
      </ol>
      {search.state === "found" && matches.length === 0 && (
        <button type="button" className="button" onClick={onAddress}>
          {texts.invite.byAddress}
        </button>
      )}
    </>
  );
}

function statusOf(search: DiscoveryState, count: number): string {
  switch (search.state) {
    case "idle":
      return "";
    case "looking":
      return texts.invite.asking;
    case "failed":
      return search.problem;
    case "found": {
      const silent = search.discovered.asked.filter(({ problem }) => problem !== undefined).length;
      const unanswered = silent === 0 ? "" : texts.invite.unanswered(silent);
      if (count === 0) return `${texts.invite.noneFound(search.wanted)}${unanswered}`;
      return `${texts.invite.agentsFound(count)}${unanswered}`;
    }
  }
}

type RowProps = { match: Match; isBusy: boolean; isSaid: boolean; onInvite: () => void };

function MatchRow({ match, isBusy, isSaid, onInvite }: RowProps) {
  const { identification, name, organization, synopsis, score, why, isDiscovery, hereAs } = match;
  const isHere = hereAs !== undefined;
  return (
    <li className="floor-agent">
      <Avatar speakerUri={identification.speakerUri} identification={identification} kind="agent" />
      <div className="floor-conversant-words">
        <p className="floor-conversant-name">
          <b>{name}</b>
          {organization !== "" && <span className="floor-chip">{organization}</span>}
          {isDiscovery && <span className="floor-chip">{texts.invite.findsOthers}</span>}
        </p>
        {score !== undefined && (
          <p className="floor-match">
            <meter min={0} max={1} value={score} aria-hidden="true" />
            {texts.invite.fits(Math.round(score * 100))}
          </p>
        )}
        {synopsis !== "" && <p className="quiet">{synopsis}</p>}
        {why.length > 0 && <p className="floor-why">{why.join(" · ")}</p>}
      </div>
      <button type="button" className="button small" disabled={isBusy || (isHere && !isSaid)} onClick={onInvite}>
        {isHere ? (isSaid ? texts.invite.ask : texts.invite.alreadyHere) : texts.invite.invite}
        <span className="unseen"> {name}</span>
      </button>
    </li>
  );
}
