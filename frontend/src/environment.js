/**
 * Tells Monaco where its workers are: beside this bundle, on the same origin.
 *
 * The addresses are relative to the bundle, so the page may be mounted under any path. They are plain files and
 * not blobs, which lets the page forbid `blob:` and `data:` scripts.
 */
const workers = { json: 'json.worker.js', graphql: 'graphql.worker.js' };

globalThis.MonacoEnvironment = {
  getWorker(_id, label) {
    const file = workers[label] ?? 'editor.worker.js';
    return new Worker(new URL(file, import.meta.url), { name: label });
  },
};
