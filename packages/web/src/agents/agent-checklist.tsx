import { useId, useState } from "react";
import { normalized } from "../search/normalize.ts";
import { texts } from "../texts/texts.ts";
import { ErrorMessage } from "../ui/error-message.tsx";
import type { AgentChoice } from "./agent-choice.ts";
import { HealthStatus } from "./health-status.tsx";
import { addressMax } from "./service-address.ts";
import type { KnownAgents } from "./use-known-agents.ts";

type ChecklistProps = {
  known: KnownAgents;
  choices: readonly AgentChoice[];
  chosen: ReadonlySet<string>;
  choose: (serviceUrl: string, isChosen: boolean) => void;
};

const filterFrom = 8;

export function AgentChecklist({ known, choices, chosen, choose }: ChecklistProps) {
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
          <button type="button" className="button small" onClick={known.reload}>
            {texts.common.tryAgain}
          </button>
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

export function AddressField({ address, problem, onChange, onAdd }: AddressProps) {
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
        <button type="button" className="button" disabled={address.trim() === ""} onClick={onAdd}>
          {texts.agents.add}
        </button>
      </div>
      <ErrorMessage id={`${id}-problem`} text={problem} />
    </div>
  );
}
