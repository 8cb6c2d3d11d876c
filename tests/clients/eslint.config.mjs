// Rules for schema.graphql: graphql-eslint's schema-recommended and schema-relay, and two of our own
// in place of what those two cannot say. Every exception has its reason here.
import plugin from '@graphql-eslint/eslint-plugin';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSchema, isInterfaceType, isObjectType } from 'graphql';

const file = process.env.KGRAPH_SCHEMA ?? fileURLToPath(new URL('../../schema.graphql', import.meta.url));
const schema = buildSchema(readFileSync(file, 'utf8'));

const isNode = (type) =>
  (isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node')) ||
  (isInterfaceType(type) && type.name === 'Node');

// Types with a name of their own that no global id leads to.
const namedValues = {
  Artifact: 'what a run points to; its content lies elsewhere and no manifest describes it',
  Attestation: 'read with the run that it is about; its manifest is the StoredObject of the same id',
  Correction: 'likewise',
  Project: 'a manifest of few facts, read with its implementations',
  Reference: 'a link to a StoredObject, not the object',
  ServedModel: 'read with its serving runs',
  ServingLoad: 'likewise',
};

// Connections over rows that are derived anew by every snapshot, so that an id would promise a
// permanence that they lack; each row leads to nodes that have it.
const derivedRows = {
  Attestation: 'has an id, and is read with its run alone',
  MeasuredHardware: 'a count over all runs of one product',
  RankedRun: 'a place in a ranking',
  Record: 'the standing record of a cohort',
  RecordEvent: 'a place in a history',
};

// An unused exception hides the next real fault, so it is one itself.
const report = (context, node, message) => context.report({ node, message });

const namesAreNodes = {
  create: (context) => ({
    ObjectTypeDefinition(node) {
      const { name } = node.rawNode();
      const type = schema.getType(name.value);
      const names = ['id', 'digest', 'slug', 'key', 'objectId'];
      const isNamed = names.some((field) => field in type.getFields()) && !isNode(type);
      if (isNamed && !(name.value in namedValues)) {
        report(context, node, `${name.value} has a name of its own, so it must implement Node`);
      }
      if (!isNamed && name.value in namedValues) {
        report(context, node, `${name.value} needs no exception any more`);
      }
    },
  }),
};

const edgesLeadToNodes = {
  create: (context) => ({
    'ObjectTypeDefinition[name.value=/Edge$/]'(node) {
      const edge = schema.getType(node.rawNode().name.value);
      const type = String(edge.getFields().node.type).replace('!', '');
      const isDerived = !isNode(schema.getType(type));
      if (isDerived && !(type in derivedRows)) {
        report(context, node, `${type} is listed by a connection, so it must implement Node`);
      }
      if (!isDerived && type in derivedRows) report(context, node, `${type} needs no exception any more`);
    },
  }),
};

const exceptionsExist = {
  create: (context) => ({
    Document(node) {
      for (const name of [...Object.keys(namedValues), ...Object.keys(derivedRows)]) {
        if (!schema.getType(name)) report(context, node, `${name} is excepted and does not exist`);
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
          'edges-lead-to-nodes': edgesLeadToNodes,
          'exceptions-exist': exceptionsExist,
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
          // All or nothing in this rule; `edges-lead-to-nodes` takes exceptions by name.
          shouldImplementNode: false,
        },
      ],
      'kgraph/names-are-nodes': 'error',
      'kgraph/edges-lead-to-nodes': 'error',
      'kgraph/exceptions-exist': 'error',
    },
  },
];
