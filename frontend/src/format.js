/**
 * Layout of GraphQL and JSON text; comments survive in both.
 *
 * The build puts this module in place of GraphiQL's own JSON formatter, which is prettier with the whole of
 * Babel: half a megabyte to indent variables.
 */
import { applyEdits, format } from 'jsonc-parser';
import * as graphql from 'prettier/plugins/graphql';
import * as prettier from 'prettier/standalone';

/** The document in prettier's layout. Throws SyntaxError where it does not parse. */
export function formatGraphQL(text) {
  return prettier.format(text, { parser: 'graphql', plugins: [graphql] });
}

/** JSON with comments, indented by two spaces. */
export async function formatJSONC(text) {
  return applyEdits(text, format(text, undefined, { tabSize: 2, insertSpaces: true, eol: '\n' }));
}
