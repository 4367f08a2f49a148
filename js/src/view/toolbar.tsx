/* The toolbar: the player, and how the picture lies. */

import type { Store } from "../store/store";
import { Button } from "./button";
import { zoom } from "./stage/camera";
import { ButtonIcon } from "./icons";
import { Player } from "./player/player";
import { ProblemsChip } from "./panels/problems";
import { fitAll, release, UNSEEN, type ViewState } from "./view-state";
import { t } from "../text/text";

/** Moving through time, and how the picture lies. */
export function Toolbar({ store, view }: { store: Store; view: ViewState }) {
  return (
    <div class="gw-toolbar" role="toolbar" aria-label={t.bars.player.toolbar}>
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
  const words = t.bars.view;
  return (
    <div class="gw-group gw-how">
      {left > 0 && (
        <span class="gw-chip" data-testid="left" title={words.onlyNewest}>
          {words.notDrawn(left)}
        </span>
      )}
      {(others > 0 || everything) && (
        <button
          type="button"
          class="gw-chip"
          data-action="everything"
          aria-pressed={everything}
          title={everything ? words.drawNewest : words.drawAll}
          onClick={() => {
            store.everything.value = !everything;
          }}
        >
          {everything ? words.newestOnly : words.showOlder(others)}
        </button>
      )}
      <ProblemsChip store={store} />
      {store.steps.value.length > 0 && (
        <Button
          action="guess"
          label={t.guess.switch}
          pressed={store.guess.on.value}
          onClick={() => {
            store.guess.turn(!store.guess.on.value);
          }}
        >
          <ButtonIcon of="guess" />
        </Button>
      )}
      <Button
        action="find"
        label={words.find}
        onClick={() => {
          view.over.value = view.over.value === "find" ? null : "find";
        }}
      >
        <ButtonIcon of="find" />
      </Button>
      <Button
        action="direction"
        label={direction === "LR" ? words.leftToRight : words.topDown}
        onClick={() => {
          store.wantedDirection.value = direction === "LR" ? "TD" : "LR";
          view.auto.value = true;
          view.camera.value = UNSEEN;
        }}
      >
        <ButtonIcon of={direction} />
      </Button>
      <Button action="zoom-out" label={words.smaller} onClick={by(1 / 1.25)}>
        <ButtonIcon of="minus" />
      </Button>
      <Button action="zoom-in" label={words.larger} onClick={by(1.25)}>
        <ButtonIcon of="plus" />
      </Button>
      <Button
        action="fit"
        label={words.fit}
        onClick={() => {
          fitAll(store, view);
        }}
      >
        <ButtonIcon of="fit" />
      </Button>
      <Button
        action="keys"
        label={words.help}
        onClick={() => {
          view.over.value = "keys";
        }}
      >
        <ButtonIcon of="help" />
      </Button>
    </div>
  );
}
