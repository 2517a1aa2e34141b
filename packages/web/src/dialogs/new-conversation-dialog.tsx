import { type FormEvent, useId, useState } from "react";
import { AddressField, AgentChecklist } from "../agents/agent-checklist.tsx";
import { type AgentChoice, choicesOf, convenersOf, otherChoice } from "../agents/agent-choice.ts";
import { parseAddress } from "../agents/service-address.ts";
import { useKnownAgents } from "../agents/use-known-agents.ts";
import type { KnownAgent } from "../api/types.ts";
import { texts } from "../texts/texts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorMessage } from "../ui/error-message.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";
import { useFirstFocus } from "../ui/use-first-focus.ts";
import { titleMax } from "./rename-dialog.tsx";

export type NewConversation = { title?: string; agents: readonly string[]; convener?: string };

type Props = {
  knownAgents: () => Promise<readonly KnownAgent[]>;
  onCreate: (conversation: NewConversation) => Promise<void>;
  onClose: () => void;
};

export function NewConversationDialog({ knownAgents, onCreate, onClose }: Props) {
  const field = useFirstFocus<HTMLInputElement>();
  const known = useKnownAgents(knownAgents);
  const [title, setTitle] = useState("");
  const [others, setOthers] = useState<readonly AgentChoice[]>([]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [convener, setConvener] = useState("");
  const [address, setAddress] = useState("");
  const [addressProblem, setAddressProblem] = useState<string>();
  const { isBusy, error, run } = useAsyncAction("caller");
  const id = useId();
  const choices = [...choicesOf(known.agents ?? []), ...others];

  const choose = (serviceUrl: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(serviceUrl);
    else next.delete(serviceUrl);
    setChosen(next);
    if (!isChosen && convener === serviceUrl) setConvener("");
    return next;
  };
  /** Adds the typed address. Returns undefined when it is invalid. */
  const addOther = (): ReadonlySet<string> | undefined => {
    const parsed = parseAddress(address);
    setAddressProblem(parsed.ok ? undefined : parsed.problem);
    if (!parsed.ok) return undefined;
    if (!choices.some(({ serviceUrl }) => serviceUrl === parsed.url)) setOthers([...others, otherChoice(parsed.url)]);
    setAddress("");
    return choose(parsed.url, true);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const agents = address.trim() === "" ? chosen : addOther();
    if (agents === undefined) return;
    void run(() => onCreate(conversationOf(title, agents, convener)), onClose);
  };

  return (
    <Dialog title={texts.common.newConversation} onClose={onClose} className="ui-new">
      <form className="ui-form" onSubmit={submit}>
        <div className="field">
          <label htmlFor={id}>
            {texts.dialogs.title} <span className="ui-optional">{texts.common.optional}</span>
          </label>
          <input
            id={id}
            ref={field}
            className="input"
            value={title}
            maxLength={titleMax}
            autoComplete="off"
            placeholder={texts.dialogs.topic}
            onChange={(event) => setTitle(event.target.value)}
          />
        </div>
        <AgentChecklist known={known} choices={choices} chosen={chosen} choose={choose} />
        <AddressField address={address} problem={addressProblem} onChange={setAddress} onAdd={addOther} />
        <ConvenerField choices={convenersOf(choices, chosen)} convener={convener} onChange={setConvener} />
        <ErrorMessage text={error} />
        <div className="foot">
          <button type="button" className="button" onClick={onClose}>
            {texts.common.cancel}
          </button>
          <button type="submit" className="button main" disabled={isBusy}>
            {isBusy ? texts.dialogs.opening : texts.dialogs.start(chosen.size)}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

type ConvenerProps = { choices: readonly AgentChoice[]; convener: string; onChange: (serviceUrl: string) => void };

function ConvenerField({ choices, convener, onChange }: ConvenerProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{texts.dialogs.convener}</label>
      <select
        id={id}
        className="input"
        value={convener}
        disabled={choices.length === 0}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{texts.dialogs.noConvener}</option>
        {choices.map(({ serviceUrl, name, canConvene }) => (
          <option key={serviceUrl} value={serviceUrl}>
            {canConvene ? texts.dialogs.madeToConvene(name) : name}
          </option>
        ))}
      </select>
      <p id={`${id}-hint`} className="hint">
        {choices.length === 0 ? texts.dialogs.chooseAgentsFirst : texts.dialogs.convenerDecides}
      </p>
    </div>
  );
}

function conversationOf(title: string, agents: ReadonlySet<string>, convener: string): NewConversation {
  const wanted = title.trim();
  return {
    ...(wanted === "" ? {} : { title: wanted }),
    agents: [...agents],
    ...(agents.has(convener) ? { convener } : {}),
  };
}
