import { useId, useState } from "react";
import { Dialog } from "../shell/dialog.tsx";
import { useDesk } from "../state/context.ts";
import { type Command, foundCommands, withRecent } from "./commands.ts";
import { Keys } from "./keys.tsx";
import { readStored, writeStored } from "./stored.ts";
import { wordsOf } from "./use-attempt.ts";
import { useFirstFocus } from "./use-first-focus.ts";
import { useListbox } from "./use-listbox.ts";

type Props = { commands: readonly Command[]; onClose: () => void };

/** Everything that can be done, by its name. */
export function Palette({ commands, onClose }: Props) {
  const { toast } = useDesk();
  const field = useFirstFocus<HTMLInputElement>();
  const [query, setQuery] = useState("");
  const [recent] = useState(readRecent);
  const found = foundCommands(commands, query, recent);
  const { inputProps, listProps, optionProps } = useListbox(found.length, "Commands", (index) => {
    const command = found[index];
    if (command === undefined) return;
    writeStored("recent-commands", withRecent(recent, command.id));
    onClose();
    // After the dialog is gone, or what it does could not take the focus.
    setTimeout(() => void run(command, (words) => toast(words, "error")));
  });
  return (
    <Dialog title="Commands" onClose={onClose} className="desk-palette">
      <input
        ref={field}
        className="input"
        type="text"
        placeholder="What do you want to do?"
        value={query}
        maxLength={100}
        onChange={(event) => setQuery(event.target.value)}
        {...inputProps}
      />
      <div className="desk-options" {...listProps}>
        {groupsOf(found).map(({ group, rows }) => (
          <Group key={group} group={group}>
            {rows.map(({ command, index }) => (
              <Option key={command.id} command={command} props={optionProps(index)} />
            ))}
          </Group>
        ))}
      </div>
      {found.length === 0 && <p className="quiet desk-nothing">No command like that. Try fewer letters.</p>}
    </Dialog>
  );
}

function Group({ group, children }: { group: string; children: React.ReactNode }) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no child of a listbox
    <div role="group" aria-labelledby={id}>
      <p id={id} role="presentation" className="desk-group">
        {group}
      </p>
      {children}
    </div>
  );
}

function Option({ command, props }: { command: Command; props: React.HTMLAttributes<HTMLElement> }) {
  return (
    <div className="desk-option" {...props}>
      <span>{command.label}</span>
      {command.hint !== undefined && <span className="quiet desk-hint">{command.hint}</span>}
      {command.keys !== undefined && <Keys keys={command.keys} />}
    </div>
  );
}

type Row = { command: Command; index: number };

function groupsOf(commands: readonly Command[]): { group: string; rows: Row[] }[] {
  const groups: { group: string; rows: Row[] }[] = [];
  for (const [index, command] of commands.entries()) {
    const last = groups.at(-1);
    if (last?.group === command.group) last.rows.push({ command, index });
    else groups.push({ group: command.group, rows: [{ command, index }] });
  }
  return groups;
}

async function run(command: Command, onTrouble: (words: string) => void): Promise<void> {
  try {
    await command.run();
  } catch (cause) {
    onTrouble(wordsOf(cause));
  }
}

function readRecent(): string[] {
  const stored = readStored("recent-commands");
  return Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [];
}
