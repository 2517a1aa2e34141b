import { Component, type ReactNode } from "react";

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
          <h1>The page stumbled</h1>
          <p>Nothing is lost: what was said is on the floor, and what you wrote is kept in this tab.</p>
          <p className="trouble" role="alert">
            {problem}
          </p>
          <button type="button" className="button main" onClick={() => location.reload()}>
            Load it again
          </button>
        </div>
      </main>
    );
  }
}
