/**
 * Builds the playground into kgraph/web/static/playground: one bundle, three Monaco workers, the page, the licences
 * of everything bundled, and a manifest of hashes. The same sources and lock file give the same bytes.
 *
 *   node build.mjs [folder]    writes there instead, for comparing with what is committed
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { collectLicences } from './licences.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const target = path.resolve(process.argv[2] ?? path.join(here, '../kgraph/web/static/playground'));

const WORKERS = {
  'editor.worker': 'monaco-editor/esm/vs/editor/editor.worker.js',
  'json.worker': 'monaco-editor/esm/vs/language/json/json.worker.js',
  'graphql.worker': 'monaco-graphql/esm/graphql.worker.js',
};

/** `kgraph:examples` is the examples folder as one array, in the order of its index. */
const examples = {
  name: 'examples',
  setup(build) {
    build.onResolve({ filter: /^kgraph:examples$/ }, ({ path: name }) => ({ path: name, namespace: 'examples' }));
    build.onLoad({ filter: /.*/, namespace: 'examples' }, async () => {
      const folder = path.join(here, 'examples');
      const index = JSON.parse(await readFile(path.join(folder, 'index.json'), 'utf8'));
      const present = await readdir(folder);
      const entries = await Promise.all(
        index.map(async ({ name, title, summary }) => {
          const read = async (file) => (await readFile(path.join(folder, file), 'utf8')).trimEnd();
          const variables = `${name}.variables.json`;
          const query = await read(`${name}.graphql`);
          const [, operationName] = query.match(/^query (\w+)/m) ?? [];
          if (!operationName) throw new Error(`examples/${name}.graphql: no named query found, expected one`);
          return {
            name,
            title,
            summary,
            operationName,
            query,
            variables: present.includes(variables) ? await read(variables) : '',
          };
        }),
      );
      return { contents: JSON.stringify(entries), loader: 'json' };
    });
  },
};

/** Puts our choice of editor features and formatters in place of what the packages load. */
const replacements = {
  name: 'replacements',
  setup(build) {
    const monaco = path.join(here, 'src/monaco.js');
    build.onResolve({ filter: /(^monaco-graphql\/esm|^\.)\/monaco-editor(\.js)?$/ }, ({ importer, path: wanted }) =>
      wanted.startsWith('monaco-graphql') || importer.includes('/monaco-graphql/esm/') ? { path: monaco } : undefined,
    );
    build.onLoad({ filter: /@graphiql\/react\/dist\/utility\/jsonc\.js$/ }, async ({ path: file }) => {
      const source = await readFile(file, 'utf8');
      const own = /async function formatJSONC\(content\) \{[\s\S]*?\n\}\n/;
      const imports = /import\("prettier\/(plugins\/estree|parser-babel)"\)/;
      if (!own.test(source)) throw new Error(`${file}: no formatJSONC found, expected one to replace`);
      const contents = `import { formatJSONC } from ${JSON.stringify(path.join(here, 'src/format.js'))};\n${source.replace(own, '')}`;
      if (imports.test(contents)) throw new Error(`${file}: still imports prettier's Babel, expected none`);
      return { contents, loader: 'js' };
    });
    // GraphiQL's default formatter is replaced by a property, so its own copy of the parser is never reached.
    build.onResolve({ filter: /^prettier\/parser-graphql$/ }, () =>
      build.resolve('prettier/plugins/graphql', { kind: 'import-statement', resolveDir: here }),
    );
  },
};

/** The page formats with its own code; without the editor's "format document" command no worker is asked to. */
const workerWithoutFormatter = {
  name: 'worker-without-formatter',
  setup(build) {
    build.onResolve({ filter: /^prettier\// }, ({ path: name }) => ({ path: name, namespace: 'left-out' }));
    build.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path: name }) => ({
      contents: `throw new Error('${name} is left out of this worker: the page formats');`,
    }));
  },
};

const common = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  target: 'es2022',
  platform: 'browser',
  charset: 'utf8',
  // Without `main` first, the one CommonJS user of graphql would bring a second copy of it, whole.
  mainFields: ['browser', 'module', 'main'],
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none', // every licence is in THIRD-PARTY-LICENCES.txt, whole
  metafile: true,
  write: false,
  outdir: target,
  logLevel: 'warning',
};

const page = await esbuild.build({
  ...common,
  entryPoints: { main: 'src/main.jsx' },
  format: 'esm',
  jsx: 'automatic',
  loader: { '.ttf': 'file', '.woff2': 'file' },
  assetNames: '[name]',
  plugins: [examples, replacements],
});
const workers = await esbuild.build({
  ...common,
  entryPoints: WORKERS,
  format: 'iife',
  plugins: [workerWithoutFormatter],
});

const files = new Map();
for (const { path: file, contents } of [...page.outputFiles, ...workers.outputFiles]) {
  files.set(path.basename(file), contents);
}
for (const name of ['index.html', 'icon.svg']) files.set(name, await readFile(path.join(here, 'src', name)));
const inputs = [page, workers].flatMap(({ metafile }) => Object.keys(metafile.inputs));
const { text, packages } = await collectLicences(here, inputs);
files.set('THIRD-PARTY-LICENCES.txt', Buffer.from(text));

const sha256 = (content) => createHash('sha256').update(content).digest('hex');
const names = [...files.keys()].sort();
const manifest = {
  sources: sha256(await describeSources()),
  packages,
  files: Object.fromEntries(
    names.map((name) => [name, { sha256: sha256(files.get(name)), bytes: files.get(name).length }]),
  ),
};
files.set('manifest.json', Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
let [raw, zipped] = [0, 0];
for (const name of [...files.keys()].sort()) {
  const content = files.get(name);
  await writeFile(path.join(target, name), content);
  const small = gzipSync(content, { level: 9 }).length;
  console.log(`${String(content.length).padStart(9)} ${String(small).padStart(9)}  ${name}`);
  raw += content.length;
  zipped += small;
}
console.log(`${String(raw).padStart(9)} ${String(zipped).padStart(9)}  in all: bytes, and bytes as gzip`);

/** One line a source file, `<sha256> <path>`, sorted: what the committed output was built from. */
async function describeSources() {
  const found = ['build.mjs', 'licences.mjs', 'package.json', 'package-lock.json'];
  for (const folder of ['examples', 'src']) {
    for (const name of await readdir(path.join(here, folder))) found.push(`${folder}/${name}`);
  }
  const lines = await Promise.all(
    found.sort().map(async (name) => `${sha256(await readFile(path.join(here, name)))} ${name}\n`),
  );
  return lines.join('');
}
