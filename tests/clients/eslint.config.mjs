// Rules for schema.graphql: graphql-eslint's schema-recommended and schema-relay, and one of our own
// in place of what those cannot say. Every exception has its reason here.
import plugin from '@graphql-eslint/eslint-plugin';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSchema, isInterfaceType, isObjectType } from 'graphql';

const file = process.env.KGRAPH_SCHEMA ?? fileURLToPath(new URL('../../schema.graphql', import.meta.url));
const schema = buildSchema(readFileSync(file, 'utf8'));

const isNode = (type) =>
  (isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node')) ||
  (isInterfaceType(type) && type.name === 'Node');

// A thing with a name of its own must be reached by it, so these fields make a type one that must
// implement Node. Rows that a snapshot derives anew, as a place in a ranking, have no such name: an id
// would promise a permanence that they lack, and each of them leads to nodes that have it.
const isNamed = (type) => ['id', 'digest', 'slug', 'key', 'objectId'].some((name) => name in type.getFields());

const namedValues = {
  Artifact: 'what a run points to; its content lies elsewhere and no manifest describes it',
  Attestation: 'read with the run that it is about; its manifest is the StoredObject of the same id',
  Correction: 'likewise',
  Reference: 'a link to a StoredObject, not the object',
  SearchHit: 'what a text leads to; its node is the thing itself',
  ServedModel: 'read with its serving runs',
  ServingLoad: 'likewise',
};

const namesAreNodes = {
  create: (context) => ({
    ObjectTypeDefinition(node) {
      const { name } = node.rawNode();
      const type = schema.getType(name.value);
      if (isNamed(type) && !isNode(type) && !(name.value in namedValues)) {
        context.report({ node, message: `${name.value} has a name of its own, so it must implement Node` });
      }
    },
  }),
};

// An unused exception hides the next real fault.
const exceptionsAreUsed = {
  create: (context) => ({
    Document(node) {
      for (const name of Object.keys(namedValues)) {
        const type = schema.getType(name);
        if (!type || !isNamed(type) || isNode(type)) {
          context.report({ node, message: `${name} needs no exception any more` });
        }
      }
    },
  }),
};

// Values without a name of their own: pages, edges, measurements. A client keeps them with the node
// that holds them, so that an id would name nothing. `names-are-nodes` sees to it that none of them
// should have been a node.
const values = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type) && !type.name.startsWith('__') && !('id' in type.getFields()))
  .map(({ name }) => name);

export default [
  {
    files: ['**/*.graphql'],
    languageOptions: { parser: plugin.parser, parserOptions: { graphQLConfig: { schema: file } } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: {
      '@graphql-eslint': plugin,
      kgraph: {
        rules: {
          'names-are-nodes': namesAreNodes,
          'exceptions-are-used': exceptionsAreUsed,
        },
      },
    },
    rules: {
      ...plugin.configs['flat/schema-recommended'].rules,
      ...plugin.configs['flat/schema-relay'].rules,
      '@graphql-eslint/strict-id-in-types': ['error', { exceptions: { types: values } }],
      '@graphql-eslint/relay-edge-types': [
        'error',
        {
          withEdgeSuffix: true,
          // Short lists with a known bound, as the axes of a workload, are given whole.
          listTypeCanWrapOnlyEdgeType: false,
          // All or nothing in this rule; `names-are-nodes` asks it of what has a name.
          shouldImplementNode: false,
        },
      ],
      'kgraph/names-are-nodes': 'error',
      'kgraph/exceptions-are-used': 'warn',
    },
  },
];
