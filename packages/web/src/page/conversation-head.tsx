import { exportFormats } from "@plenary/transcript";
import { errorText } from "../api/client.ts";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import type { Connection } from "../state/types.ts";
import { texts } from "../texts/texts.ts";
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
      <button type="button" className="button plain icon menu-button" aria-label={texts.sidebar.label} onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <h1 className="title">
        <bdi>{view.title ?? texts.common.conversation}</bdi>
      </h1>
      <Status connection={connection} isClosed={view.isClosed} />
      <span className="spring" />
      <Faces />
      <button
        type="button"
        className="button plain icon"
        aria-label={texts.head.search}
        title={`${texts.head.search} (F)`}
        onClick={() => open("search")}
      >
        <Icon name="search" />
      </button>
      <button
        type="button"
        className="button plain icon"
        aria-label={texts.head.invite}
        title={`${texts.head.invite} (I)`}
        onClick={() => open("invite")}
      >
        <Icon name="add" />
      </button>
      <button
        type="button"
        className="button plain icon panel-button"
        aria-label={texts.common.whoIsHere}
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

function Status({ connection, isClosed }: { connection: Connection; isClosed: boolean }) {
  if (isClosed) return <span className="state closed">{texts.head.closed}</span>;
  const text = texts.head.states[connection];
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
    ...(isOwner && !view.isClosed ? [{ label: texts.head.rename, run: () => open("rename") }] : []),
    {
      label: texts.head.copyLink,
      run: () => attempt(() => navigator.clipboard.writeText(location.href), texts.head.linkCopied),
    },
    ...exportFormats.map((format) => ({
      label: texts.head.exportAs[format],
      run: () => attempt(() => actions.download(format), texts.head.exported),
    })),
    ...(isHere && !view.isClosed
      ? [
          {
            label: texts.head.leave,
            confirm: texts.head.confirmLeave,
            run: () => attempt(actions.leave, texts.head.youLeft),
          },
        ]
      : []),
    ...(isOwner && !view.isClosed
      ? [
          {
            label: texts.head.closeForAll,
            confirm: texts.head.confirmClose,
            isDangerous: true,
            run: () => attempt(actions.close, texts.head.wasClosed),
          },
        ]
      : []),
  ];
  return <Menu label={texts.head.more} options={options} />;
}
