/** Bundles the page into dist/: one script, one style sheet, the HTML file. */
import { cp, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const target = path.join(here, 'dist');

await rm(target, { recursive: true, force: true });
await mkdir(target);
await cp(path.join(here, 'src/index.html'), path.join(target, 'index.html'));
await esbuild.build({
  absWorkingDir: here,
  entryPoints: { page: 'src/main.tsx' },
  outdir: target,
  bundle: true,
  minify: true,
  sourcemap: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'warning',
});
