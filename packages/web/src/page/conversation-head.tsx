import { exportFormats } from "@plenary/transcript";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import type { Connection } from "../state/types.ts";
import { texts } from "../texts/texts.ts";
import { Avatar } from "../ui/avatar.tsx";
import { IconButton } from "../ui/button.tsx";
import { Menu } from "../ui/menu.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";

type Props = { onMenu: () => void; onPanel: () => void; isPanelOpen: boolean };

const facesMax = 5;

export function ConversationHead({ onMenu, onPanel, isPanelOpen }: Props) {
  const { conversation } = useOpenConversation();
  const { open } = usePageServices();
  const { view, connection } = conversation;
  return (
    <header className="conversation-head">
      <IconButton icon="menu" className="button plain icon menu-button" label={texts.sidebar.label} onClick={onMenu} />
      <h1 className="title">
        <bdi>{view.title ?? texts.common.conversation}</bdi>
      </h1>
      <Status connection={connection} isClosed={view.isClosed} />
      <span className="spring" />
      <Faces />
      <IconButton
        icon="search"
        label={texts.head.search}
        title={`${texts.head.search} (F)`}
        onClick={() => open("search")}
      />
      <IconButton
        icon="add"
        label={texts.head.invite}
        title={`${texts.head.invite} (I)`}
        onClick={() => open("invite")}
      />
      <IconButton
        icon="people"
        className="button plain icon panel-button"
        label={texts.common.whoIsHere}
        aria-expanded={isPanelOpen}
        onClick={onPanel}
      />
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
  const { run } = useAsyncAction("toast");
  const attempt = (action: () => Promise<void>, done: string) => void run(action, () => toast(done));
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
