// Drives JupyterLab through its own application object: clicking cells and pressing Shift+Enter
// races with the kernel's connection, the commands below do not.
window.drive = (() => {
  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

  async function app() {
    while (!window.jupyterapp) await sleep(20);
    await window.jupyterapp.restored;
    return window.jupyterapp;
  }

  const panel = () => window.jupyterapp.shell.currentWidget;
  const kernel = () => panel().sessionContext.session?.kernel;

  async function ready() {
    const lab = await app();
    while (!lab.shell.currentWidget?.context) await sleep(20);
    await panel().context.ready;
    await panel().sessionContext.ready;
    while (kernel()?.connectionStatus !== "connected") await sleep(20);
    await kernel().info;
    await idle();
  }

  async function open(path) {
    await (await app()).commands.execute("docmanager:open", { path, factory: "Notebook" });
    while (panel()?.context?.path !== path) await sleep(10);
    await ready();
  }

  // JupyterLab as it was before any notebook: what is open is closed unsaved, its kernel ended.
  async function clear() {
    const { serviceManager, shell } = await app();
    for (const widget of [...shell.widgets("main")]) widget.dispose();
    await serviceManager.sessions.shutdownAll();
    if (document.body.dataset.jpThemeLight === "false") await theme("JupyterLab Light");
  }

  async function idle() {
    while (kernel()?.status !== "idle") await sleep(10);
  }

  function start(index) {
    panel().content.activeCellIndex = index;
    window.drive.running = window.jupyterapp.commands.execute("notebook:run-cell");
  }

  async function finish() {
    const late = sleep(120_000).then(() => {
      throw new Error("the cell does not end");
    });
    await Promise.race([window.drive.running.then(idle), late]);
  }

  async function runCell(index) {
    start(index);
    await window.drive.running;
    await idle();
  }

  async function runAll() {
    await window.jupyterapp.commands.execute("notebook:run-all-cells");
    await idle();
  }

  async function addCell(source) {
    const { model, widgets } = panel().content;
    model.sharedModel.insertCell(widgets.length, { cell_type: "code", source });
    await sleep(0);
    return panel().content.widgets.length - 1;
  }

  // One expression's value, as JSON, without touching the history or the cells.
  async function ask(code, expression) {
    const reply = await kernel().requestExecute({
      code: code + "\nimport json as _json",
      silent: true,
      store_history: false,
      user_expressions: { value: `_json.dumps(${expression})` },
    }).done;
    if (reply.content.status !== "ok") throw new Error(reply.content.evalue);
    const value = reply.content.user_expressions.value;
    if (value.status !== "ok") throw new Error(`${value.ename}: ${value.evalue}`);
    return value.data["text/plain"];
  }

  const outputs = (index) => panel().content.widgets[index].model.outputs.toJSON();

  async function restart() {
    await kernel().restart();
    await ready();
  }

  const save = () => panel().context.save();

  const theme = (name) =>
    window.jupyterapp.commands.execute("apputils:change-theme", { theme: name });

  return {
    ready, open, clear, idle, start, finish, runCell, runAll, addCell, ask, outputs, restart, save, theme,
  };
})();
