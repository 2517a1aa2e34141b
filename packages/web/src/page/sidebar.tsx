import type { ConversationSummary } from "@plenary/client";
import { useMemo, useState } from "react";
import { usePageServices } from "../state/context.ts";
import type { ListState } from "../state/conversation-list.ts";
import { Parts, texts } from "../texts/texts.ts";
import { agoOf, dateAndTime } from "../texts/times.ts";
import { Brand } from "../ui/brand.tsx";
import { Button, IconButton, TitledIconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";

type Props = {
  list: ListState;
  current: string | undefined;
  me: { speakerUri: string; name?: string };
  onGo: (id: string) => void;
  onRetry: () => void;
};

/** From this number of conversations a search field appears. */
const searchFrom = 6;

export function Sidebar({ list, current, me, onGo, onRetry }: Props) {
  const { mayHost, open } = usePageServices();
  const [query, setQuery] = useState("");
  const { conversations, problem } = list;
  const found = useMemo(() => matching(conversations ?? [], query), [conversations, query]);
  return (
    <nav className="sidebar" aria-label={texts.sidebar.label}>
      <div className="sidebar-head">
        <Brand />
        {mayHost && (
          <button type="button" className="button small" onClick={() => open("new")} title={texts.sidebar.newTitle}>
            <Icon name="add" size={15} /> {texts.sidebar.new}
          </button>
        )}
      </div>
      {(conversations?.length ?? 0) >= searchFrom && (
        <input
          type="search"
          className="input sidebar-search"
          aria-label={texts.sidebar.searchLabel}
          placeholder={texts.sidebar.search}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      )}
      <ul className="bare sidebar-list">
        {found.map((one) => (
          <li key={one.id}>
            <button
              type="button"
              className="sidebar-item"
              aria-current={one.id === current ? "page" : undefined}
              onClick={() => onGo(one.id)}
            >
              <span className="sidebar-title">
                <bdi>{titleOf(one)}</bdi>
              </span>
              <span className="sidebar-time">{one.isClosed ? texts.sidebar.closed : agoOf(one.updatedAt)}</span>
            </button>
          </li>
        ))}
      </ul>
      {conversations === undefined && problem === undefined && <p className="quiet pad">{texts.sidebar.loading}</p>}
      {conversations?.length === 0 && <p className="quiet pad">{texts.sidebar.none}</p>}
      {query !== "" && found.length === 0 && <p className="quiet pad">{texts.sidebar.noMatch(query)}</p>}
      {problem !== undefined && (
        <div className="pad">
          <p className="quiet">{problem}</p>
          <Button look="small" text={texts.common.tryAgain} onClick={onRetry} />
        </div>
      )}
      <div className="sidebar-foot">
        <span className="quiet me" title={me.speakerUri}>
          <Parts of={texts.sidebar.youAre(<strong>{me.name ?? me.speakerUri}</strong>)} />
        </span>
        <IconButton
          icon="help"
          isSmall
          label={texts.sidebar.help}
          title={`${texts.sidebar.help} (?)`}
          onClick={() => open("help")}
        />
        <TitledIconButton icon="settings" isSmall label={texts.sidebar.settings} onClick={() => open("settings")} />
      </div>
    </nav>
  );
}

export function titleOf({ title, startedAt }: Pick<ConversationSummary, "title" | "startedAt">): string {
  if (title !== undefined) return title;
  return texts.sidebar.untitled(dateAndTime(startedAt));
}

function matching(conversations: readonly ConversationSummary[], query: string): readonly ConversationSummary[] {
  const words = query.toLocaleLowerCase().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return conversations;
  return conversations.filter((one) => {
    const title = titleOf(one).toLocaleLowerCase();
    return words.every((word) => title.includes(word));
  });
}
