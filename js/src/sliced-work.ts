/*
 * Long work in slices, between which the page does other things. The work is a generator that
 * yields wherever it may be interrupted; the same work can be done at once.
 */

export type Work<T = void> = Generator<undefined, T, undefined>;

/** So long a slice may take, in milliseconds. */
const SLICE = 16;

/** Does all of the work now. */
export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Does the work in slices, each in a task of its own, as is what comes after it. */
export async function inSlices<T>(work: Work<T>): Promise<T> {
  for (;;) {
    await task();
    const begin = performance.now();
    let step = work.next();
    while (!step.done && performance.now() - begin < SLICE) step = work.next();
    if (!step.done) continue;
    await task();
    return step.value;
  }
}

/** Goes on in a task of its own: unlike a timer it waits for nothing but what is due. */
function task(): Promise<void> {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(null);
  });
}
