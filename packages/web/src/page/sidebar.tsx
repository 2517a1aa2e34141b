import { useMemo, useState } from "react";
import type { ConversationSummary } from "../api/types.ts";
import type { ListState } from "../state/conversation-list.ts";
import { agoOf } from "../transcript/times.ts";
import { Brand } from "../ui/brand.tsx";
import { Icon } from "../ui/icon.tsx";

type Props = {
  list: ListState;
  current: string | undefined;
  me: { speakerUri: string; name?: string };
  isGuest: boolean;
  onGo: (id: string) => void;
  onNew: () => void;
  onSettings: () => void;
  onHelp: () => void;
  onRetry: () => void;
};

/** From this number of conversations a search field appears. */
const searchFrom = 6;

export function Sidebar({ list, current, me, isGuest, onGo, onNew, onSettings, onHelp, onRetry }: Props) {
  const [query, setQuery] = useState("");
  const { conversations, problem } = list;
  const found = useMemo(() => matching(conversations ?? [], query), [conversations, query]);
  return (
    <nav className="sidebar" aria-label="Conversations">
      <div className="sidebar-head">
        <Brand />
        {!isGuest && (
          <button type="button" className="button small" onClick={onNew} title="New conversation (N)">
            <Icon name="add" size={15} /> New
          </button>
        )}
      </div>
      {(conversations?.length ?? 0) >= searchFrom && (
        <input
          type="search"
          className="input sidebar-search"
          aria-label="Search conversations"
          placeholder="Search"
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
              <span className="sidebar-time">{one.isClosed ? "closed" : agoOf(one.updatedAt)}</span>
            </button>
          </li>
        ))}
      </ul>
      {conversations === undefined && problem === undefined && (
        <p className="quiet pad">Looking for conversations ...</p>
      )}
      {conversations?.length === 0 && <p className="quiet pad">No conversations yet.</p>}
      {query !== "" && found.length === 0 && <p className="quiet pad">Nothing is called “{query}”.</p>}
      {problem !== undefined && (
        <div className="pad">
          <p className="quiet">{problem}</p>
          <button type="button" className="button small" onClick={onRetry}>
            Try again
          </button>
        </div>
      )}
      <div className="sidebar-foot">
        <span className="quiet me" title={me.speakerUri}>
          You are <strong>{me.name ?? me.speakerUri}</strong>
        </span>
        <button
          type="button"
          className="button plain small icon"
          aria-label="Help and keys"
          title="Help and keys (?)"
          onClick={onHelp}
        >
          <Icon name="help" />
        </button>
        <button
          type="button"
          className="button plain small icon"
          aria-label="Settings"
          title="Settings"
          onClick={onSettings}
        >
          <Icon name="settings" />
        </button>
      </div>
    </nav>
  );
}

export function titleOf({ title, startedAt }: Pick<ConversationSummary, "title" | "startedAt">): string {
  if (title !== undefined) return title;
  const date = new Date(startedAt);
  const day = Number.isNaN(date.getTime())
    ? ""
    : date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  return `Conversation of ${day}`;
}

function matching(conversations: readonly ConversationSummary[], query: string): readonly ConversationSummary[] {
  const words = query
    .toLocaleLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  if (words.length === 0) return conversations;
  return conversations.filter((one) => {
    const title = titleOf(one).toLocaleLowerCase();
    return words.every((word) => title.includes(word));
  });
}
