import { type FormEvent, type ReactNode, useId, useState } from "react";
import { usePageServices } from "../state/context.ts";
import { languages, Parts, texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { Dialog, ErrorMessage } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";
import { captionSizes, themes } from "./settings.ts";

type MyselfProps = { name: string; onRenameMe: (name: string) => Promise<void>; onSignOut: () => void };
type Props = MyselfProps & { onClose: () => void };

export function SettingsDialog({ onClose, name, onRenameMe, onSignOut }: Props) {
  const { settings, change } = usePageServices();
  const hasVoice = typeof speechSynthesis !== "undefined";
  return (
    <Dialog title={texts.settings.title} onClose={onClose} className="ui-settings">
      <Choices
        legend={texts.settings.language}
        options={languages}
        labels={texts.settings.languages}
        chosen={settings.language}
        onChoose={(language) => change({ language })}
      />
      <Choices
        legend={texts.settings.appearance}
        options={themes}
        labels={texts.settings.themes}
        chosen={settings.theme}
        onChoose={(theme) => change({ theme })}
      />
      <Choices
        legend={texts.settings.captions}
        options={captionSizes}
        labels={texts.settings.captionSizes}
        chosen={settings.captionSize}
        onChoose={(captionSize) => change({ captionSize })}
      />
      <Switch
        isOn={settings.hasSingleKeys}
        onChange={(hasSingleKeys) => change({ hasSingleKeys })}
        label={texts.settings.singleKeys}
        hint={<Parts of={texts.settings.singleKeysHint(<kbd>R</kbd>, <kbd>?</kbd>)} />}
      />
      <Switch
        isOn={settings.isReadAloud && hasVoice}
        isUnusable={!hasVoice}
        onChange={(isReadAloud) => change({ isReadAloud })}
        label={texts.settings.readAloud}
        hint={hasVoice ? texts.settings.readAloudHint : texts.features.noVoice}
      />
      <Myself name={name} onRenameMe={onRenameMe} onSignOut={onSignOut} />
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

function Myself({ name, onRenameMe, onSignOut }: MyselfProps) {
  const [newName, setNewName] = useState(name);
  const { isBusy, error, run } = useAsyncAction("caller");
  const { announce } = usePageServices();
  const id = useId();
  const wanted = newName.trim();
  const rename = (event: FormEvent) => {
    event.preventDefault();
    void run(
      () => onRenameMe(wanted),
      () => announce(texts.settings.youAreNow(wanted)),
    );
  };
  return (
    <section className="ui-myself" aria-label={texts.settings.whoYouAre}>
      <form className="field" onSubmit={rename}>
        <label htmlFor={id}>{texts.page.yourName}</label>
        <div className="ui-row">
          <input
            id={id}
            className="input"
            value={newName}
            maxLength={80}
            autoComplete="name"
            onChange={(event) => setNewName(event.target.value)}
          />
          <Button text={texts.common.save} type="submit" disabled={isBusy || wanted === "" || wanted === name} />
        </div>
        <ErrorMessage text={error} />
      </form>
      <button type="button" className="button ui-sign-out" onClick={onSignOut}>
        <Icon name="door" /> {texts.settings.signOut}
      </button>
    </section>
  );
}
