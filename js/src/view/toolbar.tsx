/* The toolbar: the player, and how the picture lies. */

import type { Store } from "../store/store";
import { Button } from "./button";
import { zoom } from "./stage/camera";
import { ButtonIcon } from "./icons";
import { Player } from "./player/player";
import { ProblemsChip } from "./panels/problems";
import { fitAll, release, UNSEEN, type ViewState } from "./view-state";

/** Moving through time, and how the picture lies. */
export function Toolbar({ store, view }: { store: Store; view: ViewState }) {
  return (
    <div class="gw-toolbar" role="toolbar" aria-label="Replay and picture">
      <Player store={store} />
      <View store={store} view={view} />
    </div>
  );
}

/** How the picture lies, what is in it, and the way to what is wrong. */
function View({ store, view }: { store: Store; view: ViewState }) {
  const direction = store.direction.value;
  const by = (factor: number) => (): void => {
    const { w, h } = view.size.value;
    release(view);
    view.camera.value = zoom(view.camera.value, factor, w / 2, h / 2);
  };
  const { others, graph } = store.focus.value;
  const { left } = graph;
  const everything = store.everything.value;
  return (
    <div class="gw-group gw-how">
      {left > 0 && (
        <span
          class="gw-chip"
          data-testid="left"
          title="Only the newest values are drawn; the older ones are recorded."
        >
          {`${left} older values not drawn`}
        </span>
      )}
      {(others > 0 || everything) && (
        <button
          type="button"
          class="gw-chip"
          data-action="everything"
          aria-pressed={everything}
          title={
            everything
              ? "Draw only what the newest cell computed"
              : "Draw also the graphs that the newest cell did not use"
          }
          onClick={() => {
            store.everything.value = !everything;
          }}
        >
          {everything
            ? "newest only"
            : others === 1
              ? "show 1 older graph"
              : `show ${others} older graphs`}
        </button>
      )}
      <ProblemsChip store={store} />
      <Button
        action="find"
        label="Find (/)"
        onClick={() => {
          view.over.value = view.over.value === "find" ? null : "find";
        }}
      >
        <ButtonIcon of="find" />
      </Button>
      <Button
        action="direction"
        label={
          direction === "LR"
            ? "Left to right; switch to top down"
            : "Top down; switch to left to right"
        }
        onClick={() => {
          store.wantedDirection.value = direction === "LR" ? "TD" : "LR";
          view.auto.value = true;
          view.camera.value = UNSEEN;
        }}
      >
        <ButtonIcon of={direction} />
      </Button>
      <Button action="zoom-out" label="Smaller" onClick={by(1 / 1.25)}>
        <ButtonIcon of="minus" />
      </Button>
      <Button action="zoom-in" label="Larger (or ctrl + wheel)" onClick={by(1.25)}>
        <ButtonIcon of="plus" />
      </Button>
      <Button
        action="fit"
        label="Fit: close groups until the picture fits (f)"
        onClick={() => {
          fitAll(store, view);
        }}
      >
        <ButtonIcon of="fit" />
      </Button>
      <Button
        action="keys"
        label="Keys and legend (?)"
        onClick={() => {
          view.over.value = "keys";
        }}
      >
        <ButtonIcon of="help" />
      </Button>
    </div>
  );
}
