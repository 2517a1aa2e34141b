import type { KnownAgent } from "@plenary/client";
import { type FormEvent, useId, useState } from "react";
import {
  type AgentChoice,
  choicesOf,
  convenersOf,
  HealthStatus,
  type KnownAgents,
  otherChoice,
  useKnownAgents,
} from "../agents/known-agents.tsx";
import { addressMax, parseAddress } from "../agents/service-address.ts";
import { normalized } from "../search/search-lines.ts";
import type { NewConversation } from "../state/conversation-list.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { Dialog, ErrorMessage, FormFoot, useFirstFocus } from "../ui/dialog.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";

export const titleMax = 200;

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
        <FormFoot
          submit={isBusy ? texts.dialogs.opening : texts.dialogs.start(chosen.size)}
          isDisabled={isBusy}
          onCancel={onClose}
        />
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

type ChecklistProps = {
  known: KnownAgents;
  choices: readonly AgentChoice[];
  chosen: ReadonlySet<string>;
  choose: (serviceUrl: string, isChosen: boolean) => void;
};

const filterFrom = 8;

function AgentChecklist({ known, choices, chosen, choose }: ChecklistProps) {
  const [filter, setFilter] = useState("");
  const wanted = normalized(filter.trim());
  const shown = choices.filter(({ name, synopsis = "" }) => normalized(`${name} ${synopsis}`).includes(wanted));
  return (
    <fieldset className="ui-agents">
      <legend>{texts.agents.legend}</legend>
      {known.agents === undefined && known.error === undefined && <p className="quiet">{texts.agents.loading}</p>}
      {known.error !== undefined && (
        <>
          <ErrorMessage text={known.error} />
          <Button look="small" text={texts.common.tryAgain} onClick={known.reload} />
        </>
      )}
      {known.agents?.length === 0 && choices.length === 0 && <p className="quiet">{texts.agents.none}</p>}
      {choices.length >= filterFrom && (
        <input
          className="input"
          type="text"
          aria-label={texts.agents.filterLabel}
          placeholder={texts.agents.filterHint}
          value={filter}
          maxLength={100}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      {shown.length > 0 && (
        <ul className="bare ui-agent-list">
          {shown.map((choice) => (
            <AgentRow
              key={choice.serviceUrl}
              choice={choice}
              isChosen={chosen.has(choice.serviceUrl)}
              onChange={(isChosen) => choose(choice.serviceUrl, isChosen)}
            />
          ))}
        </ul>
      )}
      {shown.length === 0 && wanted !== "" && <p className="quiet">{texts.agents.noMatch}</p>}
    </fieldset>
  );
}

type RowProps = { choice: AgentChoice; isChosen: boolean; onChange: (isChosen: boolean) => void };

function AgentRow({ choice, isChosen, onChange }: RowProps) {
  const id = useId();
  const { name, synopsis, known, canConvene } = choice;
  return (
    <li className="ui-agent">
      <input
        id={id}
        type="checkbox"
        checked={isChosen}
        aria-describedby={`${id}-synopsis`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>
        <span className="ui-agent-name">{name}</span>
        {canConvene && <span className="ui-tag">{texts.agents.convener}</span>}
        <span id={`${id}-synopsis`} className="quiet ui-agent-synopsis">
          {synopsis}
        </span>
      </label>
      {known && (
        <div className="ui-agent-health">
          <HealthStatus agent={known} />
        </div>
      )}
    </li>
  );
}

type AddressProps = {
  address: string;
  problem: string | undefined;
  onChange: (address: string) => void;
  onAdd: () => void;
};

function AddressField({ address, problem, onChange, onAdd }: AddressProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>
        {texts.agents.addressLabel} <span className="ui-optional">{texts.common.optional}</span>
      </label>
      <div className="ui-row">
        <input
          id={id}
          className="input"
          // Not type "url": the browser's own error message would come first and say less.
          type="text"
          inputMode="url"
          placeholder="https://…"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={addressMax}
          value={address}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-problem`}
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.nativeEvent.isComposing || address.trim() === "") return;
            event.preventDefault();
            onAdd();
          }}
        />
        <Button text={texts.agents.add} disabled={address.trim() === ""} onClick={onAdd} />
      </div>
      <ErrorMessage id={`${id}-problem`} text={problem} />
    </div>
  );
}
