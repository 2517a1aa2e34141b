import { nameIn } from "@plenary/transcript";
import { useContext } from "react";
import { HelpDialog } from "../desk/help-dialog.tsx";
import { NewConversationDialog } from "../desk/new-conversation-dialog.tsx";
import { Palette } from "../desk/palette.tsx";
import { RenameDialog } from "../desk/rename-dialog.tsx";
import { SearchDialog } from "../desk/search-dialog.tsx";
import { SettingsDialog } from "../desk/settings-dialog.tsx";
import { ConvenerDialog } from "../floor/convener-dialog.tsx";
import { InviteDialog } from "../floor/invite-dialog.tsx";
import { type DialogName, SceneContext, useDesk } from "../state/context.ts";
import type { ConversationList } from "../state/conversation-list.ts";
import type { Pass } from "../wire/pass.ts";
import type { Summary } from "../wire/types.ts";
import { commandsOf } from "./page-commands.ts";
import type { PageHandle } from "./page-handle.ts";

type Props = {
  dialog: DialogName | undefined;
  onClose: () => void;
  list: ConversationList;
  pass: Pass;
  page: PageHandle;
  conversations: readonly Summary[];
  goTo: (id: string) => void;
  onChange: (pass: Pass) => void;
  signOut: () => void;
};

/** At most one at a time. */
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

/** Those that are there whatever is open. */
function PageDialog(props: PropsFor<PageDialogName>) {
  const { dialog, onClose, list, pass, page, conversations, goTo, onChange, signOut } = props;
  const scene = useContext(SceneContext);
  const desk = useDesk();
  switch (dialog) {
    case "help":
      return <HelpDialog onClose={onClose} />;
    case "settings": {
      const rename = async (name: string) => onChange({ ...pass, name });
      return <SettingsDialog onClose={onClose} name={pass.name ?? ""} onRenameMe={rename} onSignOut={signOut} />;
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
      return <Palette commands={commandsOf({ desk, scene, page, conversations, goTo })} onClose={onClose} />;
  }
}

/** Those that are about the open conversation. */
function SceneDialog({ dialog, onClose, page }: PropsFor<Exclude<DialogName, PageDialogName>>) {
  const scene = useContext(SceneContext);
  if (scene === undefined) return null;
  const { conversation, actions } = scene;
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
