import { useId, useState } from "react";
import { errorText } from "../api/floor.ts";
import { Keys } from "../keyboard/help-dialog.tsx";
import { usePageServices } from "../state/context.ts";
import { browserStorage, settingCharsMax } from "../state/storage.ts";
import { texts } from "../texts/texts.ts";
import { Dialog, useFirstFocus } from "../ui/dialog.tsx";
import { useListbox } from "../ui/use-listbox.ts";
import { foundCommands, type PaletteCommand, withRecent } from "./command-search.ts";

type Props = { commands: readonly PaletteCommand[]; onClose: () => void };

/** Finds and runs commands by name. */
export function Palette({ commands, onClose }: Props) {
  const { toast } = usePageServices();
  const field = useFirstFocus<HTMLInputElement>();
  const [query, setQuery] = useState("");
  const [recent] = useState(readRecent);
  const found = foundCommands(commands, query, recent);
  const { inputProps, listProps, optionProps } = useListbox(found.length, texts.palette.title, (index) => {
    const command = found[index];
    if (command === undefined) return;
    browserStorage.put("recent-commands", withRecent(recent, command.id), settingCharsMax);
    onClose();
    // After the dialog has closed, or the command could not move the focus.
    setTimeout(() => void run(command, (text) => toast(text, "error")));
  });
  return (
    <Dialog title={texts.palette.title} onClose={onClose} className="ui-palette">
      <input
        ref={field}
        className="input"
        type="text"
        placeholder={texts.palette.hint}
        value={query}
        maxLength={100}
        onChange={(event) => setQuery(event.target.value)}
        {...inputProps}
      />
      <div className="ui-options" {...listProps}>
        {groupsOf(found).map(({ group, rows }) => (
          <Group key={group} group={group}>
            {rows.map(({ command, index }) => (
              <Option key={command.id} command={command} props={optionProps(index)} />
            ))}
          </Group>
        ))}
      </div>
      {found.length === 0 && <p className="quiet ui-nothing">{texts.palette.noMatch}</p>}
    </Dialog>
  );
}

function Group({ group, children }: { group: string; children: React.ReactNode }) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no child of a listbox
    <div role="group" aria-labelledby={id}>
      <p id={id} role="presentation" className="ui-group">
        {group}
      </p>
      {children}
    </div>
  );
}

function Option({ command, props }: { command: PaletteCommand; props: React.HTMLAttributes<HTMLElement> }) {
  return (
    <div className="ui-option" {...props}>
      <span>{command.label}</span>
      {command.hint !== undefined && <span className="quiet ui-hint">{command.hint}</span>}
      {command.keys !== undefined && <Keys keys={command.keys} />}
    </div>
  );
}

type Row = { command: PaletteCommand; index: number };

function groupsOf(commands: readonly PaletteCommand[]): { group: string; rows: Row[] }[] {
  const groups: { group: string; rows: Row[] }[] = [];
  for (const [index, command] of commands.entries()) {
    const last = groups.at(-1);
    if (last?.group === command.group) last.rows.push({ command, index });
    else groups.push({ group: command.group, rows: [{ command, index }] });
  }
  return groups;
}

async function run(command: PaletteCommand, onError: (text: string) => void): Promise<void> {
  try {
    await command.run();
  } catch (cause) {
    onError(errorText(cause));
  }
}

function readRecent(): string[] {
  const stored = browserStorage.read("recent-commands", settingCharsMax);
  return Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [];
}
