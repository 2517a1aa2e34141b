import type { ConversantView, ConversationView } from "@plenary/client";
import { nameIn } from "@plenary/transcript";
import { type FormEvent, type ReactNode, useState } from "react";
import { type AgentChoice, choicesOf, useKnownAgents } from "../agents/known-agents.tsx";
import { useOpenConversation } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Dialog, FormFoot } from "../ui/dialog.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";
import { canConvene, convenerOf } from "./allowed-actions.ts";

/** Chooses the convener: a conversant, an agent of this floor that is invited then, or none. */
export function ConvenerDialog({ onClose }: { onClose: () => void }) {
  const { conversation, actions } = useOpenConversation();
  const { isBusy, run } = useAsyncAction("toast");
  const { agents, error } = useKnownAgents(actions.knownAgents);
  const { view } = conversation;
  const before = convenerOf(view);
  const [chosen, setChosen] = useState(before);
  const here = view.conversants.filter((one) => canConvene(one) || one.identification.speakerUri === before);
  const others = comers(choicesOf(agents ?? []), view);
  async function submit(event: FormEvent) {
    event.preventDefault();
    const comes = others.some(({ serviceUrl }) => serviceUrl === chosen);
    const named = chosen === undefined ? undefined : comes ? { serviceUrl: chosen } : { speakerUri: chosen };
    if (chosen === before || (await run(() => actions.appointConvener(named)))) onClose();
  }
  const radio = { chosen, onChoose: setChosen };
  return (
    <Dialog title={texts.convenerDialog.title} onClose={onClose}>
      <form className="floor-form" onSubmit={(event) => void submit(event)}>
        <p className="quiet">{texts.convenerDialog.explanation}</p>
        <fieldset className="floor-choices">
          <legend className="unseen">{texts.convenerDialog.legend}</legend>
          <Choice
            {...radio}
            value={undefined}
            name={texts.convenerDialog.none}
            about={texts.convenerDialog.noneMeans}
          />
          {here.map(({ identification }) => (
            <Choice
              key={identification.speakerUri}
              {...radio}
              value={identification.speakerUri}
              name={nameIn(conversation, identification.speakerUri)}
              about={identification.synopsis}
            >
              <Avatar speakerUri={identification.speakerUri} identification={identification} kind="agent" isSmall />
            </Choice>
          ))}
          {others.map(({ serviceUrl, name, synopsis = "" }) => (
            <Choice
              key={serviceUrl}
              {...radio}
              value={serviceUrl}
              name={name}
              about={texts.convenerDialog.comes(synopsis)}
            />
          ))}
        </fieldset>
        {error !== undefined && <p className="quiet">{texts.convenerDialog.notListed(error)}</p>}
        {agents !== undefined && here.length + others.length === 0 && (
          <p className="quiet">{texts.convenerDialog.noCandidate}</p>
        )}
        <FormFoot submit={texts.common.save} isDisabled={isBusy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

/** Agents that offer to convene and are not here yet. */
function comers(choices: readonly AgentChoice[], { conversants }: ConversationView): AgentChoice[] {
  const isHere = ({ serviceUrl }: AgentChoice) =>
    conversants.some((one: ConversantView) => one.identification.serviceUrl === serviceUrl && one.state === "joined");
  return choices.filter((choice) => choice.canConvene && !isHere(choice));
}

type ChoiceProps = {
  value: string | undefined;
  name: string;
  about: string;
  chosen: string | undefined;
  onChoose: (value: string | undefined) => void;
  children?: ReactNode;
};

function Choice({ value, name, about, chosen, onChoose, children }: ChoiceProps) {
  return (
    <label className="floor-choice">
      <input type="radio" name="convener" checked={chosen === value} onChange={() => onChoose(value)} />
      {children}
      <span>
        <b>
          <bdi>{name}</bdi>
        </b>
        <span className="quiet">{about}</span>
      </span>
    </label>
  );
}
