import { type FormEvent, useContext, useId, useState } from "react";
import type { Session } from "../api/session.ts";
import { ConvenerDialog } from "../conversants/convener-dialog.tsx";
import { InviteDialog } from "../invite/invite-dialog.tsx";
import { HelpDialog } from "../keyboard/help-dialog.tsx";
import { Palette } from "../palette/command-palette.tsx";
import { commandsOf } from "../palette/page-commands.ts";
import { SearchDialog } from "../search/search-dialog.tsx";
import { SettingsDialog } from "../settings/settings-dialog.tsx";
import {
  type CommandContext,
  type DialogName,
  OpenConversationContext,
  useOpenConversation,
  usePageServices,
} from "../state/context.ts";
import type { ConversationList } from "../state/conversation-list.ts";
import { texts } from "../texts/texts.ts";
import { Dialog, ErrorMessage, FormFoot, useFirstFocus } from "../ui/dialog.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";
import { NewConversationDialog, titleMax } from "./new-conversation-dialog.tsx";

type Props = Pick<CommandContext, "page" | "conversations" | "goTo"> & {
  dialog: DialogName | undefined;
  onClose: () => void;
  list: ConversationList;
  session: Session;
  onChange: (session: Session) => void;
  signOut: () => void;
};

/** Renders the open dialog; there is at most one. */
export function Dialogs(props: Props) {
  const { dialog, onClose, list, session, page, conversations, goTo, onChange, signOut } = props;
  const opened = useContext(OpenConversationContext);
  const services = usePageServices();
  switch (dialog) {
    case undefined:
      return null;
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
    case "invite":
    case "links":
      return opened && <InviteDialog onClose={onClose} />;
    case "convener":
      return opened && <ConvenerDialog onClose={onClose} />;
    case "rename":
      return opened && <RenameDialog onClose={onClose} />;
    case "search":
      return opened && <SearchDialog onJump={(seq) => page.jump?.(seq)} onClose={onClose} />;
  }
}

function RenameDialog({ onClose }: { onClose: () => void }) {
  const { conversation, actions } = useOpenConversation();
  const { title = "" } = conversation.view;
  const field = useFirstFocus<HTMLInputElement>();
  const [newTitle, setNewTitle] = useState(title);
  const { isBusy, error, run } = useAsyncAction("caller");
  const id = useId();
  const wanted = newTitle.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wanted === title) onClose();
    else void run(() => actions.rename(wanted), onClose);
  };
  return (
    <Dialog title={texts.dialogs.renameTitle} onClose={onClose}>
      <form className="ui-form" onSubmit={submit}>
        <div className="field">
          <label htmlFor={id}>{texts.dialogs.title}</label>
          <input
            id={id}
            ref={field}
            className="input"
            value={newTitle}
            maxLength={titleMax}
            autoComplete="off"
            onFocus={(event) => event.target.select()}
            onChange={(event) => setNewTitle(event.target.value)}
          />
        </div>
        <ErrorMessage text={error} />
        <FormFoot submit={texts.dialogs.rename} isDisabled={isBusy || wanted === ""} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
