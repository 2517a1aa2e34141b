import { nameIn } from "@plenary/transcript";
import { useContext } from "react";
import type { Session } from "../api/session.ts";
import type { ConversationSummary } from "../api/types.ts";
import { ConvenerDialog } from "../conversants/convener-dialog.tsx";
import { InviteDialog } from "../invite/invite-dialog.tsx";
import { HelpDialog } from "../keyboard/help-dialog.tsx";
import type { PageHandle } from "../page/page-handle.ts";
import { Palette } from "../palette/command-palette.tsx";
import { commandsOf } from "../palette/page-commands.ts";
import { SearchDialog } from "../search/search-dialog.tsx";
import { SettingsDialog } from "../settings/settings-dialog.tsx";
import { type DialogName, OpenConversationContext, usePageServices } from "../state/context.ts";
import type { ConversationList } from "../state/conversation-list.ts";
import { NewConversationDialog } from "./new-conversation-dialog.tsx";
import { RenameDialog } from "./rename-dialog.tsx";

type Props = {
  dialog: DialogName | undefined;
  onClose: () => void;
  list: ConversationList;
  session: Session;
  page: PageHandle;
  conversations: readonly ConversationSummary[];
  goTo: (id: string) => void;
  onChange: (session: Session) => void;
  signOut: () => void;
};

/** Renders the open dialog; there is at most one. */
export function Dialogs(props: Props) {
  const { dialog } = props;
  if (dialog === undefined) return null;
  if (dialog === "help" || dialog === "settings" || dialog === "new" || dialog === "palette") {
    return <PageDialog {...props} dialog={dialog} />;
  }
  return <SceneDialog {...props} dialog={dialog} />;
}

type PropsFor<Name extends DialogName> = Omit<Props, "dialog"> & { dialog: Name };
type PageDialogName = "help" | "settings" | "new" | "palette";

/** Dialogs that need no open conversation. */
function PageDialog(props: PropsFor<PageDialogName>) {
  const { dialog, onClose, list, session, page, conversations, goTo, onChange, signOut } = props;
  const opened = useContext(OpenConversationContext);
  const services = usePageServices();
  switch (dialog) {
    case "help":
      return <HelpDialog onClose={onClose} />;
    case "settings": {
      const rename = async (name: string) => onChange({ ...session, name });
      return <SettingsDialog onClose={onClose} name={session.name ?? ""} onRenameMe={rename} onSignOut={signOut} />;
    }
    case "new":
      return (
        <NewConversationDialog
          knownAgents={list.knownAgents}
          onCreate={async (wanted) => goTo(await list.create(wanted))}
          onClose={onClose}
        />
      );
    case "palette":
      return <Palette commands={commandsOf({ services, opened, page, conversations, goTo })} onClose={onClose} />;
  }
}

/** Dialogs about the open conversation. */
function SceneDialog({ dialog, onClose, page }: PropsFor<Exclude<DialogName, PageDialogName>>) {
  const opened = useContext(OpenConversationContext);
  if (opened === undefined) return null;
  const { conversation, actions } = opened;
  switch (dialog) {
    case "invite":
    case "links":
      return <InviteDialog onClose={onClose} />;
    case "convener":
      return <ConvenerDialog onClose={onClose} />;
    case "rename":
      return <RenameDialog title={conversation.view.title ?? ""} onRename={actions.rename} onClose={onClose} />;
    case "search":
      return (
        <SearchDialog
          lines={conversation.lines}
          nameOf={(speakerUri) => nameIn(conversation, speakerUri)}
          hasOlder={conversation.hasOlder}
          loadOlder={actions.loadOlder}
          onJump={(seq) => page.jump?.(seq)}
          onClose={onClose}
        />
      );
  }
}
