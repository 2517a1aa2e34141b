import type { GuestLink } from "@plenary/client";
import { type FormEvent, useCallback, useEffect, useId, useState } from "react";
import { useOpenConversation } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { shortTime } from "../texts/times.ts";
import { Button, CopyButton } from "../ui/button.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";

const hourS = 3_600;
const usesMax = 100;

/** Creates guest links. A person who opens one joins this conversation. */
export function GuestLinks() {
  const { actions } = useOpenConversation();
  const { isBusy, run } = useAsyncAction("toast");
  const [link, setLink] = useState<string>();
  const [links, setLinks] = useState<readonly GuestLink[]>([]);
  const load = useCallback(() => {
    // A person may be allowed to create links but not to list them.
    actions.guestLinks().then(setLinks, () => setLinks([]));
  }, [actions]);
  useEffect(load, [load]);
  async function make(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const label = String(form.get("label") ?? "").trim();
    const uses = Math.min(usesMax, Math.max(1, Math.round(Number(form.get("uses"))) || 1));
    const expiresInS = Number(form.get("lasts"));
    await run(async () => {
      const made = await actions.makeGuestLink({ ...(label && { label }), uses, expiresInS });
      setLink(made.link);
      load();
    });
  }
  async function withdraw(id: string) {
    if (await run(() => actions.withdrawGuestLink(id))) load();
  }
  return (
    <>
      {link === undefined ? (
        <LinkForm isBusy={isBusy} onSubmit={(event) => void make(event)} />
      ) : (
        <MadeLink link={link} onAnother={() => setLink(undefined)} />
      )}
      <ActiveLinks links={links} isBusy={isBusy} onWithdraw={(id) => void withdraw(id)} />
    </>
  );
}

function LinkForm({ isBusy, onSubmit }: { isBusy: boolean; onSubmit: (event: FormEvent<HTMLFormElement>) => void }) {
  const id = useId();
  return (
    <form className="floor-form" onSubmit={onSubmit}>
      <p className="quiet">{texts.invite.linkExplanation}</p>
      <div className="field">
        <label htmlFor={`${id}-label`}>{texts.invite.linkFor}</label>
        <input id={`${id}-label`} name="label" className="input" maxLength={80} autoComplete="off" />
      </div>
      <div className="floor-pair">
        <div className="field">
          <label htmlFor={`${id}-uses`}>{texts.invite.linkUses}</label>
          <input
            id={`${id}-uses`}
            name="uses"
            type="number"
            className="input"
            min={1}
            max={usesMax}
            defaultValue={1}
            required
          />
        </div>
        <div className="field">
          <label htmlFor={`${id}-lasts`}>{texts.invite.linkLasts}</label>
          <select id={`${id}-lasts`} name="lasts" className="input" defaultValue={hourS}>
            <option value={hourS}>{texts.invite.oneHour}</option>
            <option value={24 * hourS}>{texts.invite.oneDay}</option>
          </select>
        </div>
      </div>
      <div className="foot">
        <Button look="main" text={texts.invite.makeLink} type="submit" disabled={isBusy} />
      </div>
    </form>
  );
}

function MadeLink({ link, onAnother }: { link: string; onAnother: () => void }) {
  const id = useId();
  return (
    <div className="floor-form">
      <div className="field" role="status">
        <label htmlFor={id}>{texts.invite.madeLink}</label>
        <div className="floor-made">
          <input id={id} className="input" readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
          <CopyButton text={link} what={texts.features.theLink} isMain />
        </div>
        <span className="hint">{texts.invite.linkWarning}</span>
      </div>
      <div className="foot">
        <Button text={texts.invite.makeAnother} onClick={onAnother} />
      </div>
    </div>
  );
}

type LiveProps = { links: readonly GuestLink[]; isBusy: boolean; onWithdraw: (id: string) => void };

function ActiveLinks({ links, isBusy, onWithdraw }: LiveProps) {
  const live = links.filter(
    ({ usesLeft, revokedAt, expiresAt }) =>
      usesLeft > 0 && revokedAt === undefined && Date.parse(expiresAt) > Date.now(),
  );
  if (live.length === 0) return null;
  return (
    <section className="floor-links" aria-label={texts.invite.activeLinks}>
      <h3>{texts.invite.activeLinks}</h3>
      <ul className="bare">
        {live.map(({ id, label = texts.invite.unnamedLink, usesLeft, expiresAt }) => (
          <li key={id} className="floor-link">
            <span>
              <bdi>
                <b>{label}</b>
              </bdi>
              <span className="quiet">{texts.invite.usesLeft(usesLeft, shortTime(expiresAt))}</span>
            </span>
            <Button
              look="small"
              text={texts.invite.withdraw}
              unseen={label}
              disabled={isBusy}
              onClick={() => onWithdraw(id)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
