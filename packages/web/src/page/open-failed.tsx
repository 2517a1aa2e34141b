import { texts } from "../texts/texts.ts";
import { Icon } from "../ui/icon.tsx";

type Props = {
  opening: { problem: string; isDenied: boolean };
  isGuest: boolean;
  onAgain: () => void;
  onLeave: (problem?: string) => void;
  onMenu: () => void;
};

/** Shown when a conversation does not open. */
export function OpenFailed({ opening: { problem, isDenied }, isGuest, onAgain, onLeave, onMenu }: Props) {
  return (
    <div className="empty">
      <button type="button" className="button plain icon menu-button" aria-label={texts.sidebar.label} onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <Icon name="warning" size={32} />
      <h1>{isDenied ? texts.page.notOpenToYou : texts.page.doesNotOpen}</h1>
      <p role="alert">{problem}</p>
      <div className="row">
        <button type="button" className="button main" onClick={onAgain}>
          {texts.common.tryAgain}
        </button>
        {isDenied && isGuest && (
          <button type="button" className="button" onClick={() => onLeave(texts.page.askForNewLink)}>
            {texts.page.leave}
          </button>
        )}
      </div>
    </div>
  );
}
