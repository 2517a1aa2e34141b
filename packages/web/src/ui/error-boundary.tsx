import { Component, type ReactNode } from "react";
import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";

type Props = { children: ReactNode };
type State = { problem: string | undefined };

/** Shows an error of the page itself. React supports error boundaries only as classes. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { problem: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    const { problem } = this.state;
    if (problem === undefined) return this.props.children;
    return (
      <main className="sign-in">
        <div className="sign-in-card">
          <h1>{texts.page.broken}</h1>
          <p>{texts.page.nothingLost}</p>
          <p className="trouble" role="alert">
            {problem}
          </p>
          <Button look="main" text={texts.page.reload} onClick={() => location.reload()} />
        </div>
      </main>
    );
  }
}

type ItemProps = { seq: number | undefined; children: ReactNode };
type ItemState = { isBroken: boolean };

/** An item that cannot be rendered does not break the page. */
export class ItemErrorBoundary extends Component<ItemProps, ItemState> {
  override state: ItemState = { isBroken: false };

  static getDerivedStateFromError(): ItemState {
    return { isBroken: true };
  }

  override render(): ReactNode {
    const { seq, children } = this.props;
    if (!this.state.isBroken) return children;
    return (
      <p className="note warning">
        {seq === undefined ? texts.transcript.cannotShow : texts.transcript.cannotShowEntry(seq)}
      </p>
    );
  }
}
