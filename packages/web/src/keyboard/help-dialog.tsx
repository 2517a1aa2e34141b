import { Dialog } from "../ui/dialog.tsx";
import { Keys } from "./key-names.tsx";
import { shortcuts, writingKeys } from "./shortcuts.ts";

type Row = { keys: readonly string[]; label: string };

const groups: readonly { title: string; rows: readonly Row[] }[] = [
  { title: "Everywhere", rows: shortcuts.filter(({ when }) => when === undefined) },
  { title: "While you write", rows: writingKeys },
  { title: "In a conversation", rows: shortcuts.filter(({ when }) => when === "conversation") },
];

const glossary: readonly { word: string; meaning: string }[] = [
  { word: "Floor", meaning: "The right to speak now; several can have it, and the floor strip shows who had it when." },
  { word: "Conversant", meaning: "Anybody with a seat in the conversation, be it a person or an agent." },
  { word: "Convener", meaning: "The agent that gives and takes the floor; without one the floor is free for all." },
  { word: "Whisper", meaning: "An utterance that only the one it is said to can see." },
  { word: "Manifest", meaning: "What an agent says of itself: its name, what it is for and what it can do." },
];

export function HelpDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys and words" onClose={onClose} className="ui-help">
      <div className="ui-help-tables">
        {groups.map(({ title, rows }) => (
          <KeyTable key={title} title={title} rows={rows} />
        ))}
      </div>
      <p className="quiet">Single keys rest while you write. They can be turned off in the settings.</p>
      <section aria-labelledby="ui-words">
        <h3 id="ui-words">Words of the floor</h3>
        <dl className="ui-glossary">
          {glossary.map(({ word, meaning }) => (
            <div key={word}>
              <dt>{word}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </section>
    </Dialog>
  );
}

function KeyTable({ title, rows }: { title: string; rows: readonly Row[] }) {
  return (
    <table className="ui-key-table">
      <caption>{title}</caption>
      <thead className="unseen">
        <tr>
          <th scope="col">What</th>
          <th scope="col">Keys</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ keys, label }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td>
              <Keys keys={keys} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
