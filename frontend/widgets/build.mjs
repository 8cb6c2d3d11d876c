/**
 * Builds the widgets into kgraph/web/static/widgets: the script, what frames need, the types, the documents by id,
 * and a manifest of hashes. Nothing but our own sources is bundled; the same sources give the same bytes.
 *
 *   node build.mjs [folder]    writes there instead, for comparing with what is committed
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { parse, stripIgnoredCharacters } from 'graphql';

const here = path.dirname(fileURLToPath(import.meta.url));
const target = path.resolve(process.argv[2] ?? path.join(here, '../../kgraph/web/static/widgets'));
const sha256 = (content) => createHash('sha256').update(content).digest('hex');

const documents = new Map();

/** A document as one line, with the fragments that every widget shares, and the id that servers know it by. */
async function loadDocument(file) {
  const read = (name) => readFile(name, 'utf8');
  const own = await read(file);
  const shared = own.includes('...Place') ? await read(path.join(path.dirname(file), 'place.graphql')) : '';
  const text = stripIgnoredCharacters(own + shared);
  const names = parse(text).definitions.filter(({ kind }) => kind === 'OperationDefinition');
  if (names.length !== 1 || !names[0].name) throw new Error(`${file}: expected one named operation`);
  const id = `sha256:${sha256(text)}`;
  documents.set(id, text);
  return { id, text };
}

const loaders = {
  name: 'loaders',
  setup(build) {
    build.onLoad({ filter: /\.graphql$/ }, async ({ path: file }) => ({
      contents: JSON.stringify(await loadDocument(file)),
      loader: 'json',
    }));
    build.onLoad({ filter: /\.css$/ }, async ({ path: file }) => {
      const { code } = await esbuild.transform(await readFile(file, 'utf8'), { loader: 'css', minify: true });
      return { contents: code.trim(), loader: 'text' };
    });
  },
};

const common = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  target: 'es2022',
  platform: 'browser',
  charset: 'utf8',
  metafile: true,
  write: false,
  outdir: target,
  logLevel: 'warning',
  plugins: [loaders],
};

const script = await esbuild.build({ ...common, entryPoints: { kgraph: 'src/kgraph.ts' }, format: 'esm' });
// Classic scripts, so that a page may load them with or without `type="module"`.
const frames = await esbuild.build({
  ...common,
  entryPoints: { frame: 'src/frame.ts', embed: 'src/embed.ts' },
  format: 'iife',
});
const inputs = [script, frames].flatMap(({ metafile }) => Object.keys(metafile.inputs));
const foreign = inputs.filter((input) => input.includes('node_modules'));
if (foreign.length > 0) throw new Error(`${foreign[0]}: found a package in the bundle, expected our sources alone`);

const files = new Map();
for (const { path: file, contents } of [...script.outputFiles, ...frames.outputFiles]) {
  files.set(path.basename(file), Buffer.from(contents));
}
const styles = await esbuild.transform(await readFile(path.join(here, 'src/embed.css'), 'utf8'), {
  loader: 'css',
  minify: true,
});
files.set('embed.css', Buffer.from(styles.code));
for (const name of ['kgraph.d.ts', 'kgraph-react.d.ts']) {
  files.set(name, await readFile(path.join(here, 'types', name)));
}
const known = Object.fromEntries([...documents].sort());
files.set('documents.json', Buffer.from(`${JSON.stringify(known, null, 1)}\n`));

const manifest = {
  sources: sha256(await describeSources()),
  files: Object.fromEntries(
    [...files.keys()].sort().map((name) => {
      const content = files.get(name);
      const integrity = `sha384-${createHash('sha384').update(content).digest('base64')}`;
      return [name, { sha256: sha256(content), integrity, bytes: content.length }];
    }),
  ),
};
files.set('manifest.json', Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
for (const name of [...files.keys()].sort()) {
  const content = files.get(name);
  await writeFile(path.join(target, name), content);
  const small = gzipSync(content, { level: 9 }).length;
  console.log(`${String(content.length).padStart(9)} ${String(small).padStart(9)}  ${name}`);
}

/** One line a source file, `<sha256> <path>`, sorted: what the committed output was built from. */
async function describeSources() {
  const found = ['build.mjs', 'package.json', 'package-lock.json'];
  for (const folder of ['documents', 'src', 'types']) {
    for (const entry of await readdir(path.join(here, folder), { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) found.push(path.relative(here, path.join(entry.parentPath, entry.name)));
    }
  }
  const lines = await Promise.all(
    found.sort().map(async (name) => `${sha256(await readFile(path.join(here, name)))} ${name}\n`),
  );
  return lines.join('');
}
