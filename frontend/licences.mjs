/** Finds the packages behind a bundle's inputs and writes out their licences. */
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';

const LICENCE_FILE = /^(licen[cs]e|copying|notice|thirdpartynotices)(\.(md|txt))?$/i;
// Packages that name a repository by the address it had before.
const MOVED = new Map([['facebook/react', 'react/react']]);
const RULE = '='.repeat(78);

/**
 * The licence document of everything in `inputs`, and the packages by name.
 *
 * Inputs are file paths relative to `root`, as esbuild's metafile gives them. Throws where a package declares no
 * licence. A package that ships no licence text gets that of a bundled package from the same repository; where there
 * is none either, what it declares and its author stand alone.
 */
export async function collectLicences(root, inputs) {
  const folders = new Set();
  for (const input of inputs) {
    const found = input.match(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//);
    if (found) folders.add(found[1]);
  }
  const entries = await Promise.all([...folders].map((folder) => describePackage(path.join(root, folder))));
  entries.sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));

  const summary = entries.map(({ name, version, licence }) => `${name} ${version}: ${licence}`).join('\n');
  const bodies = entries.map((entry) => {
    const { name, version, licence } = entry;
    const head = `${RULE}\n${name} ${version}\nDeclared licence: ${licence}\n${RULE}\n`;
    return `${head}\n${findText(entry, entries)}\n`;
  });
  const packages = {};
  for (const { name, version } of entries) packages[name] = version;
  const text = `Packages in the playground's bundle and workers, each under its own licence.\n\n${summary}\n\n${bodies.join('\n')}`;
  return { text, packages };
}

function findText({ licence, author, repository, texts }, entries) {
  if (texts.length > 0) return texts.join('\n\n');
  const kin = entries.find((other) => other.repository === repository && other.licence === licence && other.texts.length > 0);
  if (repository && kin) return `Text of ${kin.name}, from the same repository:\n\n${kin.texts.join('\n\n')}`;
  return `The package ships no licence text. Author: ${author}`;
}

async function describePackage(folder) {
  const { name, version, license, licenses, author, repository } = JSON.parse(
    await readFile(path.join(folder, 'package.json'), 'utf8'),
  );
  const licence = license?.type ?? license ?? licenses?.map(({ type }) => type).join(' OR ');
  if (!licence) throw new Error(`${name} ${version}: declares no licence, expected one; look before bundling it`);
  const names = (await readdir(folder)).filter((file) => LICENCE_FILE.test(file)).sort();
  const texts = await Promise.all(
    names.map(async (file) => (await readFile(path.join(folder, file), 'utf8')).replaceAll('\r\n', '\n').trim()),
  );
  return {
    name,
    version,
    licence,
    author: author?.name ?? author ?? 'not stated',
    repository: repositoryName(repository),
    texts,
  };
}

/** `owner/name` of the repository a package says it comes from, or null. */
function repositoryName(repository) {
  const [, found] = (repository?.url ?? repository ?? '').match(/([^/:]+\/[^/]+?)(\.git)?$/) ?? [];
  return MOVED.get(found) ?? found ?? null;
}
