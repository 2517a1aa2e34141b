import { type FormEvent, type ReactNode, useId, useState } from "react";
import { usePageServices } from "../state/context.ts";
import type { Settings } from "../state/types.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorMessage } from "../ui/error-message.tsx";
import { Icon } from "../ui/icon.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";
import { captionSizes, themes } from "./settings.ts";

type MyselfProps = {
  name?: string | undefined;
  onRenameMe?: ((name: string) => Promise<void>) | undefined;
  onSignOut?: (() => void) | undefined;
};
type Props = MyselfProps & { onClose: () => void };

const themeLabels = { system: "System", light: "Light", dark: "Dark" };
const captionLabels = { 0: "None", 1: "Small", 1.5: "Medium", 2: "Large" };

export function SettingsDialog({ onClose, name, onRenameMe, onSignOut }: Props) {
  const { settings, change } = usePageServices();
  return (
    <Dialog title="Settings" onClose={onClose} className="ui-settings">
      <Choices
        legend="Appearance"
        options={themes}
        labels={themeLabels}
        chosen={settings.theme}
        onChoose={(theme) => change({ theme })}
      />
      <Choices
        legend="Captions of what is being said"
        options={captionSizes}
        labels={captionLabels}
        chosen={settings.captionSize}
        onChoose={(captionSize) => change({ captionSize })}
      />
      <Switch
        isOn={settings.hasSingleKeys}
        onChange={(hasSingleKeys) => change({ hasSingleKeys })}
        label="Single keys"
        hint={
          <>
            <kbd>R</kbd> raises your hand, <kbd>?</kbd> shows all keys. Never while you write.
          </>
        }
      />
      <ReadAloud settings={settings} change={change} />
      {(name !== undefined || onSignOut !== undefined) && (
        <Myself name={name} onRenameMe={onRenameMe} onSignOut={onSignOut} />
      )}
    </Dialog>
  );
}

type ChoicesProps<Option extends string | number> = {
  legend: string;
  options: readonly Option[];
  labels: Readonly<Record<Option, string>>;
  chosen: Option;
  onChoose: (option: Option) => void;
};

function Choices<Option extends string | number>({ legend, options, labels, chosen, onChoose }: ChoicesProps<Option>) {
  const group = useId();
  return (
    <fieldset className="ui-choices">
      <legend>{legend}</legend>
      <div className="ui-choices-row">
        {options.map((option) => (
          <label key={option} className="ui-choice">
            <input type="radio" name={group} checked={option === chosen} onChange={() => onChoose(option)} />
            <span>{labels[option]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

type SwitchProps = {
  isOn: boolean;
  isUnusable?: boolean;
  label: string;
  hint: ReactNode;
  onChange: (isOn: boolean) => void;
};

function Switch({ isOn, isUnusable = false, label, hint, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className="ui-switch">
      <input
        id={id}
        type="checkbox"
        checked={isOn}
        disabled={isUnusable}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      <p id={`${id}-hint`} className="quiet">
        {hint}
      </p>
    </div>
  );
}

function ReadAloud({ settings, change }: { settings: Settings; change: (change: Partial<Settings>) => void }) {
  const hasVoice = typeof speechSynthesis !== "undefined";
  return (
    <Switch
      isOn={settings.isReadAloud && hasVoice}
      isUnusable={!hasVoice}
      onChange={(isReadAloud) => change({ isReadAloud })}
      label="Read agents aloud"
      hint={hasVoice ? "One after the other, each by a voice of this device." : "This browser has no voice."}
    />
  );
}

function Myself({ name, onRenameMe, onSignOut }: MyselfProps) {
  const [newName, setNewName] = useState(name ?? "");
  const { isBusy, error, run } = useAsyncAction("caller");
  const { announce } = usePageServices();
  const id = useId();
  const wanted = newName.trim();
  const rename = (event: FormEvent, give: (name: string) => Promise<void>) => {
    event.preventDefault();
    void run(
      () => give(wanted),
      () => announce(`You are ${wanted} now`),
    );
  };
  return (
    <section className="ui-myself" aria-label="Who you are">
      {onRenameMe === undefined ? (
        name !== undefined && (
          <p>
            You are <strong>{name}</strong>.
          </p>
        )
      ) : (
        <form className="field" onSubmit={(event) => rename(event, onRenameMe)}>
          <label htmlFor={id}>Your name</label>
          <div className="ui-row">
            <input
              id={id}
              className="input"
              value={newName}
              maxLength={80}
              autoComplete="name"
              onChange={(event) => setNewName(event.target.value)}
            />
            <button type="submit" className="button" disabled={isBusy || wanted === "" || wanted === name}>
              Save
            </button>
          </div>
          <ErrorMessage text={error} />
        </form>
      )}
      {onSignOut !== undefined && (
        <button type="button" className="button ui-sign-out" onClick={onSignOut}>
          <Icon name="door" /> Sign out
        </button>
      )}
    </section>
  );
}
