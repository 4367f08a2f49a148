function render({ el }: { el: HTMLElement }): void {
  el.textContent = "nothing recorded yet";
}

export default { render };
