import { exportFormats, exportKinds } from "@plenary/transcript";
import { errorText } from "../api/client.ts";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import type { Connection } from "../state/types.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";

type Props = { onMenu: () => void; onPanel: () => void; isPanelOpen: boolean };

const facesMax = 5;

export function ConversationHead({ onMenu, onPanel, isPanelOpen }: Props) {
  const { conversation } = useOpenConversation();
  const { open } = usePageServices();
  const { view, connection } = conversation;
  return (
    <header className="conversation-head">
      <button type="button" className="button plain icon menu-button" aria-label="Conversations" onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <h1 className="title">
        <bdi>{view.title ?? "Conversation"}</bdi>
      </h1>
      <Status connection={connection} isClosed={view.isClosed} />
      <span className="spring" />
      <Faces />
      <button
        type="button"
        className="button plain icon"
        aria-label="Search in this conversation"
        title="Search in this conversation (F)"
        onClick={() => open("search")}
      >
        <Icon name="search" />
      </button>
      <button
        type="button"
        className="button plain icon"
        aria-label="Invite"
        title="Invite (I)"
        onClick={() => open("invite")}
      >
        <Icon name="add" />
      </button>
      <button
        type="button"
        className="button plain icon panel-button"
        aria-label="Who is here"
        aria-expanded={isPanelOpen}
        onClick={onPanel}
      >
        <Icon name="people" />
      </button>
      <ConversationMenu />
    </header>
  );
}

function Faces() {
  const { conversation } = useOpenConversation();
  const { conversants } = conversation.view;
  return (
    <span className="faces" aria-hidden="true">
      {conversants.slice(0, facesMax).map(({ identification, kind, hasFloor }) => (
        <Avatar
          key={identification.speakerUri}
          speakerUri={identification.speakerUri}
          identification={identification}
          kind={kind}
          hasFloor={hasFloor}
          isSmall
        />
      ))}
      {conversants.length > facesMax && <span className="quiet">+{conversants.length - facesMax}</span>}
    </span>
  );
}

const states: Record<Connection, string> = {
  loading: "Connecting",
  live: "",
  reconnecting: "Connection lost, trying again",
  offline: "You are offline. What you write is kept.",
  gone: "You are not in this conversation any more",
};

function Status({ connection, isClosed }: { connection: Connection; isClosed: boolean }) {
  if (isClosed) return <span className="state closed">Closed</span>;
  const text = states[connection];
  return text === "" ? null : <span className={`state ${connection}`}>{text}</span>;
}

/** Menu for the whole conversation. */
function ConversationMenu() {
  const { conversation, actions } = useOpenConversation();
  const { open, toast } = usePageServices();
  const { view, me } = conversation;
  const isOwner = view.owner === me;
  const isHere = view.conversants.some(({ identification }) => identification.speakerUri === me);
  const attempt = (run: () => Promise<void>, done: string) => {
    run().then(
      () => toast(done),
      (error: unknown) => toast(errorText(error), "error"),
    );
  };
  const options = [
    ...(isOwner && !view.isClosed ? [{ label: "Rename", run: () => open("rename") }] : []),
    {
      label: "Copy link to this conversation",
      run: () => attempt(() => navigator.clipboard.writeText(location.href), "Link copied"),
    },
    ...exportFormats.map((format) => ({
      label: `Export as ${exportKinds[format].title}`,
      run: () => attempt(() => actions.download(format), "Exported"),
    })),
    ...(isHere && !view.isClosed
      ? [{ label: "Leave", confirm: "Leave this conversation?", run: () => attempt(actions.leave, "You left") }]
      : []),
    ...(isOwner && !view.isClosed
      ? [
          {
            label: "Close for everyone",
            confirm: "Close it for everyone?",
            isDangerous: true,
            run: () => attempt(actions.close, "Closed"),
          },
        ]
      : []),
  ];
  return <Menu label="More" options={options} />;
}
