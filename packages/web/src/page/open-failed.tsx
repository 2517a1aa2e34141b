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
      <button type="button" className="button plain icon menu-button" aria-label="Conversations" onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <Icon name="warning" size={32} />
      <h1>{isDenied ? "This conversation is not open to you" : "The conversation does not open"}</h1>
      <p role="alert">{problem}</p>
      <div className="row">
        <button type="button" className="button main" onClick={onAgain}>
          Try again
        </button>
        {isDenied && isGuest && (
          <button
            type="button"
            className="button"
            onClick={() =>
              onLeave("You are not in that conversation any more. Ask whoever invited you for a new link.")
            }
          >
            Leave
          </button>
        )}
      </div>
    </div>
  );
}
