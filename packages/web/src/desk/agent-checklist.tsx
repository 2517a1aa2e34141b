import { useId, useState } from "react";
import { AgentHealth } from "../floor/agent-health.tsx";
import { addressMax } from "./address.ts";
import type { AgentChoice } from "./agent-choice.ts";
import { folded } from "./fold.ts";
import { Trouble } from "./trouble.tsx";
import type { KnownChoices } from "./use-known-agents.ts";

type ChecklistProps = {
  known: KnownChoices;
  choices: readonly AgentChoice[];
  chosen: ReadonlySet<string>;
  choose: (serviceUrl: string, isChosen: boolean) => void;
};

const filterFrom = 8;

export function AgentChecklist({ known, choices, chosen, choose }: ChecklistProps) {
  const [filter, setFilter] = useState("");
  const wanted = folded(filter.trim());
  const shown = choices.filter(({ name, synopsis = "" }) => folded(`${name} ${synopsis}`).includes(wanted));
  return (
    <fieldset className="desk-agents">
      <legend>Agents</legend>
      {known.choices === undefined && known.trouble === undefined && <p className="quiet">Asking who is there…</p>}
      {known.trouble !== undefined && (
        <>
          <Trouble words={known.trouble} />
          <button type="button" className="button small" onClick={known.tryAgain}>
            Try again
          </button>
        </>
      )}
      {known.choices?.length === 0 && choices.length === 0 && (
        <p className="quiet">This floor knows no agents yet. Add one by its address, or begin alone.</p>
      )}
      {choices.length >= filterFrom && (
        <input
          className="input"
          type="text"
          aria-label="Filter the agents"
          placeholder="Filter by name or purpose"
          value={filter}
          maxLength={100}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      {shown.length > 0 && (
        <ul className="bare desk-agent-list">
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
      {shown.length === 0 && wanted !== "" && <p className="quiet">No agent like that.</p>}
    </fieldset>
  );
}

type RowProps = { choice: AgentChoice; isChosen: boolean; onChange: (isChosen: boolean) => void };

function AgentRow({ choice, isChosen, onChange }: RowProps) {
  const id = useId();
  const { name, synopsis, known, canConvene } = choice;
  return (
    <li className="desk-agent">
      <input
        id={id}
        type="checkbox"
        checked={isChosen}
        aria-describedby={`${id}-synopsis`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>
        <span className="desk-agent-name">{name}</span>
        {canConvene && <span className="desk-tag">convener</span>}
        <span id={`${id}-synopsis`} className="quiet desk-agent-synopsis">
          {synopsis}
        </span>
      </label>
      {known && (
        <div className="desk-agent-health">
          <AgentHealth agent={known} />
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
        Another agent, by its address <span className="desk-optional">(optional)</span>
      </label>
      <div className="desk-row">
        <input
          id={id}
          className="input"
          // Not "url": the browser's own complaint would come before ours and say less.
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
          Add
        </button>
      </div>
      <Trouble id={`${id}-problem`} words={problem} />
    </div>
  );
}
