import type { ConversationView, Discovery as DiscoveryResult, FoundAgent } from "@plenary/client";
import type { Identification } from "@plenary/protocol";
import { nameOf } from "@plenary/transcript";
import { useEffect, useId, useState } from "react";
import { errorText } from "../api/floor.ts";
import { useOpenConversation } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";

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
      {search.state === "found" && matches.length === 0 && <Button text={texts.invite.byAddress} onClick={onAddress} />}
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
      <Button
        look="small"
        text={isHere ? (isSaid ? texts.invite.ask : texts.invite.alreadyHere) : texts.invite.invite}
        unseen={name}
        disabled={isBusy || (isHere && !isSaid)}
        onClick={onInvite}
      />
    </li>
  );
}

/** `wanted` is the text that was searched. */
type DiscoveryState =
  | { state: "idle" }
  | { state: "looking" }
  | { state: "found"; wanted: string; discovered: DiscoveryResult }
  | { state: "failed"; problem: string };

/** Typing pause before a search starts. */
const restMs = 400;
const lettersMin = 3;

/** Searches when typing pauses. Answers to an outdated text are dropped. */
function useDiscovery(typed: string, discover: (text: string) => Promise<DiscoveryResult>): DiscoveryState {
  const [search, setSearch] = useState<DiscoveryState>({ state: "idle" });
  const wanted = typed.trim();
  useEffect(() => {
    if (wanted.length < lettersMin) {
      setSearch({ state: "idle" });
      return undefined;
    }
    let isWanted = true;
    setSearch({ state: "looking" });
    const timer = setTimeout(() => {
      discover(wanted).then(
        (discovered) => isWanted && setSearch({ state: "found", wanted, discovered }),
        (problem: unknown) => isWanted && setSearch({ state: "failed", problem: errorText(problem) }),
      );
    }, restMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [wanted, discover]);
  return search;
}

export type InviteByNeedProps = { onDone: () => void; onAddress: () => void };

/** A recommended agent, prepared for display. */
type Match = {
  identification: Identification;
  name: string;
  organization: string;
  synopsis: string;
  /** 0 to 1; undefined when the recommender gave none. */
  score: number | undefined;
  /** Reasons of the recommendation. */
  why: readonly string[];
  isDiscovery: boolean;
  /** Its speakerUri if it is here already. */
  hereAs: string | undefined;
};

const nameMax = 80;
const synopsisMax = 240;
const whyMax = 160;

/** Keeps the server's order, best first. Texts are cut because other parties wrote them. */
export function matchesOf(found: readonly FoundAgent[], view: ConversationView): Match[] {
  const here = new Map(
    view.conversants.flatMap(({ identification: { speakerUri, serviceUrl } }) => [
      [serviceUrl, speakerUri],
      [speakerUri, speakerUri],
    ]),
  );
  return found.map((one) => {
    const { identification } = one.manifest;
    const { speakerUri, serviceUrl, organization, synopsis } = identification;
    return {
      identification,
      name: short(nameOf(speakerUri, identification), nameMax),
      organization: short(organization, nameMax),
      synopsis: short(synopsis, synopsisMax),
      score: one.score,
      why: whyOf(one),
      isDiscovery: one.kind === "discovery",
      hereAs: here.get(speakerUri) ?? here.get(serviceUrl),
    };
  });
}

function whyOf({ reasons = {} }: FoundAgent): string[] {
  const { words = [], language, layers = [], health, via, isUnverified } = reasons;
  const parts = [
    isUnverified ? texts.invite.unverified : "",
    words.length > 0 ? texts.invite.matchesWords(words.join(", ")) : "",
    language === undefined ? "" : texts.invite.knowsLanguage(language),
    layers.length > 0 ? texts.invite.hasLayers(layers.join(", ")) : "",
    health === undefined ? "" : texts.agents.health[health],
    via === undefined ? "" : texts.invite.recommendedBy(via),
  ];
  return parts.filter((part) => part !== "").map((part) => short(part, whyMax));
}

function short(text: string, max: number): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length > max ? `${line.slice(0, max).trimEnd()}…` : line;
}
