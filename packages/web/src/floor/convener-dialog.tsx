import { nameIn } from "@plenary/floor";
import { type FormEvent, useState } from "react";
import { Avatar } from "../shell/avatar.tsx";
import { Dialog } from "../shell/dialog.tsx";
import { useScene } from "../state/context.ts";
import { useDeed } from "./deed.ts";
import { canConvene, convenerOf } from "./offers.ts";

/** Chooses who convenes, among the agents that are here. */
export function ConvenerDialog({ onClose }: { onClose: () => void }) {
  const { conversation, actions } = useScene();
  const { isBusy, attempt } = useDeed();
  const { view } = conversation;
  const before = convenerOf(view);
  const [chosen, setChosen] = useState(before);
  const agents = view.conversants.filter(canConvene);
  async function submit(event: FormEvent) {
    event.preventDefault();
    if (chosen === before || (await attempt(() => actions.appointConvener(chosen)))) onClose();
  }
  return (
    <Dialog title="Convener" onClose={onClose}>
      <form className="floor-form" onSubmit={(event) => void submit(event)}>
        <p className="quiet">
          A convener is an agent that chairs the conversation: it decides who is invited, who gets the floor and who
          must wait.
        </p>
        <fieldset className="floor-choices">
          <legend className="unseen">Who convenes</legend>
          <label className="floor-choice">
            <input type="radio" name="convener" checked={chosen === undefined} onChange={() => setChosen(undefined)} />
            <span>
              <b>Nobody</b>
              <span className="quiet">Whoever asks for the floor gets it.</span>
            </span>
          </label>
          {agents.map(({ identification }) => (
            <label key={identification.speakerUri} className="floor-choice">
              <input
                type="radio"
                name="convener"
                checked={chosen === identification.speakerUri}
                onChange={() => setChosen(identification.speakerUri)}
              />
              <Avatar speakerUri={identification.speakerUri} identification={identification} kind="agent" isSmall />
              <span>
                <b>
                  <bdi>{nameIn(conversation, identification.speakerUri)}</bdi>
                </b>
                <span className="quiet">{identification.synopsis}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {agents.length === 0 && <p className="quiet">No agent here can convene yet. Invite one first.</p>}
        <div className="foot">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button main" disabled={isBusy}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
